export const stopHelp = {
	description: "stop the gateway; unfinished work continues at the next start",
} as const;

export const stopMessages = {
	noGateway: ({ data }: { readonly data: string }) => `no gateway is running on the data directory ${data}`,
	stopping: ({ pid }: { readonly pid: number }) => `stopping process ${pid}; running work gets up to 25 s …`,
	stopped: ({ urls }: { readonly urls: string }) => `the gateway at ${urls} has stopped`,
	foreign: ({ pid, data }: { readonly pid: number; readonly data: string }) =>
		`process ${pid} was not stopped, because it may not be the gateway that uses ${data}: check the process, and run \`kill ${pid}\` if it is the gateway`,
	stillRunning: ({ pid }: { readonly pid: number }) =>
		`process ${pid} is still running; \`kill ${pid}\` ends it immediately`,
} as const;

export const stopHelp = {
	description: "stop the gateway; unfinished work continues at the next start",
} as const;

export const stopMessages = {
	noGateway: ({ data }: { readonly data: string }) => `no gateway is running on the data directory ${data}`,
	stopping: ({ pid }: { readonly pid: number }) => `stopping process ${pid}; running work gets up to 25 s …`,
	stopped: ({ urls }: { readonly urls: string }) => `the gateway at ${urls} has stopped`,
	foreign: ({ pid, data }: { readonly pid: number; readonly data: string }) =>
		`cannot tell whether process ${pid} is the gateway on ${data}, because the owner of the data could have named another process: if the process is the gateway, run \`kill ${pid}\``,
	stillRunning: ({ pid }: { readonly pid: number }) =>
		`process ${pid} is still running; \`kill ${pid}\` ends it immediately`,
} as const;

/** Help of `parley stop`. */
export const stopHelp = {
	description: "stop the gateway; unfinished work continues at the next start",
} as const;

export const stopMessages = {
	noGateway: ({ data }: { readonly data: string }) => `no gateway runs on ${data}`,
	stopping: ({ pid }: { readonly pid: number }) => `stopping process ${pid}; running work gets up to 30 s …`,
	stopped: ({ urls }: { readonly urls: string }) => `the gateway at ${urls} has stopped`,
	stillRunning: ({ pid }: { readonly pid: number }) =>
		`process ${pid} is still running; \`kill ${pid}\` ends it immediately`,
} as const;

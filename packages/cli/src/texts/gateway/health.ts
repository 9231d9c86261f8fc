/** Texts of a gateway's health report in `parley status`. */
export const healthTexts = {
	access: "access",
	provider: "provider",
	storage: "storage",
	policy: "policy",
	sandbox: "sandbox",
	process: ({ pid }: { readonly pid: number }) => `process ${pid}`,
	restarts: ({ count }: { readonly count: number }) => `restarted ${count} ${count === 1 ? "time" : "times"}`,
	unknownReason: "unknown reason",
	fix: ({ fix }: { readonly fix: string }) => `fix: ${fix}`,
	/** Shows the state of a component with a problem. */
	trouble: ({
		state,
		reason,
		since,
	}: {
		readonly state: string;
		readonly reason?: string;
		readonly since?: string;
	}) =>
		`${state}${reason === undefined ? "" : `: ${reason}`}${since === undefined ? "" : `, since ${since}`}`,
	certificateUntil: ({ day }: { readonly day: string }) => `certificate until ${day}`,
	localModel: "local model",
	insecureLan: "clients with the token, which is sent unencrypted (--insecure-lan)",
	withoutToken: "all users of this machine, without a token (--auth none)",
	ownPrograms: "this user's programs; others need the token",
	allNeedToken: "all clients need the token",
	llamaExternal: "not started by the gateway",
	llamaIdle: "starts with the first request",
	llamaInUse: "in use, not started by the gateway",
	llamaPausing: "stopped, will be restarted",
	llamaLoading: "loading its model",
	estimatedTokens: "token counts are estimates",
	sandboxChecking: "being checked: commands wait for the result",
	chatsInBubblewrap: ({ operator }: { readonly operator: string }) =>
		`${operator}; commands of chats: bubblewrap`,
	sandboxOff: "off: commands run with your permissions",
	sandboxContainer: "container: commands can access everything in the container of the gateway",
	noCommands: "none: no command runs",
	onlyOwnCommands: "none: your commands run with your permissions, and commands of chats do not run",
} as const;

/** Findings of `parley doctor` about connectors and chats. */
export const chatCheckTexts = {
	noConnector: "no connector is running",
	unservedTenant: ({ tenant }: { readonly tenant: string }) =>
		`the configuration names ${tenant}, but no connector may serve it`,
	unservedTenantFix:
		"add its id to chat.tenants in the configuration, or create a token: parley token create connector NAME --platform PLATFORM",
	noAccess: "chat.tenants and chat.people.allow in the configuration name no guild or team",
	tenants: ({ count }: { readonly count: number }) =>
		count === 1 ? "1 guild or team" : `${count} guilds and teams`,
} as const;

/** Findings of `parley doctor` about the clock. A difference is a text such as `40 s ahead`. */
export const clockCheckTexts = {
	difference: ({ seconds, isBehind }: { readonly seconds: number; readonly isBehind: boolean }) =>
		`${seconds} s ${isBehind ? "behind" : "ahead"}`,
	otherFileClock: ({ difference }: { readonly difference: string }) =>
		`the clock of the file system of the data directory is ${difference}`,
	otherFileClockFix: "use a directory on a disk of this machine, or set the clock of the file server",
	sameFileClock: "the clock matches the clock of the file system",
	otherClock: ({ difference, host }: { readonly difference: string; readonly host: string }) =>
		`the clock is ${difference}, compared with ${host}`,
	sameClock: ({ host }: { readonly host: string }) => `the clock matches the clock of ${host}`,
} as const;

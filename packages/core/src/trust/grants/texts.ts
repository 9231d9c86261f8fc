/** Errors of requests to trust a channel, and the question whether to trust the channel. */
export const grantRequestTexts = {
	checkId: "check the id of the channel.",
	didYouMean: (near: string): string => `did you mean ${near}?`,
	noConversation: (channel: string, question: string): string =>
		`${channel} has no session yet: ${question} To trust the channel anyway, set unseen (--unseen in the command)`,
	notChannel: (channel: string): string =>
		`channel: ${channel} is not a channel: write PLATFORM:TENANT:CHANNEL`,
	minutes: (minutes: number): string =>
		`minutes: ${minutes} is not allowed: use more than 0 and at most 1440 (24 hours)`,
	noTool: (tool: string, available: readonly string[]): string =>
		`tools: there is no tool ${tool}; available: ${available.join(", ")}`,
	alwaysApproval: (name: string): string =>
		`classes: ${name} requires approval in every channel: leave it out`,
	elsewhere: (person: string, beginning: string): string =>
		`people: ${person} does not belong to the channel: ids there begin with ${beginning}`,
	emptyList: (name: string): string => `${name}: an empty list covers no call; leave it out to cover all`,
	allMembers: "all members here",
	allTools: "all tools",
	tools: (names: readonly string[]): string =>
		`the ${names.length === 1 ? "tool" : "tools"} ${names.join(", ")}`,
	noFilesOutside: "no files outside the roots",
	classes: (names: readonly string[]): string => `calls of the class ${names.join(" or ")}`,
	maxCalls: (count: number): string => `at most ${count === 1 ? "1 call" : `${count} calls`}`,
	question: ({
		channel,
		time,
		limits,
		people,
		reason,
	}: {
		readonly channel: string;
		readonly time: string;
		readonly limits: readonly string[];
		readonly people: string;
		readonly reason: string;
	}): string =>
		`Trust ${channel} for ${time}, so that calls run without approval (${limits.join("; ")})? Requested by ${people}: ${reason}`,
} as const;

/** Reasons why a grant ended, or why a channel cannot be trusted. */
export const grantEndTexts = {
	noSandbox: "the sandbox no longer protects the gateway's own files",
	policyChanged: "the policy has changed",
	denied: (count: number): string => `${count} calls were denied`,
	usedUp: (max: number | null): string =>
		max === 1 ? "the only call is used up" : `all ${max} calls are used up`,
	container:
		"with sandbox: container, commands can reach this gateway's own files; set sandbox: required if " +
		"bubblewrap works (see parley doctor)",
	withoutSandbox: "this gateway has no sandbox: see parley doctor",
	needsSandbox: (reason: string): string => `a channel can be trusted only with a sandbox, and ${reason}`,
} as const;

import { alternatives } from "@parley/base";
/** Reasons of decisions, for example after "requires approval:", and texts about policy files. */
export const policyTexts = {
	invalid: (layer: string, reason: string): string =>
		`the ${layer}'s policy is invalid: ${reason}; no tool runs until the policy is fixed`,
	channelTools: (tools: readonly string[]): string =>
		tools.length === 0
			? "this channel has no tools: answer without tools"
			: `this channel has only the ${tools.length === 1 ? "tool" : "tools"} ${tools.join(", ")}: use one of them`,
	profile: "its profile",
	noFile: (path: string): string =>
		`the policy file ${path} does not exist or is not accessible: correct the path`,
	notesForAll: "changes a note that all members share",
	schedulesAfterUntrusted: "changes scheduled work, after untrusted text or private data was read",
	allAccepted: "all tools are accepted in this session",
	allowedForSession: "allowed for this session",
	trusted: "a trust grant of the channel covers this call",
	noRule: "no rule covers this call",
} as const;

/** Effects of a call, by action class. People read these texts in approvals. */
export const effectTexts = {
	reads: "reads inside the roots",
	asks: "asks a person",
	runsOnClient: "runs on the client that offers it",
	mcpTool: "calls a tool of an MCP server",
	changedDescription: "calls a tool whose description has changed since its last call",
	readsNotes: "reads notes",
	changesNotes: "changes notes of the person or the channel",
	changesNotesForAll: "changes notes for all people",
	changesSchedules: "changes scheduled work",
	writes: "writes a file",
	readsOutside: "reads outside the roots",
	runsCommand: "runs a command",
	network: "reaches the network",
	withoutSandbox: "runs a command without a sandbox",
	writesOutside: "writes outside the roots",
	secrets: "reads or changes keys or passwords",
	controlFiles: "may change files that control this machine or the gateway",
	irreversible: "cannot be undone",
} as const;

/** Errors in a policy file, and the default reason of a rule. */
export const policyFileTexts = {
	homePattern: (pattern: string): string =>
		`the pattern ${JSON.stringify(pattern)} cannot be used: write the complete path instead of ~`,
	tooManyConditions: (max: number): string =>
		`the conditions of all rules have more than ${max} values in total: remove some values`,
	allowIgnored: "ignored: rules of a workspace can only ask or deny; move the rule to the operator's policy",
	ruleOf: (layer: string, file: string): string => `a rule of the ${layer}, ${file}`,
	noApprovals: (effect: string): string =>
		`approvals is not allowed in a rule with the effect ${effect}; remove approvals, or use the effect ask`,
	agentRule: "allow is not allowed in the rules of an agent; allowed: deny, ask",
	alwaysApproval: (name: string | undefined): string =>
		`${name} always requires approval, and no rule can allow it: remove it from the rule`,
	unknownKey: (key: string, advice: string): string => `unknown key ${key}${advice}`,
	noTool: (tool: string, advice: string): string => `there is no tool ${tool}${advice}`,
	noCommandTool: (tools: readonly string[]): string =>
		`the rule has a command, but none of its tools runs commands: use ${alternatives(tools)} as the tool, or remove the command`,
	missing: (name: string, needed: string | undefined): string => `${name} is missing; needed: ${needed}`,
	notAllowed: (value: string, name: string, allowed: string | undefined): string =>
		`${value} is not allowed for ${name}; allowed: ${allowed}`,
	approvals: (max: number): string => `a whole number from 2 to ${max}`,
	word: "a word of at most 300 characters, without control characters",
	program: 'a program, with each argument as a separate word: ["git", "push"]',
	command: 'a list of words such as ["git", "push"]',
	commands: 'a list of words such as ["git", "push"], or a list of such lists',
	host: "the name of a host; * matches any part of a name",
	when: "an object with class, command, path or host",
	reason: "one line of at most 500 characters",
	rule: "an object with an effect",
	schema: "the address of a schema",
	rules: "a list of rules: [ { … }, … ]",
	tooManyRules: (max: number): string => `a list of at most ${max} rules`,
	atLeastOne: "at least one value (leave the key out to match all)",
	tooManyNames: (max: number): string => `a list of at most ${max} values`,
	valueOrList: "a value or a list",
	deleted: (path: string): string =>
		`${path}: the file was deleted: restore it, or restart the gateway to continue without its rules`,
	unreadable: (path: string, reason: string, foreign: boolean): string =>
		`${path}: it cannot be read (${reason})${foreign ? "; correct its permissions, or remove it" : "; give the gateway's user access to it"}`,
	link: "it is a link, or a link leads to it: replace the link with a copy",
	notRegular: "it is not a regular file: replace it with a regular file",
	writable: (path: string): string =>
		`every user of this machine can write it; run: chmod o-w ${JSON.stringify(path)}`,
	tooLarge: (kibibytes: number): string => `it is larger than ${kibibytes} KiB: remove rules or comments`,
	notText: "it is not UTF-8 text: save it as UTF-8",
} as const;

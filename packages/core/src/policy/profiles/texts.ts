/** Errors about agents and their names. */
export const agentTexts = {
	directory: "the directory of agents",
	unusable: (name: string, reason: string): string => `the agent ${name} cannot be used: ${reason}`,
	notFound: (name: string, available: readonly string[]): string =>
		`agent not found: ${name}; available: ${available.join(", ")}`,
	onlyDefault: (name: string): string => `agent not found: ${name}; available: default`,
	name: "an agent's name has at most 64 letters, digits, spaces, dots, hyphens and underscores: rename the directory",
	ownDirectory: "its directory",
	empty: "it has neither config.toml nor agent.md: add one of them",
	noTool: (tool: string, advice: string): string => `unknown tool ${JSON.stringify(tool)} in tools${advice}`,
	linkOutside: (path: string): string =>
		`${path} is a link to a path outside the directory of agents: replace the link with a copy`,
	tooLarge: (path: string, kibibytes: number): string =>
		`${path} is larger than ${kibibytes} KiB: shorten it`,
	notText: (path: string): string => `${path} is not UTF-8 text: save it as UTF-8`,
	cannotRead: (path: string): string => `cannot read ${path}`,
} as const;

/** Texts about an agent's settings: the allowed values, and the errors. */
export const agentConfigTexts = {
	endpoint: "an http or https address without a user name, password or query",
	sampling: "a table: [sampling]",
	providerModel: "a model name of at most 200 characters in one line",
	provider: "a table: [provider]",
	title: "a name of at most 100 characters in one line",
	description: "a description of at most 400 characters in one line",
	model: "a tier, or a model name, of at most 200 characters in one line",
	tool: "a tool name of at most 128 characters in one line",
	tools: "a list of tool names",
	tooManyTools: "a list of at most 200 tool names",
	boolean: "true or false",
	twoModels: (model: string, other: string): string =>
		`model is ${JSON.stringify(model)}, but provider.model is ${JSON.stringify(other)}: remove one of them`,
	timeoutNeedsEndpoint:
		"provider.http_timeout_seconds needs provider.endpoint: add the endpoint, or remove the timeout",
	apiNeedsEndpoint: "provider.api needs provider.endpoint: add the endpoint, or remove provider.api",
	invalidToml: (line: number, column: number, reason: string): string =>
		`line ${line}, column ${column}: ${reason}; correct the TOML`,
	invalid: (place: string, key: string, allowed: string | undefined): string =>
		`${place}${key} is not valid; allowed: ${allowed}`,
	unknownKey: ({
		place,
		key,
		where,
		advice,
	}: {
		readonly place: string;
		readonly key: string;
		readonly where: string;
		readonly advice: string;
	}): string => `${place}unknown key ${key}${where}${advice}`,
	number: (min: number, max: number): string => `a number from ${min} to ${max}`,
	wholeNumber: (min: number, max: number): string => `a whole number from ${min} to ${max}`,
} as const;

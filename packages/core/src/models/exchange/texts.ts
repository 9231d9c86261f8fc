/** Failures of requests to a model server. */
export const providerTexts = {
	tooSlow: (host: string): string => `${host} took too long to answer`,
	interrupted: (host: string): string => `the connection to ${host} was interrupted`,
	unreachable: (host: string, code: string | undefined): string =>
		`cannot reach ${host}${code === undefined ? "" : ` (${code})`}: check the network and the base URL`,
	proxyUnreachable: (host: string, status: number): string =>
		`the proxy cannot reach ${host} (${status}): check the network of the proxy and the base URL`,
	proxyBlocks: (host: string, status: number): string =>
		`the proxy blocks requests to ${host} (${status}): check the rules of the proxy, or NO_PROXY`,
	badKey: (host: string, key: string): string => `${host} does not accept the API key: check ${key}`,
	needsKey: (host: string, key: string | undefined): string =>
		`${host} requires an API key${key === undefined ? "" : `: set ${key}`}`,
	payment: (host: string): string => `${host} requires payment: check the account's billing`,
	modelNotAllowed: (host: string, model: string): string =>
		`${host} refuses access to "${model}": check the key and its permissions, or choose another model`,
	noModel: (host: string, model: string, api: string): string =>
		`${host} has no model "${model}", or no ${api}: check the model and the base URL`,
	proxyCredentials: (host: string): string =>
		`the proxy for ${host} requires credentials: add them to the URL of the proxy`,
	tooLarge: (host: string): string =>
		`the request is too large for ${host}: shorten the conversation or send smaller images`,
	rateLimit: (host: string): string => `${host} rejects more requests for now (rate limit)`,
	redirect: (host: string, status: number): string =>
		`${host} answered with a redirect (${status}), which is not followed: check the base URL`,
	cannotAnswer: (host: string, status: number): string => `${host} cannot answer now (${status})`,
	refusedStatus: (host: string, status: number): string => `${host} refused the request (${status})`,
	refused: (host: string): string => `${host} refused the request`,
	changeRequest: (refusal: string): string => `${refusal}; change the request, or choose another model`,
	cannotAnswerNow: (host: string): string => `${host} cannot answer now`,
	invalidUrl: (url: string, provider: string): string =>
		`invalid base URL ${url} of ${provider}: use http(s)://HOST[:PORT][/PATH]`,
	invalidKey: "the API key contains a space or another invalid character: check the key",
	noKnownModel: (provider: string): string =>
		`no model is set, and ${provider} has no default model: name a model with --model`,
} as const;

/** Errors and warnings of model calls. */
export const exchangeTexts = {
	cancelled: "the model call was cancelled",
	incomplete: "the answer ended before it was complete",
	notJson: "the answer of the server is not valid: it is not JSON",
	damaged: (content: string): string => `the answer of the server is not valid: it contains ${content}`,
	openCall: "a call that has no end",
	invalidCounts: "the token counts of a provider are not valid",
	leftOutSettings: "settings that the model does not support are left out",
	otherForm: "the answer of the server is not valid: it has an unexpected form",
	empty: "the answer was empty",
	otherApi: (host: string, api: string): string =>
		`${host} does not answer like a ${api}: check the base URL`,
	answer: "the answer",
	event: "an event of the answer",
	interrupted: "the connection was interrupted during the answer",
	tooLarge: (subject: string, size: string): string => `${subject} is larger than ${size}`,
	noEnd: (time: string): string => `the answer did not end within ${time}`,
	noMore: (time: string): string => `the answer did not continue for ${time}`,
	none: (time: string): string => `the server did not answer within ${time}`,
} as const;

/** Texts in requests to a model. They replace missing content, or content that the model cannot read. */
export const requestTexts = {
	continue: "(go on)",
	image: "[an image, which this model cannot see]",
	noOutput: "(no output)",
} as const;

/** Errors about invalid tool calls in a model's reply. */
export const badCallTexts = {
	arguments: (reason: string): string =>
		`the arguments cannot be used: ${reason}; correct the arguments, and repeat the call`,
	tooLarge: (max: number): string => `they have more than ${max} characters, the maximum`,
	notObject: "they are not a JSON object",
	characters: (count: number): string => `it had ${count} characters of arguments by then`,
	cutOff: (size: string): string =>
		`the reply was cut off before the call was complete: ${size}. The same call would be cut again: ` +
		"write less at once, for example a first part of a file, and the rest with further calls",
	sameId: "another call of this reply has the same id: repeat the call",
	noName: "the call has no tool name: repeat it with the name of a tool",
	longName: (max: number): string =>
		`the tool's name is longer than ${max} characters: use the name of an available tool`,
	tooNested: "they are nested too deeply",
} as const;

/** Failures and limits of model replies. */
export const replyTexts = {
	tooLong: (max: number): string =>
		`the reply is longer than the maximum of ${max} characters: ask for a shorter reply`,
	tooManyCalls: (max: number): string =>
		`the reply has more than the maximum of ${max} tool calls: ask for less at once`,
	thinkingTooLong: (max: number): string =>
		`the thinking is longer than the maximum of ${max} characters: ask for less at once`,
	cutOff: "the reply was cut off after this call; repeat the call if you still need it",
	noText: "it has no text",
	unusable: (purpose: string, reason: string): string =>
		`the reply cannot be used as ${purpose}: ${reason}; try again, or choose another model`,
	refused: "the model refused to answer",
	lengthLimit: "it reached its length limit before any text",
	otherModel: (reason: string, model: string): string => `${reason}; ${model} answers instead`,
	retriesEarlier: (reason: string, seconds: number): string =>
		`${reason}; it asks for a wait of ${seconds} s, and the gateway retries earlier`,
	noPrice: (model: string): string =>
		`not sent: a budget is set and ${model} has no price; the operator can set a price in models.json`,
	interrupted: "the model's reply was interrupted",
	modelCalled: "model called",
	callFailed: "a model call failed",
	keyRefused: "the provider refused the key",
} as const;

export const memoryOfRunTexts = {
	notAuthor: (id: string, author: string): string =>
		`permission denied: memory ${id} was written by ${author}; only the author or an approver of the channel ` +
		"(with /forget) or the operator (with `parley memories forget`) can delete it",
	notAuthorForAll: (id: string, author: string): string =>
		`permission denied: memory ${id} is for all people and was written by ${author}; only the author ` +
		"(with /forget) or the operator (with `parley memories forget`) can delete it",
} as const;

export const anthropicTexts = {
	needsKey: (host: string): string => `${host} needs an API key: set ANTHROPIC_API_KEY`,
} as const;

/** Errors about an invalid stream. `exchangeTexts.damaged` begins the sentence, and each text here ends it. */
export const eventTexts = {
	invalid: "an invalid event",
	beforeStart: (type: unknown): string => `"${type}" before its start`,
	secondStart: "a second start",
	startWithoutMessage: "a start without a message",
	emptyBlock: "a block without an index or content",
	secondBlock: (index: string | number): string => `block ${index} a second time`,
	tooManyBlocks: (max: number): string => `more than ${max} blocks`,
	closedBlock: "a piece of a block that is not open",
	emptyPiece: "a piece without content",
	otherKind: (type: unknown): string => `"${type}" in a block of another kind`,
	endOfClosedBlock: "the end of a block that is not open",
} as const;

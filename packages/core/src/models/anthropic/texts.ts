export const anthropicTexts = {
	invalidCounts: "the token counts of a provider are not valid",
	needsKey: (host: string): string => `${host} needs an API key: set ANTHROPIC_API_KEY`,
	leftOutSettings: "settings that the model does not support are left out",
	continue: "(go on)",
	image: "[an image, which this model cannot see]",
	noOutput: "(no output)",
} as const;

/** Faults of a stream, as the end of "the answer was damaged in transit: it contains …". */
export const eventTexts = {
	damaged: (what: string): string => `the answer was damaged in transit: it contains ${what}`,
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
	openCall: "a call that has no end",
} as const;

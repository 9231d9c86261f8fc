/** Refusals of requests that are too large for the model. */
export const roomTexts = {
	noRoom: (needed: number, window: number): string =>
		`instructions and tools (about ${needed} tokens) leave too little of the context window (${window} tokens): ` +
		"choose a model with a larger window, or fewer tools",
	largeRequest: (needed: number, available: number): string =>
		`the request needs about ${needed} tokens, but the context window has ${available} besides the reply: ` +
		"split the request, or choose a model with a larger window",
} as const;

/** Parts of the stored note that replaces older messages. */
export const summaryNoteTexts = {
	opening: "[This note replaces the earlier part of the conversation, to save space.]",
	first: "The first request, word for word:",
	open: "Open items, recorded by the gateway:",
	/** Heading of stored notes. After a change, the notes of earlier versions must still be readable. */
	body: "Summary of the conversation so far:",
	image: "(an image)",
	olderLeftOut: (count: number): string => `- (${count} older items were left out)`,
} as const;

/** Texts of a summary request and of summary failures. The directory `instructions/` contains the system prompt. */
export const summaryTexts = {
	record: "The record:",
	earlier: "EARLIER SUMMARY:",
	ending: (words: number): string => `End of the record. Write the summary now, in at most ${words} words.`,
	instruction: (text: string): string => `A person requested this for the summary: ${text}`,
	empty: "the model wrote an empty summary; try again, or choose another model",
	extracted: "the model wrote no summary; an extract of the messages replaces it",
} as const;

/** Log messages about counts of tokens. */
export const tokenCountTexts = {
	estimated: "tokens could not be counted and are estimated",
	noTokenizer: "the tokenizer of the model failed; the tokens of each part of the context are estimated",
} as const;

/** Texts that replace results and images of older messages. */
export const clearedTexts = {
	image: "[its image was cleared to save space: read it again if you need it]",
	unknownTool: "a tool",
	error: (beginning: string): string => `, an error that began "${beginning}"`,
	result: (characters: number, source: string): string =>
		`[cleared to save space: ${characters} characters from ${source}; if you need them, read them again, ` +
		"but do not repeat calls that change something]",
} as const;

import { formatCount, plural } from "../../text/amounts.ts";

/** Texts in the tables of sessions and in the facts about a session. */
export const sessionTableTexts = {
	factColumns: ["ID", "STATE", "MSGS", "UPDATED"],
	textColumns: ["TITLE", "DIRECTORY"],
	noTitle: "(no title)",
	// `input` and `output` are numbers of tokens.
	usage: ({
		messages,
		input,
		output,
		cost,
	}: {
		readonly messages: number;
		readonly input: number;
		readonly output: number;
		readonly cost: string;
	}) =>
		`${plural(messages, "message")}, ${formatCount(input)} input tokens, ${formatCount(output)} output tokens, ${cost}`,
} as const;

import { formatCount, plural } from "../../text/amounts.ts";

/** Tables of sessions, and the facts about one. */
export const sessionTableTexts = {
	factColumns: ["ID", "STATE", "MSGS", "UPDATED"],
	textColumns: ["TITLE", "DIRECTORY"],
	noTitle: "(no title)",
	/** `input` and `output` in tokens. */
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

import { parseJson } from "@parley/base";
import { Id } from "./schema.ts";

/** Of the beginning of a line: an id stands before what is long. */
const mostLooked = 4_096;

const space = "[ \\t\\r]*";
const text = '"(?:[^"\\\\]|\\\\.)*"';
const plain = `(?:${text}|[-+.\\w]+)`;
/** Members that hold nothing else, up to the first that is called `id`. */
const beginning = new RegExp(
	`^${space}\\{${space}(?:(?!"id")${text}${space}:${space}${plain}${space},${space})*"id"${space}:${space}(${plain})${space}[,}]`,
);

/**
 * The id of a line that is not taken for a command, where it can be told from how the line begins: its client waits for it.
 * Never one that stands inside of something else.
 */
export function idOfLine(line: string): Id | undefined {
	const [, id] = beginning.exec(line.slice(0, mostLooked)) ?? [];
	if (id === undefined) return undefined;
	try {
		return Id.safeParse(parseJson(id)).data;
	} catch {
		return undefined;
	}
}

import type { ReplyProgress } from "@parley/protocol";
import { formatRoughly } from "../text/amounts.ts";
import { shorten } from "../text/shorten.ts";
import { visibleLine } from "../text/visible.ts";
import { splitGraphemes, widthOf } from "../text/wrap.ts";

/** Returns the progress in one line of at most `columns` columns, or undefined if `progress` is undefined. */
export function replyProgressWords(progress: ReplyProgress["now"], columns: number): string | undefined {
	if (progress === undefined) return undefined;
	if (progress.type === "thinking") return thinkingWords(progress.text, columns);
	const { name, subject, length } = progress;
	const size = length < 1_000 ? "" : ` (${formatRoughly(length)} characters)`;
	const about = subject === undefined ? "" : ` ${visibleLine(subject)}`;
	return `${shorten(`writing ${visibleLine(name)}${about}`, columns - size.length)}${size}`;
}

function thinkingWords(text: string, columns: number): string {
	const line = visibleLine(text.replaceAll(/\s+/g, " ").trim());
	if (line === "") return shorten("thinking…", columns);
	const label = "thinking: ";
	if (label.length + widthOf(line) <= columns) return label + line;
	let end = "";
	let width = label.length + 1;
	for (const grapheme of [...splitGraphemes(line)].reverse()) {
		width += widthOf(grapheme);
		if (width > columns) break;
		end = grapheme + end;
	}
	return `${label}…${end}`;
}

import { createTwoFilesPatch } from "diff";
import { visible, visibleLines } from "../../text/visible.ts";

/** Texts that differ more are shown as replaced as a whole: the search for the shortest difference grows with its square. */
const MAX_EDITS = 1_000;

/** What stands in the file now: nothing, text to compare with, or something not shown for the reason given. */
export type OldContent =
	| { readonly kind: "absent" }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "hidden"; readonly reason: string };

/**
 * A unified diff from the old content to the new one. All of the new text is in it or unchanged around it, and
 * characters that nobody can see are made visible.
 */
export function previewWrite(path: string, old: OldContent, content: string): string {
	// Made visible before they are compared: what differs at all then differs to the eye, too.
	const seen = old.kind === "text" ? { ...old, text: visibleLines(old.text) } : old;
	return diffOf(visible(path), seen, visibleLines(content));
}

function diffOf(shown: string, old: OldContent, content: string): string {
	if (old.kind === "absent") return wholeDiff("/dev/null", shown, "", content);
	if (old.kind === "hidden") return `${old.reason}\n${wholeDiff(shown, shown, "", content)}`;
	const patch = createTwoFilesPatch(shown, shown, old.text, content, undefined, undefined, {
		context: 3,
		maxEditLength: MAX_EDITS,
		headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
	});
	return patch ?? wholeDiff(shown, shown, old.text, content);
}

/** Every old line taken away, every new line added. */
function wholeDiff(from: string, to: string, old: string, content: string): string {
	const [removed, added] = [linesOf(old, "-"), linesOf(content, "+")];
	const start = (lines: readonly string[]): string => `${lines.length === 0 ? 0 : 1},${lines.length}`;
	const hunk = `@@ -${start(removed)} +${start(added)} @@`;
	return `${[`--- ${from}`, `+++ ${to}`, hunk, ...removed, ...added].join("\n")}\n`;
}

function linesOf(text: string, sign: "-" | "+"): string[] {
	if (text === "") return [];
	const lines = text.split("\n").map((line) => `${sign}${line}`);
	if (text.endsWith("\n")) return lines.slice(0, -1);
	return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

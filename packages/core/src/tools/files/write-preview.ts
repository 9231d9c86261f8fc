import { createTwoFilesPatch } from "diff";
import { visible, visibleLines } from "../../text/visible.ts";
import { writeFileTexts } from "./texts.ts";

/**
 * Maximum edits in a diff, because the time for a diff grows with the square of the number of edits. Texts that differ by
 * more edits are shown as completely replaced.
 */
const MAX_EDITS = 1_000;

/** Content of a file: absent, a text for a diff, or content that is not shown, with the reason. */
export type ShownContent =
	| { readonly kind: "absent" }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "hidden"; readonly reason: string };

/**
 * Returns a unified diff from the old to the new content. Contains all changed lines of the new text. Escapes
 * invisible characters.
 */
export function previewWrite(path: string, old: ShownContent, content: string): string {
	// Invisible characters are escaped before the comparison, so that the diff shows every difference.
	const seen = old.kind === "text" ? { ...old, text: visibleLines(old.text) } : old;
	return diffOf(visible(path), seen, visibleLines(content));
}

/**
 * Returns a unified diff between two contents. If one of the contents is not shown, the diff has only the file names and
 * the reasons.
 */
export function previewChange(path: string, from: ShownContent, to: ShownContent): string {
	const shown = visible(path);
	const reasons = [from, to].flatMap((content) => (content.kind === "hidden" ? [content.reason] : []));
	if (reasons.length > 0) {
		const names = [`--- ${nameOf(from, shown)}`, `+++ ${nameOf(to, shown)}`];
		return `${[...names, ...new Set(reasons)].join("\n")}\n`;
	}
	if (to.kind === "absent") return fullDiff(shown, absentName, visibleLines(textOf(from)), "");
	return previewWrite(path, from, textOf(to));
}

const absentName = "/dev/null";

function nameOf({ kind }: ShownContent, shown: string): string {
	return kind === "absent" ? absentName : shown;
}

function textOf(content: ShownContent): string {
	return content.kind === "text" ? content.text : "";
}

function diffOf(shown: string, old: ShownContent, content: string): string {
	if (old.kind === "absent") return fullDiff(absentName, shown, "", content);
	if (old.kind === "hidden") return `${old.reason}\n${fullDiff(shown, shown, "", content)}`;
	const patch = createTwoFilesPatch(shown, shown, old.text, content, undefined, undefined, {
		context: 3,
		maxEditLength: MAX_EDITS,
		headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
	});
	return patch ?? fullDiff(shown, shown, old.text, content);
}

function fullDiff(from: string, to: string, old: string, content: string): string {
	const [removed, added] = [linesOf(old, "-"), linesOf(content, "+")];
	const start = (lines: readonly string[]): string => `${lines.length === 0 ? 0 : 1},${lines.length}`;
	const hunk = `@@ -${start(removed)} +${start(added)} @@`;
	return `${[`--- ${from}`, `+++ ${to}`, hunk, ...removed, ...added].join("\n")}\n`;
}

function linesOf(text: string, sign: "-" | "+"): string[] {
	if (text === "") return [];
	const lines = text.split("\n").map((line) => `${sign}${line}`);
	if (text.endsWith("\n")) return lines.slice(0, -1);
	return [...lines.slice(0, -1), `${lines.at(-1)}\n${writeFileTexts.noNewline}`];
}

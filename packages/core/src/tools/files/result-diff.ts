import { definedItems } from "@parley/base";
import { structuredPatch } from "diff";
import { visibleLines } from "../../text/visible.ts";
import { resultDiffTexts } from "./texts.ts";

/** Maximum lines and characters of a diff in a tool result. */
const maxLines = 60;
const maxCharacters = 4_000;
/** Maximum edits in a diff. A preview has the same maximum. The time grows with the square of the number of edits. */
const maxEdits = 1_000;

/**
 * Returns the hunks of a change for the result of its tool call. In a long diff, a marker at the end replaces
 * further lines. Returns "" if the texts are equal, or differ by more than `maxEdits` edits. The diff
 * contains lines of the old text, so the model must be allowed to read the file.
 */
export function resultDiff(before: string, after: string): string {
	const options = { context: 2, maxEditLength: maxEdits };
	const patch = structuredPatch("", "", visibleLines(before), visibleLines(after), "", "", options);
	const lines = (patch?.hunks ?? []).flatMap(({ oldStart, oldLines, newStart, newLines, lines: own }) => [
		`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
		...own,
	]);
	const shown: string[] = [];
	let left = maxCharacters;
	for (const line of lines.slice(0, maxLines)) {
		left -= line.length + 1;
		if (left < 0) break;
		shown.push(line);
	}
	const more = lines.length - shown.length;
	const marker = more > 0 ? resultDiffTexts.more(more) : undefined;
	return definedItems([...shown, marker]).join("\n");
}

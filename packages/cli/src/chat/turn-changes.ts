import type { FileChangePayload, MethodResult } from "@parley/protocol";
import { diffRows } from "../questions/question-rows.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { changeTexts } from "../texts/chat/changes.ts";
import { noteRows } from "../wordings/message-rows.ts";

/** Maximum columns of the user message that identifies a run. */
const maxMessage = 60;

/**
 * Returns rows about the file changes of a run: unified diffs with colours, notes about restored and refused
 * files, and a note if commands ran.
 */
export function turnRows({ turn }: MethodResult<"file_changes">, format: OutputFormat): string[] {
	if (!turn) return noteRows(changeTexts.none, format);
	const message = shorten(visibleLine(turn.message), maxMessage);
	return [
		...noteRows(changeTexts.turn({ message }), format),
		...turn.files.flatMap((file) => fileRows(file, format)),
		...(turn.ran_commands ? noteRows(changeTexts.ranCommands, format) : []),
	];
}

function fileRows({ path, state, reason, diff }: FileChangePayload, format: OutputFormat): string[] {
	if (state === "restored") return noteRows(changeTexts.restored({ path }), format);
	const rows = diffRows(diff, format);
	return state === "refused" ? [...rows, ...noteRows(changeTexts.refused({ path, reason }), format)] : rows;
}

/** Whether `/undo` must skip files that were changed after the run. Undefined for unknown words after `/undo`. */
export function readUndo(words: string): boolean | undefined {
	if (words === "") return false;
	return words === "partly" ? true : undefined;
}

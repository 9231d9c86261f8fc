import { isUtf8 } from "node:buffer";
import { ParleyError } from "@parley/base";
import { type ForbiddenPaths, resolvePath, shownPath } from "../../filesystem/paths.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { visible } from "../../text/visible.ts";
import { absent, type FileChange, type FileState } from "../../vocabulary/file-change.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { undoTexts } from "./texts.ts";
import { previewChange, type ShownContent } from "./write-preview.ts";
import { classesOf, inspectFile, MAX_STORED_BYTES } from "./write-target.ts";

/** Directories of a session, and the signal that ends the inspection. */
export interface InspectionPlaces extends ForbiddenPaths {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly signal: AbortSignal;
}

/**
 * File that a turn changed, as it is now.
 *
 * - `restorable`: an undo can restore the file.
 * - `restored`: the file is already as before the turn.
 * - `refused`: an undo leaves the file unchanged.
 */
export type InspectedChange = {
	readonly change: FileChange;
	/** Path for display. */
	readonly shown: string;
	/** State of the file at this moment. Undefined if the file cannot be inspected. */
	readonly present: FileState | undefined;
	readonly classes: readonly ActionClass[];
} & ({ readonly kind: "restorable" | "restored" } | { readonly kind: "refused"; readonly reason: string });

/**
 * Inspects a changed file with the same path checks as a write. Rejects only if the signal aborts, with the reason of the
 * signal.
 */
export async function inspectChange(change: FileChange, places: InspectionPlaces): Promise<InspectedChange> {
	const { path } = change;
	const shown = visible(shownPath(path, places.cwd));
	const refuse = (reason: string, present?: FileState): InspectedChange => {
		return { kind: "refused", reason, change, shown, present, classes: [] };
	};
	try {
		const resolved = await resolvePath(path, places);
		if (resolved.path !== path) return refuse(undoTexts.elsewhere);
		if (resolved.root === undefined) return refuse(undoTexts.outside);
		const present = await inspectFile(path, shown, places);
		const reason = refusalOf(change, present);
		if (reason !== undefined) return refuse(reason, present);
		const kind = isAsBefore(change, present) ? "restored" : "restorable";
		return { kind, change, shown, present, classes: classesOf(resolved) };
	} catch (error) {
		places.signal.throwIfAborted();
		return refuse(ParleyError.from(error).message);
	}
}

function isAsBefore({ before }: FileChange, { fingerprint, mode }: FileState): boolean {
	return fingerprint === before.fingerprint && mode === before.mode;
}

function refusalOf(change: FileChange, present: FileState): string | undefined {
	const { before, after, content, isStored } = change;
	if (isAsBefore(change, present)) return undefined;
	if (![...after, before.fingerprint].includes(present.fingerprint)) {
		return present.fingerprint === absent ? undoTexts.deletedSince : undoTexts.changedSince;
	}
	if (before.fingerprint === absent || content !== undefined) return undefined;
	if (isStored) return undoTexts.unreadable;
	return before.size > MAX_STORED_BYTES ? undoTexts.notStored(before.size) : undoTexts.noRoom;
}

/**
 * Returns the diff from the current content to the content before the turn for `undo`, and the opposite diff
 * for `show`.
 */
function diffOfChange({ change, present, shown }: InspectedChange, direction: "undo" | "show"): string {
	const before = beforeTurn(change);
	const now = present
		? contentOf(present, change.path)
		: ({ kind: "hidden", reason: undoTexts.unknown } as const);
	return direction === "undo" ? previewChange(shown, now, before) : previewChange(shown, before, now);
}

/** Maximum total characters of the diffs for one turn. */
const maxDiffs = 1024 * 1024;

/**
 * Returns the diffs of the changes, in their order. A note replaces each diff beyond `maxDiffs` characters.
 */
export function diffsOf(files: readonly InspectedChange[], direction: "undo" | "show"): readonly string[] {
	let room = maxDiffs;
	return files.map((file) => {
		// Makes no further diffs when no room is left, because a diff can be slow.
		const diff = room > 0 ? diffOfChange(file, direction) : undefined;
		room -= diff?.length ?? 0;
		const hidden = { kind: "hidden", reason: undoTexts.noRoomForDiff } as const;
		return diff === undefined || room < 0 ? previewChange(file.shown, hidden, hidden) : diff;
	});
}

function beforeTurn({ before, content, path }: FileChange): ShownContent {
	if (before.fingerprint === absent || content !== undefined) return contentOf({ ...before, content }, path);
	return { kind: "hidden", reason: undoTexts.unknown };
}

function contentOf({ fingerprint, content, size }: Omit<FileState, "mode">, path: string): ShownContent {
	if (fingerprint === absent) return { kind: "absent" };
	if (isSecret(path)) return { kind: "hidden", reason: undoTexts.secret };
	if (content === undefined) return { kind: "hidden", reason: undoTexts.tooLong(size) };
	if (content.includes(0) || !isUtf8(content)) return { kind: "hidden", reason: undoTexts.binary(size) };
	return { kind: "text", text: content.toString() };
}

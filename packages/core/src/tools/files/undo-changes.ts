import { rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { definedItems, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { OpenDirectory } from "../../filesystem/regular-file.ts";
import { absent, type TurnChanges, type UndoAccess } from "../../vocabulary/file-change.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { undoTexts } from "./texts.ts";
import { diffsOf, type InspectedChange, inspectChange } from "./turn-changes.ts";
import { writeFile } from "./write-file.ts";
import { partKey, replaceFile } from "./write-target.ts";

const parameters = () =>
	z.strictObject({
		turn: z.string().describe(undoTexts.turn),
		partly: z.boolean().default(false).describe(undoTexts.partly),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Restores the files that a turn wrote, each file atomically. Rules treat this tool as `write_file`. Models do not get
 * the tool: only the run that undoes a turn for the operator calls it. A repeated call after a crash restores the files
 * that are not restored yet.
 */
export const undoChanges = defineTool<Arguments>({
	name: "undo_changes",
	ruleName: writeFile.name,
	description: undoTexts.description,
	parameters,
	effect: "idempotent",
	plan,
	run,
});

async function plan({ turn, partly }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const { changes, files } = await inspect(turn, context);
	const reasons = reasonsOf(files);
	const restorable = files.filter(({ kind }) => kind === "restorable");
	if (reasons.length > 0 && !partly) {
		const describe = restorable.length > 0 ? undoTexts.refused : undoTexts.nothingLeft;
		throw new ParleyError(describe(reasons, hasUndoneFile(files)), { code: "failed_precondition" });
	}
	const [first] = files;
	const classes = [...new Set(restorable.flatMap((file) => file.classes))];
	return {
		label: undoTexts.label(restorable.length),
		// Without a file to restore, nothing is written.
		classes: classes.length > 0 ? classes : ["read"],
		preview: diffsOf(restorable, "undo").join(""),
		binding: {
			path: first?.change.path ?? context.cwd,
			changes: JSON.stringify(
				changes.files.map(({ path, before, after }) => [path, before.fingerprint, after]),
			),
			left: JSON.stringify(files.filter(({ kind }) => kind === "refused").map(({ change }) => change.path)),
		},
		furtherPaths: files.slice(1).map(({ change }) => change.path),
		usualNotes: restorable.map(noteOf),
		notes: definedItems([
			...restorable.map(noteOf),
			...reasons.map(undoTexts.leaves),
			...interleavedNotes(restorable),
			changes.ranCommands ? undoTexts.ranCommands : undefined,
		]),
	};
}

async function run(
	{ turn, partly }: Arguments,
	{ binding }: ToolPlan,
	context: ToolContext,
): Promise<ToolResult> {
	const { access, changes, files: present } = await inspect(turn, context);
	// The cast is safe because `plan` wrote the fact `left`.
	const left = parseJson(binding["left"] ?? "[]") as readonly string[];
	const files = present.map((file) => (left.includes(file.change.path) ? leave(file) : file));
	const reasons = reasonsOf(files);
	if (reasons.length > 0 && !partly) {
		const describe = files.some(({ kind }) => kind === "restorable")
			? undoTexts.refused
			: undoTexts.nothingLeft;
		return { text: describe(reasons, hasUndoneFile(files)), failed: true };
	}
	const done: string[] = [];
	for (const file of files) {
		if (file.kind === "refused") continue;
		const reason = await restore(file, context);
		if (reason !== undefined) return { text: undoTexts.stopped(done, reason), failed: true };
		await access.restored();
		done.push(
			file.change.before.fingerprint === absent
				? undoTexts.deleted(file.shown)
				: undoTexts.restored(file.shown),
		);
	}
	await access.done();
	const notes = changes.ranCommands ? [undoTexts.ranCommands] : [];
	const text = undoTexts.done([...done, ...interleavedNotes(files), ...reasons.map(undoTexts.left)]);
	return { text: [text, ...notes].join("\n"), failed: false };
}

function hasUndoneFile(files: readonly InspectedChange[]): boolean {
	// A file may already be restored, for example because the gateway stopped during the undo.
	return files.some(({ kind }) => kind === "restored");
}

/** Returns the file as refused. A file that the plan refused stays unchanged, even if it could be restored now. */
function leave(file: InspectedChange): InspectedChange {
	return file.kind === "refused" ? file : { ...file, kind: "refused", reason: undoTexts.leftBefore };
}

function interleavedNotes(files: readonly InspectedChange[]): string[] {
	return files
		.filter(({ kind, change }) => kind !== "refused" && change.isInterleaved)
		.map(({ shown }) => undoTexts.interleaved(shown));
}

interface Inspected {
	readonly access: UndoAccess;
	readonly changes: TurnChanges;
	readonly files: readonly InspectedChange[];
}

async function inspect(turn: string, context: ToolContext): Promise<Inspected> {
	const { undo: access } = context;
	if (access?.turn !== turn) throw new ParleyError(undoTexts.onlyOperator, { code: "permission_denied" });
	const changes = await access.read();
	const files: InspectedChange[] = [];
	for (const change of changes.files) files.push(await inspectChange(change, context));
	return { access, changes, files };
}

function reasonsOf(files: readonly InspectedChange[]): string[] {
	return files.flatMap((file) => {
		return file.kind === "refused" ? [undoTexts.fileReason(file.shown, file.reason)] : [];
	});
}

function noteOf({ change, shown }: InspectedChange): string {
	return change.before.fingerprint === absent ? undoTexts.deletes(shown) : undoTexts.restores(shown);
}

/**
 * Restores the file to its state before the turn. Returns the reason if the file was not restored, otherwise
 * undefined.
 */
async function restore(
	{ change, shown }: InspectedChange,
	context: ToolContext,
): Promise<string | undefined> {
	if (context.signal.aborted) return undoTexts.cancelled;
	const { path, before, content } = change;
	const now = await inspectChange(change, context);
	if (now.kind === "refused") return undoTexts.fileReason(shown, now.reason);
	if (now.kind === "restored") return undefined;
	try {
		if (before.fingerprint === absent) await remove(path);
		else if (content === undefined) return undoTexts.fileReason(shown, undoTexts.unreadable);
		else await replaceFile({ path, content, mode: before.mode, key: partKey(context) }, true);
		return undefined;
	} catch (error) {
		return undoTexts.fileReason(shown, ParleyError.from(error).message);
	}
}

async function remove(path: string): Promise<void> {
	// The directory is opened before the deletion, so that a swapped link cannot redirect the deletion.
	await using directory = await OpenDirectory.open(dirname(path));
	await rm(directory.at(basename(path)));
}

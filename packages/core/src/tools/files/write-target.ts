import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { defined, definedItems, ParleyError } from "@parley/base";
import { fileError, systemCode } from "../../filesystem/file-error.ts";
import {
	type ForbiddenPaths,
	isWithin,
	type ResolvedPath,
	resolvePath,
	shownPath,
} from "../../filesystem/paths.ts";
import {
	inOpenDirectory,
	OpenDirectory,
	openRegular,
	readChunks,
	refuseForbiddenHardLink,
	refuseSpecial,
} from "../../filesystem/regular-file.ts";
import { isControl, isInstructions, isSecret } from "../../filesystem/sensitive-paths.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import { absent, type FileState } from "../../vocabulary/file-change.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import type { ToolContext, ToolPlan, ToolResult } from "../../vocabulary/tool.ts";
import { pathTexts } from "./texts.ts";

/** A file that a call is about to write. */
export interface WriteTarget {
	/** Absolute real path. */
	readonly path: string;
	readonly root: string | undefined;
	/** Path for display. */
	readonly shown: string;
	readonly classes: readonly ActionClass[];
	readonly state: FileState;
}

/** Inspects the file at the path in `text`. Throws if even an approved call may not write the file. */
export async function findTarget(text: string, context: ToolContext): Promise<WriteTarget> {
	const resolved = await resolvePath(text, context);
	refuseLeavingLink(resolved, text, context);
	const { path, root } = resolved;
	const state = await inspectFile(path, text, context);
	return { path, root, shown: shownPath(path, context.cwd), classes: classesOf(resolved), state };
}

interface WritePlan {
	readonly preview: string;
	readonly note: string;
	/** Whether the note describes an ordinary call. Default: true. */
	readonly isUsual?: boolean;
	/** Text that the call inserts. */
	readonly text: string;
}

/** Returns the plan of a call that writes the target. The plan is bound to the target's path and current content. */
export function planWrite(
	{ tool, verb }: { readonly tool: string; readonly verb: string },
	{ path, root, shown, classes, state }: WriteTarget,
	{ preview, note, isUsual = true, text }: WritePlan,
	{ roots }: ToolContext,
): ToolPlan {
	return {
		label: `${verb} ${visible(shown)}`,
		classes,
		preview,
		binding: { path, before: state.fingerprint },
		...defined({
			grant: root !== undefined && classes.length === 1 ? ({ kind: "path", tool, root } as const) : undefined,
		}),
		...defined({ usualNotes: isUsual && classes.join() === "write" ? [note] : undefined }),
		notes: definedItems([
			note,
			classes.includes("outside-write") ? pathTexts.outside(roots) : undefined,
			classes.includes("secret") ? pathTexts.secret : undefined,
			classes.includes("control") ? controlNote(path) : undefined,
			...mixedScriptNotes(shown),
			...mixedScriptNotes(text),
		]),
	};
}

function controlNote(path: string): string {
	return isControl(path) || !isInstructions(path) ? pathTexts.controlsCommands : pathTexts.hasInstructions;
}

interface ApprovedTarget {
	readonly path: string;
	readonly root: string | undefined;
	readonly state: FileState;
}

/** Returns the approved path with its state if both match the plan. Otherwise, returns a description of the difference. */
export async function inspectApproved(
	text: string,
	{ binding }: ToolPlan,
	context: ToolContext,
): Promise<ApprovedTarget | string> {
	const { path, root } = await resolvePath(text, context);
	if (path !== binding["path"]) return pathTexts.leadsElsewhere;
	const state = await inspectFile(path, text, context);
	return state.fingerprint === binding["before"] ? { path, root, state } : pathTexts.otherContent;
}

/**
 * Returns the failed result of a tool call whose target changed after the approval. `changes` is the description that
 * `inspectApproved` returned.
 */
export function changed(changes: string): ToolResult {
	return { text: pathTexts.changed(changes), failed: true };
}

/** Replaces the file atomically, preserves its permissions, and records its earlier content for `/undo`. */
export async function putContent(
	{ path, root, state }: ApprovedTarget,
	{ content, shown }: { readonly content: string; readonly shown: string },
	context: ToolContext,
): Promise<void> {
	const { changes } = context;
	const after = createHash("sha256").update(content).digest("hex");
	// Recorded before the file changes, so that a crash leaves no change without its earlier content.
	const write = { path, before: state, after };
	await changes.begin(write);
	try {
		await replaceFile({ path, content, mode: state.mode, key: partKey(context) }, root !== undefined);
	} catch (reason) {
		await changes.end(write, "failed");
		throw fileError(pathTexts.cannotWrite(shown), reason);
	}
	await changes.end(write, "written");
}

/** Returns the part of a temporary file's name that is unique to the call. */
export function partKey({ sessionId, callId }: ToolContext): string {
	return createHash("sha256").update(`${sessionId} ${callId}`).digest("hex").slice(0, 16);
}

/** Refuses a path inside the roots that leads out of the roots through a link. */
function refuseLeavingLink({ path, written, root }: ResolvedPath, text: string, context: ToolContext): void {
	if (root !== undefined || !context.roots.some((entry) => isWithin(written, entry))) return;
	throw new ParleyError(pathTexts.link(text, path), { code: "permission_denied" });
}

/** Returns the action classes of a call that writes the path. */
export function classesOf({ path, written, root }: ResolvedPath): ActionClass[] {
	return definedItems([
		root === undefined ? "outside-write" : "write",
		isSecret(path, written) ? ("secret" as const) : undefined,
		isControl(path, written) || isInstructions(path, written) ? ("control" as const) : undefined,
	]);
}

/** Maximum bytes of content to read into memory. Larger content is only counted and hashed. */
export const MAX_STORED_BYTES = 256 * 1024;

/**
 * Reads the state of the file at a real path. A missing file has the fingerprint `absent`. Refuses a file that is not regular,
 * may not be written, or is a hard link to a file of the gateway.
 */
export async function inspectFile(
	path: string,
	shown: string,
	context: ForbiddenPaths & { readonly signal: AbortSignal },
): Promise<FileState> {
	try {
		await inOpenDirectory(path, async (inside) => {
			refuseSpecial(await lstat(inside, { bigint: true }), shown);
			await access(inside, constants.W_OK);
		});
	} catch (reason) {
		if (systemCode(reason) === "ENOENT") {
			return { fingerprint: absent, content: undefined, size: 0, mode: undefined };
		}
		throw fileError(pathTexts.cannotWrite(shown), reason);
	}
	await using file = await openRegular(path, shown);
	await refuseForbiddenHardLink(file, shown, context);
	const { mode } = await file.stat();
	const hash = createHash("sha256");
	const parts: Buffer[] = [];
	let size = 0;
	for await (const chunk of readChunks(file, shown, context.signal)) {
		hash.update(chunk);
		size += chunk.length;
		if (size <= MAX_STORED_BYTES) parts.push(chunk);
	}
	return {
		fingerprint: hash.digest("hex"),
		content: size <= MAX_STORED_BYTES ? Buffer.concat(parts) : undefined,
		size,
		mode: mode & 0o777,
	};
}

interface Replacement {
	/** Absolute real path. */
	readonly path: string;
	readonly content: string | Buffer;
	/** Permission bits of the file. If undefined, the file gets the default permissions. */
	readonly mode: number | undefined;
	/** Part of the temporary file's name. The key is unique to the tool call. */
	readonly key: string;
}

/**
 * Replaces a file atomically: writes and syncs a temporary file in the same directory, then renames it. If `makeParents`
 * is true, creates missing parent directories. Does not preserve the owner, hard links or extended attributes of the old
 * file. Opens the directory once, and uses this open directory for all operations. Throws `aborted` if a directory in the
 * path was replaced by a link.
 */
export async function replaceFile(replacement: Replacement, makeParents: boolean): Promise<void> {
	const { path, content, mode, key } = replacement;
	await using directory = await OpenDirectory.open(dirname(path), makeParents);
	const temporary = directory.at(`.parley-${key}.tmp`);
	// An interrupted call may have left a temporary file.
	await rm(temporary, { force: true });
	try {
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
		await using file = await open(temporary, flags, mode ?? 0o666);
		await file.writeFile(content);
		// `open` applies the umask of the process to the mode, so the mode is set again.
		if (mode !== undefined) await file.chmod(mode);
		await file.sync();
		await rename(temporary, directory.at(basename(path)));
	} catch (reason) {
		await rm(temporary, { force: true });
		throw reason;
	}
}

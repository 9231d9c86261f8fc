import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { access, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { defined, definedItems, ParleyError } from "@parley/base";
import { createTwoFilesPatch } from "diff";
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
import { mixedScriptNotes, visible, visibleLines } from "../../text/visible.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import type { ToolContext, ToolPlan, ToolResult } from "../../vocabulary/tool.ts";
import { pathTexts, writeFileTexts } from "./texts.ts";

/** A file that a call is about to write. */
export interface WriteTarget {
	/** Absolute real path. */
	readonly path: string;
	readonly root: string | undefined;
	/** Path in texts for people. */
	readonly shown: string;
	readonly classes: readonly ActionClass[];
	readonly state: FileState;
}

/** Finds the file that a path of the model means. Throws if no call may write the file. */
export async function findTarget(text: string, context: ToolContext): Promise<WriteTarget> {
	const resolved = await resolvePath(text, context);
	refuseLeavingLink(resolved, text, context);
	const { path, root } = resolved;
	const state = await inspectFile(path, text, context);
	return { path, root, shown: shownPath(path, context.cwd), classes: classesOf(resolved), state };
}

/** Texts of a plan in addition to the facts of its target. */
interface WritePlan {
	readonly preview: string;
	readonly note: string;
	/** Whether the note describes an ordinary call. Default: true. */
	readonly isUsual?: boolean;
	/** New content of the file. */
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

/** Returns the approved path with its state, or a description of the difference from the approved state. */
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

/** Returns the result of a call that `inspectApproved` stopped. */
export function changed(what: string): ToolResult {
	return { text: pathTexts.changed(what), failed: true };
}

/** Replaces the file atomically and preserves its permissions. */
export async function putContent(
	{ path, root, state: { mode } }: ApprovedTarget,
	{ content, shown }: { readonly content: string; readonly shown: string },
	{ sessionId, callId }: ToolContext,
): Promise<void> {
	const key = createHash("sha256").update(`${sessionId} ${callId}`).digest("hex").slice(0, 16);
	try {
		await replaceFile({ path, content, mode, key }, root !== undefined);
	} catch (reason) {
		throw fileError(pathTexts.cannotWrite(shown), reason);
	}
}

/** Refuses a path that looks like a path inside the roots but leads out of them through a link. */
function refuseLeavingLink({ path, written, root }: ResolvedPath, text: string, context: ToolContext): void {
	if (root !== undefined || !context.roots.some((entry) => isWithin(written, entry))) return;
	throw new ParleyError(pathTexts.link(text, path), { code: "permission_denied" });
}

function classesOf({ path, written, root }: ResolvedPath): ActionClass[] {
	return definedItems([
		root === undefined ? "outside-write" : "write",
		isSecret(path, written) ? ("secret" as const) : undefined,
		isControl(path, written) || isInstructions(path, written) ? ("control" as const) : undefined,
	]);
}

/** Maximum bytes of content kept in memory. Larger content is only counted and hashed. */
const MAX_STORED_BYTES = 256 * 1024;

export interface FileState {
	/** SHA-256 of the content in hexadecimal, or `absent`. */
	readonly fingerprint: string;
	/** Undefined if the file is missing or larger than 256 KiB. */
	readonly content: Buffer | undefined;
	readonly size: number;
	/** Permission bits to preserve. Undefined if the file is missing. */
	readonly mode: number | undefined;
}

/**
 * Reads the state of the file at a real path. Refuses a file that is not regular, may not be written, or is a hard link to a file
 * of the gateway.
 */
async function inspectFile(
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
			return { fingerprint: "absent", content: undefined, size: 0, mode: undefined };
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
	readonly content: string;
	/** Permission bits of the file. If undefined, the file gets the default permissions. */
	readonly mode: number | undefined;
	/** Part of the name of the temporary file, unique to this call. */
	readonly key: string;
}

/**
 * Replaces a file completely or not at all: writes and syncs a file beside it, then renames it. With `makeParents`, creates
 * missing parent directories. Does not preserve owner, hard links and extended attributes of the old file. All operations use the
 * directory that was opened first. Throws `aborted` if a directory of the path became a link.
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
		// The umask of the process removed bits from the mode in `open`.
		if (mode !== undefined) await file.chmod(mode);
		await file.sync();
		await rename(temporary, directory.at(basename(path)));
	} catch (reason) {
		await rm(temporary, { force: true });
		throw reason;
	}
}

/**
 * Maximum edits in a diff. Texts that differ more are shown as completely replaced, because the time for the shortest diff grows
 * with the square of the edits.
 */
const MAX_EDITS = 1_000;

/** Current content: absent, a text for a diff, or content that is not shown, with the reason. */
export type OldContent =
	| { readonly kind: "absent" }
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "hidden"; readonly reason: string };

/**
 * Returns a unified diff from the old to the new content. It contains all changed lines of the new text, and makes invisible
 * characters visible.
 */
export function previewWrite(path: string, old: OldContent, content: string): string {
	// Invisible characters are escaped before the comparison, so that the diff shows every difference.
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

/** Returns a diff that deletes every old line and adds every new line. */
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
	return [...lines.slice(0, -1), `${lines.at(-1)}\n${writeFileTexts.noNewline}`];
}

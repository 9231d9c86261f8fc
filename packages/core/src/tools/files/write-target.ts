import { createHash } from "node:crypto";
import { ParleyError } from "@parley/base";
import { fileError } from "../../filesystem/file-error.ts";
import { isWithin, type ResolvedPath, resolvePath, shownPath } from "../../filesystem/paths.ts";
import { isControl, isSecret } from "../../filesystem/sensitive-paths.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import type { ActionClass } from "../../vocabulary/action-class.ts";
import type { ToolContext, ToolPlan, ToolResult } from "../../vocabulary/tool.ts";
import { type FileState, inspectFile } from "./file-state.ts";
import { replaceFile } from "./replace-file.ts";

/** A file that a call is about to write. */
export interface WriteTarget {
	/** Absolute and real. */
	readonly path: string;
	readonly root: string | undefined;
	/** For people. */
	readonly shown: string;
	readonly classes: readonly ActionClass[];
	readonly state: FileState;
}

/** Looks at the file that a written path means, and refuses what no call may write. */
export async function findTarget(text: string, context: ToolContext): Promise<WriteTarget> {
	const resolved = await resolvePath(text, context);
	refuseLeavingLink(resolved, text, context);
	const { path, root } = resolved;
	const state = await inspectFile(path, text, context);
	return { path, root, shown: shownPath(path, context.cwd), classes: classesOf(resolved), state };
}

/** What a plan tells beside the facts of its target. */
interface Told {
	readonly preview: string;
	readonly note: string;
	/** What the call puts into the file. */
	readonly text: string;
}

/** The plan of a call that writes the target: bound to the place and to what stands there. */
export function planWrite(
	{ tool, verb }: { readonly tool: string; readonly verb: string },
	{ path, root, shown, classes, state }: WriteTarget,
	{ preview, note, text }: Told,
	{ roots }: ToolContext,
): ToolPlan {
	return {
		label: `${verb} ${visible(shown)}`,
		classes,
		preview,
		binding: { path, before: state.fingerprint },
		...(root !== undefined && classes.length === 1 && { grant: { kind: "path", tool, root } }),
		notes: [
			note,
			...(classes.includes("outside-write") ? [`outside of ${roots.join(", ")}`] : []),
			...(classes.includes("secret") ? ["may hold keys or passwords"] : []),
			...(classes.includes("control") ? ["decides what runs later, by itself"] : []),
			...mixedScriptNotes(shown),
			...mixedScriptNotes(text),
		],
	};
}

type ApprovedTarget = Pick<WriteTarget, "path" | "root" | "state">;

/** The approved place and what stands there, or in words what is no longer as it was approved. */
export async function inspectApproved(
	text: string,
	{ binding }: ToolPlan,
	context: ToolContext,
): Promise<ApprovedTarget | string> {
	const { path, root } = await resolvePath(text, context);
	if (path !== binding["path"]) return "the path leads to another file";
	const state = await inspectFile(path, text, context);
	return state.fingerprint === binding["before"] ? { path, root, state } : "the file has other content now";
}

/** The result of a call that was stopped by what `inspectApproved` found. */
export function changed(what: string): ToolResult {
	return { text: `changed since it was approved: ${what}; nothing was written`, failed: true };
}

/** Puts the content in place, whole or not at all, and keeps the permissions of what stood there. */
export async function putContent(
	{ path, root, state: { mode } }: ApprovedTarget,
	{ content, shown }: { readonly content: string; readonly shown: string },
	{ sessionId, callId }: ToolContext,
): Promise<void> {
	const key = createHash("sha256").update(`${sessionId} ${callId}`).digest("hex").slice(0, 16);
	try {
		await replaceFile({ path, content, mode, key }, root !== undefined);
	} catch (reason) {
		throw fileError(`cannot write ${JSON.stringify(shown)}`, reason);
	}
}

/** A path that reads as one inside the roots must not be one outside of them. */
function refuseLeavingLink({ path, written, root }: ResolvedPath, text: string, context: ToolContext): void {
	if (root !== undefined || !context.roots.some((entry) => isWithin(written, entry))) return;
	throw new ParleyError(
		`${JSON.stringify(text)} leads out of the roots by a symbolic link: write ${JSON.stringify(path)} if that is meant`,
		{ code: "permission_denied" },
	);
}

function classesOf({ path, written, root }: ResolvedPath): ActionClass[] {
	return [
		root === undefined ? "outside-write" : "write",
		...(isSecret(path, written) ? (["secret"] as const) : []),
		...(isControl(path, written) ? (["control"] as const) : []),
	];
}

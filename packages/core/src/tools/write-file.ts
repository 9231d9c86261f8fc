import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { type ActionClass, defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../tool.ts";
import { fileError } from "./file-error.ts";
import { type FileState, inspectFile } from "./file-state.ts";
import { isWithin, type ResolvedPath, resolvePath, shownPath } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";
import { isControl, isSecret } from "./sensitive-paths.ts";
import { mixedScriptNotes, visible } from "./visible.ts";
import { type OldContent, previewWrite } from "./write-preview.ts";

const MAX_BYTES = 256 * 1024;

const parameters = z.strictObject({
	path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
	content: z.string().describe("The whole new content of the file, at most 256 KiB."),
});
type Arguments = z.infer<typeof parameters>;

/** Writes a whole file, atomically; keeps its permissions, makes missing directories inside the roots. */
export const writeFile = defineTool<Arguments>({
	name: "write_file",
	description:
		"Writes a text file: makes a new one with its missing directories, or replaces the whole content of one that " +
		"is there. Use it instead of a command that redirects into a file, because the person who is asked sees the " +
		"difference. Read the file first, and write all of it, not only what changes. Not for binary files, not for " +
		"adding to a log.",
	parameters,
	effect: "effectful",
	plan,
	run,
});

async function plan({ path: text, content }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const bytes = Buffer.byteLength(content);
	if (bytes > MAX_BYTES) {
		throw new ParleyError(`the content has ${bytes} bytes, at most ${MAX_BYTES} can be written at once`, {
			code: "invalid_argument",
		});
	}
	const target = await resolvePath(text, context);
	refuseLeavingLink(target, text, context);
	const state = await inspectFile(target.path, text, context.signal);
	if (target.root === undefined && state.mode === undefined) await requireDirectory(target.path, text);
	const classes = classesOf(target);
	const shown = shownPath(target.path, context.cwd);
	return {
		label: `write ${visible(shown)}`,
		classes,
		preview: previewWrite(shown, oldContent(state, classes), content),
		binding: { path: target.path, before: state.fingerprint },
		...(target.root !== undefined &&
			classes.length === 1 && { grant: { kind: "path", tool: "write_file", root: target.root } }),
		notes: notesOf(classes, state, context, [...mixedScriptNotes(shown), ...mixedScriptNotes(content)]),
	};
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const { path, root } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) return changed("the path leads to another file");
	const state = await inspectFile(path, args.path, context.signal);
	if (state.fingerprint !== approved.binding["before"]) return changed("the file has other content now");
	const key = createHash("sha256")
		.update(`${context.sessionId} ${context.callId}`)
		.digest("hex")
		.slice(0, 16);
	try {
		await replaceFile({ path, content: args.content, mode: state.mode, key }, root !== undefined);
	} catch (reason) {
		throw fileError(`cannot write ${JSON.stringify(args.path)}`, reason);
	}
	const what = state.mode === undefined ? "a new file" : `replaced ${state.size} bytes`;
	return { text: `wrote ${Buffer.byteLength(args.content)} bytes to ${args.path} (${what})`, failed: false };
}

function changed(what: string): ToolResult {
	return { text: `changed since it was approved: ${what}; nothing was written`, failed: true };
}

/** A path that reads as one inside the roots must not be one outside of them. */
function refuseLeavingLink({ path, written, root }: ResolvedPath, text: string, context: ToolContext): void {
	if (root !== undefined || !context.roots.some((entry) => isWithin(written, entry))) return;
	throw new ParleyError(
		`${JSON.stringify(text)} leads out of the roots by a symbolic link: write ${JSON.stringify(path)} if that is meant`,
		{ code: "permission_denied" },
	);
}

async function requireDirectory(path: string, text: string): Promise<void> {
	try {
		await stat(dirname(path));
	} catch (cause) {
		throw new ParleyError(
			`cannot write ${JSON.stringify(text)}: outside of the roots no directory is made, and its own is not there`,
			{ code: "not_found", cause },
		);
	}
}

function classesOf({ path, written, root }: ResolvedPath): ActionClass[] {
	return [
		root === undefined ? "outside-write" : "write",
		...(isSecret(path, written) ? (["secret"] as const) : []),
		...(isControl(path, written) ? (["control"] as const) : []),
	];
}

function oldContent(state: FileState, classes: readonly ActionClass[]): OldContent {
	if (state.mode === undefined) return { kind: "absent" };
	if (classes.includes("secret")) return { kind: "hidden", reason: "(the old content is kept secret)" };
	const binary = state.content?.includes(0);
	if (state.content === undefined || binary) {
		const why = binary ? "binary" : "too long to show";
		return { kind: "hidden", reason: `(the old content, ${state.size} bytes, is ${why})` };
	}
	return { kind: "text", text: state.content.toString() };
}

function notesOf(
	classes: readonly ActionClass[],
	state: FileState,
	context: ToolContext,
	more: readonly string[],
): string[] {
	return [
		state.mode === undefined ? "makes a new file" : `replaces a file of ${state.size} bytes`,
		...(classes.includes("outside-write") ? [`outside of ${context.roots.join(", ")}`] : []),
		...(classes.includes("secret") ? ["may hold keys or passwords"] : []),
		...(classes.includes("control") ? ["decides what runs later, by itself"] : []),
		...more,
	];
}

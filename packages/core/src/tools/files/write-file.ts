import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { pathLeniency } from "../../filesystem/paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import {
	changed,
	findTarget,
	inspectApproved,
	type OldContent,
	planWrite,
	previewWrite,
	putContent,
	type WriteTarget,
} from "./write-target.ts";

const MAX_BYTES = 256 * 1024;

const parameters = () =>
	z.strictObject({
		path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
		content: z.string().describe("The complete new content of the file, at most 256 KiB."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Writes a complete file, atomically. Preserves its permissions, and creates missing directories inside the roots. */
export const writeFile = defineTool<Arguments>({
	name: "write_file",
	description:
		"Writes a text file: creates it with its missing directories, or replaces the complete content of an existing " +
		"file. Use it for new files and to change most of a file, instead of a command that redirects into a file: " +
		"approvers see the difference. Read the file first, and write all of it. Takes up to 256 KiB. Not for " +
		"changing a part of a file (edit_file), for binary files, or for appending to a log.",
	parameters,
	accepts: {
		names: ["write"],
		ignored: ["description"],
		parameters: { path: pathLeniency, content: { names: ["contents"] } },
	},
	effect: "effectful",
	usual: ["write"],
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
	const target = await findTarget(text, context);
	const { state, shown } = target;
	const isNew = state.mode === undefined;
	if (target.root === undefined && isNew) await requireDirectory(target.path, text);
	const preview = previewWrite(shown, oldContent(target), content);
	const note = isNew ? "creates a new file" : `replaces a file of ${state.size} bytes`;
	return planWrite({ tool: "write_file", verb: "write" }, target, { preview, note, text: content }, context);
}

async function run(
	{ path, content }: Arguments,
	approved: ToolPlan,
	context: ToolContext,
): Promise<ToolResult> {
	const target = await inspectApproved(path, approved, context);
	if (typeof target === "string") return changed(target);
	await putContent(target, { content, shown: path }, context);
	const what = target.state.mode === undefined ? "a new file" : `replaced ${target.state.size} bytes`;
	return { text: `wrote ${Buffer.byteLength(content)} bytes to ${path} (${what})`, failed: false };
}

async function requireDirectory(path: string, text: string): Promise<void> {
	try {
		await stat(dirname(path));
	} catch (cause) {
		throw new ParleyError(
			`cannot write ${JSON.stringify(text)}: its directory does not exist, and directories are created only inside the roots`,
			{ code: "not_found", cause },
		);
	}
}

function oldContent({ state, classes }: WriteTarget): OldContent {
	if (state.mode === undefined) return { kind: "absent" };
	if (classes.includes("secret")) return { kind: "hidden", reason: "(the old content is kept secret)" };
	const binary = state.content?.includes(0);
	if (state.content === undefined || binary) {
		const why = binary ? "binary" : "too long to show";
		return { kind: "hidden", reason: `(the old content, ${state.size} bytes, is ${why})` };
	}
	return { kind: "text", text: state.content.toString() };
}

import { ParleyError } from "@parley/base";
import * as z from "zod";
import { pathLeniency } from "../../filesystem/path-leniency.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { editableText, isOpen, lineNumbers, MAX_EDITABLE, nearest, places } from "./editable-file.ts";
import { editText, type TextEdit } from "./text-edit.ts";
import { previewWrite } from "./write-preview.ts";
import {
	changed,
	findTarget,
	inspectApproved,
	planWrite,
	putContent,
	type WriteTarget,
} from "./write-target.ts";

const parameters = () =>
	z.strictObject({
		path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
		old_text: z
			.string()
			.min(1)
			.max(MAX_EDITABLE)
			.describe("The text to replace, exactly as it stands in the file, with its white space."),
		new_text: z.string().max(MAX_EDITABLE).describe("What takes its place; empty to take it out."),
		occurrence: z
			.int()
			.min(1)
			.optional()
			.describe("Which one to replace, counted from 1, where the text is there several times."),
		replace_all: z.boolean().default(false).describe("Whether to replace it wherever it stands."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Replaces an exact text in a file, atomically; keeps line ends, byte order mark and permissions. */
export const editFile = defineTool<Arguments>({
	name: "edit_file",
	description:
		"Replaces a text in a file by another. Use it to change a part of a file: read the file first, then give the text " +
		"as it stands there, with so many lines around it that it is there only once, or say which one is meant, or " +
		"replace_all. Line ends are kept. Takes files up to 256 KiB. Not for new files, and not for writing most of a " +
		"file anew (write_file).",
	parameters,
	accepts: {
		names: ["edit"],
		ignored: ["description"],
		parameters: {
			path: pathLeniency,
			old_text: { names: ["old_string", "old_str"] },
			new_text: { names: ["new_string", "new_str"] },
		},
	},
	effect: "effectful",
	usual: ["write"],
	plan,
	run,
});

async function plan(args: Arguments, context: ToolContext): Promise<ToolPlan> {
	refuseSenseless(args);
	const target = await findTarget(args.path, context);
	const old = textOf(target, args.path);
	const edit = makeEdit(old, args);
	// Elsewhere not even that the text is there may be told before somebody has allowed it.
	if (edit.kind !== "edited" && isOpen(target)) throw missed(args, edit, old);
	const parts = {
		preview: previewOf(target, old, args, edit),
		note: edit.kind === "edited" ? `changes ${places(edit.lines)}` : "the text may not be there",
		text: args.new_text,
	};
	return planWrite({ tool: "edit_file", verb: "edit" }, target, parts, context);
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const target = await inspectApproved(args.path, approved, context);
	if (typeof target === "string") return changed(target);
	const edit = makeEdit(textOf(target, args.path), args);
	if (edit.kind !== "edited") throw missed(args, edit);
	await putContent(target, { content: edit.text, shown: args.path }, context);
	return { text: `edited ${args.path}: ${places(edit.lines)}`, failed: false };
}

function refuseSenseless({ old_text, new_text, occurrence, replace_all }: Arguments): void {
	const fault =
		old_text === new_text
			? "old_text and new_text are the same: nothing would change"
			: occurrence !== undefined && replace_all
				? "occurrence and replace_all exclude each other"
				: undefined;
	if (fault !== undefined) throw new ParleyError(fault, { code: "invalid_argument" });
}

function textOf({ state }: Pick<WriteTarget, "state">, path: string): string {
	return editableText(state, { path, maker: "write_file" });
}

function makeEdit(text: string, { old_text, new_text, occurrence, replace_all }: Arguments): TextEdit {
	return editText(text, {
		oldText: old_text,
		newText: new_text,
		which: replace_all ? "all" : (occurrence ?? "only"),
		maxLength: MAX_EDITABLE,
	});
}

function previewOf({ shown, classes }: WriteTarget, old: string, args: Arguments, edit: TextEdit): string {
	if (classes.includes("secret")) {
		const part = previewWrite(shown, { kind: "text", text: args.old_text }, args.new_text);
		return `(the rest of the file is kept secret)\n${part}`;
	}
	if (edit.kind !== "edited") return "(as the file is, nothing would change)";
	return previewWrite(shown, { kind: "text", text: old }, edit.text);
}

/** Why there is no edit; with the file's text at hand also what comes near. */
function missed({ path, old_text, occurrence }: Arguments, edit: TextEdit, text?: string): ParleyError {
	const fault = (message: string): ParleyError => new ParleyError(message, { code: "invalid_argument" });
	if (edit.kind === "too-long") {
		return fault(`${JSON.stringify(path)} would become longer than ${MAX_EDITABLE} characters`);
	}
	const { lines } = edit;
	if (lines.length === 0) {
		return fault(
			`old_text is not in ${JSON.stringify(path)}${text === undefined ? "" : nearest(text, old_text)}`,
		);
	}
	const where = text === undefined ? "" : ` (${lineNumbers(lines)})`;
	if (occurrence !== undefined) {
		return fault(`old_text is there ${lines.length} times${where}: there is no occurrence ${occurrence}`);
	}
	return fault(
		`old_text is there ${lines.length} times${where}: add lines around it, or set occurrence or replace_all`,
	);
}

import { isUtf8 } from "node:buffer";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../tool.ts";
import type { FileState } from "./file-state.ts";
import { findNearestLines } from "./nearest-lines.ts";
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

const MAX_LENGTH = 256 * 1024;
const MAX_NAMED_LINES = 10;
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT = 4_000;

const parameters = z.strictObject({
	path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
	old_text: z
		.string()
		.min(1)
		.max(MAX_LENGTH)
		.describe("The text to replace, exactly as it stands in the file, with its white space."),
	new_text: z.string().max(MAX_LENGTH).describe("What takes its place; empty to take it out."),
	occurrence: z
		.int()
		.min(1)
		.optional()
		.describe("Which one to replace, counted from 1, where the text is there several times."),
	replace_all: z.boolean().default(false).describe("Whether to replace it wherever it stands."),
});
type Arguments = z.infer<typeof parameters>;

/** Replaces an exact text in a file, atomically; keeps line ends, byte order mark and permissions. */
export const editFile = defineTool<Arguments>({
	name: "edit_file",
	description:
		"Replaces a text in a file by another. Use it to change a part of a file: read the file first, then give the text " +
		"as it stands there, with so many lines around it that it is there only once, or say which one is meant, or " +
		"replace_all. Line ends are kept. Takes files up to 256 KiB. Not for new files, and not for writing most of a " +
		"file anew (write_file).",
	parameters,
	effect: "effectful",
	plan,
	run,
});

async function plan(args: Arguments, context: ToolContext): Promise<ToolPlan> {
	refuseSenseless(args);
	const target = await findTarget(args.path, context);
	const old = textOf(target.state, args.path);
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
	const edit = makeEdit(textOf(target.state, args.path), args);
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

/** Whether what stands in the file may be read without asking, so that answers may tell it. */
function isOpen({ root, classes }: WriteTarget): boolean {
	return root !== undefined && !classes.includes("secret");
}

function textOf({ mode, content, size }: FileState, path: string): string {
	const refuse = (why: string, code: "not_found" | "invalid_argument"): never => {
		throw new ParleyError(`cannot edit ${JSON.stringify(path)}: ${why}`, { code });
	};
	if (mode === undefined) return refuse("there is no such file, write_file makes new ones", "not_found");
	if (content === undefined) {
		return refuse(`it has ${size} bytes, at most ${MAX_LENGTH} can be edited`, "invalid_argument");
	}
	if (content.includes(0)) return refuse("it is a binary file", "invalid_argument");
	// Bytes that are no text would not survive.
	if (!isUtf8(content)) return refuse("it is not UTF-8 text", "invalid_argument");
	return content.toString();
}

function makeEdit(text: string, { old_text, new_text, occurrence, replace_all }: Arguments): TextEdit {
	return editText(text, {
		oldText: old_text,
		newText: new_text,
		which: replace_all ? "all" : (occurrence ?? "only"),
		maxLength: MAX_LENGTH,
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
		return fault(`${JSON.stringify(path)} would become longer than ${MAX_LENGTH} characters`);
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

function nearest(text: string, wanted: string): string {
	if (text === "") return ", which is empty";
	const near = findNearestLines(text, wanted);
	if (near === undefined) return ", and no line of it comes near: read it again";
	const { first, last, lines, difference } = near;
	const excerpt = lines.slice(0, MAX_EXCERPT_LINES).join("\n").slice(0, MAX_EXCERPT).toWellFormed();
	const whole = excerpt.length === lines.join("\n").length ? "" : "\n[… cut …]";
	return `; ${difference}. Nearest are lines ${first} to ${last}:\n${excerpt}${whole}`;
}

function places(lines: readonly number[]): string {
	return `${lines.length === 1 ? "one place" : `${lines.length} places`}, ${lineNumbers(lines)}`;
}

function lineNumbers(lines: readonly number[]): string {
	const named = [...new Set(lines)];
	const more = named.length - MAX_NAMED_LINES;
	const shown = named.slice(0, MAX_NAMED_LINES).join(", ");
	return `line${named.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

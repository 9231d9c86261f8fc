import { isUtf8 } from "node:buffer";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { pathLeniency } from "../../filesystem/paths.ts";
import type { FileState } from "../../vocabulary/file-change.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { findNearestLines } from "./nearest-lines.ts";
import { resultDiff } from "./result-diff.ts";
import { editFileTexts, pathTexts } from "./texts.ts";
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
		path: z.string().describe(pathTexts.file),
		old_text: z.string().min(1).max(MAX_EDITABLE).describe(editFileTexts.oldText),
		new_text: z.string().max(MAX_EDITABLE).describe(editFileTexts.newText),
		occurrence: z.int().min(1).optional().describe(editFileTexts.occurrence),
		replace_all: z.boolean().default(false).describe(editFileTexts.replaceAll),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Replaces an exact text in a file, atomically. Preserves line endings, byte order mark and permissions. */
export const editFile = defineTool<Arguments>({
	name: "edit_file",
	description: editFileTexts.description,
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
	refuseInvalid(args);
	const target = await findTarget(args.path, context);
	const old = textOf(target, args.path);
	const edit = makeEdit(old, args);
	// Outside the roots and in a secret file, the call may not reveal before its approval whether the text exists.
	if (edit.kind !== "edited" && mayQuote(target)) throw missed(args, edit, old);
	const parts = {
		preview: previewOf(target, old, args, edit),
		note: edit.kind === "edited" ? `changes ${places(edit.lines)}` : editFileTexts.textMissing,
		isUsual: edit.kind === "edited",
		text: args.new_text,
	};
	return planWrite({ tool: "edit_file", verb: "edit" }, target, parts, context);
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const target = await inspectApproved(args.path, approved, context);
	if (typeof target === "string") return changed(target);
	const before = textOf(target, args.path);
	const edit = makeEdit(before, args);
	if (edit.kind !== "edited") throw missed(args, edit);
	await putContent(target, { content: edit.text, shown: args.path }, context);
	const summary = `edited ${args.path}: ${places(edit.lines)}`;
	// Outside the roots and in a secret file, the lines around the text are private.
	const isPrivate = approved.classes.some((name) => name === "secret" || name === "outside-write");
	const diff = isPrivate ? "" : resultDiff(before, edit.text);
	return { text: diff === "" ? summary : `${summary}\n${diff}`, failed: false };
}

function refuseInvalid({ old_text, new_text, occurrence, replace_all }: Arguments): void {
	const fault =
		old_text === new_text
			? editFileTexts.sameText
			: occurrence !== undefined && replace_all
				? editFileTexts.exclusive
				: undefined;
	if (fault !== undefined) throw new ParleyError(fault, { code: "invalid_argument" });
}

function textOf({ state }: { readonly state: WriteTarget["state"] }, path: string): string {
	return editableText(state, { path, maker: "write_file" });
}

function makeEdit(text: string, { old_text, new_text, occurrence, replace_all }: Arguments): TextEdit {
	return editText(text, {
		oldText: old_text,
		newText: new_text,
		selection: replace_all ? "all" : (occurrence ?? "only"),
		maxLength: MAX_EDITABLE,
	});
}

function previewOf({ shown, classes }: WriteTarget, old: string, args: Arguments, edit: TextEdit): string {
	if (classes.includes("secret")) {
		const part = previewWrite(shown, { kind: "text", text: args.old_text }, args.new_text);
		return editFileTexts.secretRest(part);
	}
	if (edit.kind !== "edited") return editFileTexts.unchanged;
	return previewWrite(shown, { kind: "text", text: old }, edit.text);
}

/**
 * Returns the error for a failed edit. If `text`, the text of the file, is present, the error quotes similar lines or
 * names line numbers.
 */
function missed({ path, old_text, occurrence }: Arguments, edit: TextEdit, text?: string): ParleyError {
	const fault = (message: string): ParleyError => new ParleyError(message, { code: "invalid_argument" });
	if (edit.kind === "too-long") {
		return fault(editFileTexts.tooLong(path, MAX_EDITABLE));
	}
	const { lines } = edit;
	if (lines.length === 0) {
		return fault(editFileTexts.notFound(path, text === undefined ? "" : nearest(text, old_text)));
	}
	const where = text === undefined ? "" : ` (${lineNumbers(lines)})`;
	if (occurrence !== undefined) {
		return fault(editFileTexts.noOccurrence(lines.length, where, occurrence));
	}
	return fault(editFileTexts.ambiguous(lines.length, where));
}

/** Maximum UTF-16 units of the old, the new and the edited text, and maximum bytes of an editable file. */
export const MAX_EDITABLE = 256 * 1024;
const MAX_NAMED_LINES = 10;
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT = 4_000;

/** Whether the file may be read without approval, so that results may quote it. */
export function mayQuote({ root, classes }: WriteTarget): boolean {
	return root !== undefined && !classes.includes("secret");
}

/**
 * Returns the text of a file for an edit. Throws if the file is missing, too large, or not UTF-8 text. `maker` is the
 * tool that can create the file, for the error message.
 */
export function editableText(
	{ mode, content, size }: FileState,
	{ path, maker }: { readonly path: string; readonly maker: string },
): string {
	const refuse = (reason: string, code: "not_found" | "invalid_argument"): never => {
		throw new ParleyError(editFileTexts.cannotEdit(path, reason), { code });
	};
	if (mode === undefined) return refuse(editFileTexts.missing(maker), "not_found");
	if (content === undefined) {
		return refuse(editFileTexts.tooLarge(size, MAX_EDITABLE), "invalid_argument");
	}
	if (content.includes(0)) return refuse(editFileTexts.binary, "invalid_argument");
	// An edit would damage bytes that are not text.
	if (!isUtf8(content)) return refuse(editFileTexts.notText, "invalid_argument");
	return content.toString();
}

/** Returns the end of an error message: the most similar lines, or the reason why there are none. */
export function nearest(text: string, requested: string): string {
	if (text === "") return editFileTexts.emptyFile;
	const near = findNearestLines(text, requested);
	if (near === undefined) return editFileTexts.noSimilarLine;
	const { first, last, lines, difference } = near;
	const excerpt = lines.slice(0, MAX_EXCERPT_LINES).join("\n").slice(0, MAX_EXCERPT).toWellFormed();
	const rest = excerpt.length === lines.join("\n").length ? "" : "\n[… cut …]";
	return editFileTexts.nearest({ difference, first, last, excerpt, rest });
}

/** Returns the number of places and their line numbers, for example `one place, line 3`. */
export function places(lines: readonly number[]): string {
	return `${lines.length === 1 ? editFileTexts.onePlace : `${lines.length} places`}, ${lineNumbers(lines)}`;
}

/** Returns line numbers for a message, for example `lines 3, 5`. After ten numbers, the number of further lines follows. */
export function lineNumbers(lines: readonly number[]): string {
	const named = [...new Set(lines)];
	const more = named.length - MAX_NAMED_LINES;
	const shown = named.slice(0, MAX_NAMED_LINES).join(", ");
	return `line${named.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

export interface TextChange {
	readonly oldText: string;
	readonly newText: string;
	/** Occurrences to replace: the only one, the nth (from 1), or all. */
	readonly selection: "only" | "all" | number;
	/** Maximum length of the result in UTF-16 units. A longer result is not built. */
	readonly maxLength: number;
}

/**
 * For `edited`, `lines` has the line numbers, from 1, of the replaced occurrences. For `not-one`, `lines` has the line
 * numbers of all occurrences.
 */
type TextEdit =
	| { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
	| { readonly kind: "not-one"; readonly lines: readonly number[] }
	| { readonly kind: "too-long" };

/** Replaces the old text, which must match exactly. For line endings see `lineEndsOf`. */
export function editText(text: string, change: TextChange): TextEdit {
	const ends = lineEndsOf(text);
	const { oldText, newText } = change;
	const fitting = { ...change, oldText: ends.adapt(oldText), newText: ends.adapt(newText) };
	const edit = replacePlaces(ends.text, fitting);
	return edit.kind === "edited" ? { ...edit, text: ends.restore(edit.text) } : edit;
}

/**
 * A text, and conversions of line endings. `text` has the line endings that `adapt` returns. `restore` converts an edited
 * text to the original line endings.
 */
interface LineEnds {
	readonly text: string;
	adapt(part: string): string;
	restore(edited: string): string;
}

/**
 * Returns conversions of line endings. If the text uses only `\n` or only `\r\n`, the line endings of a change are converted to
 * that form.
 */
export function lineEndsOf(text: string): LineEnds {
	const same = (part: string): string => part;
	const plain = (part: string): string => part.replaceAll("\r\n", "\n");
	const returns = text.includes("\r\n");
	if (text.includes("\n") && !returns) return { text, adapt: plain, restore: same };
	if (!returns || /(?<!\r)\n/.test(text)) return { text, adapt: same, restore: same };
	return { text: plain(text), adapt: plain, restore: (edited) => edited.replaceAll("\n", "\r\n") };
}

function replacePlaces(text: string, { oldText, newText, selection, maxLength }: TextChange): TextEdit {
	const found = occurrences(text, oldText);
	const chosen = selection === "all" ? apart(found, oldText.length) : chooseOne(found, selection);
	if (chosen.length === 0) return { kind: "not-one", lines: linesOf(text, found) };
	const length = text.length + chosen.length * (newText.length - oldText.length);
	if (length > maxLength) return { kind: "too-long" };
	const parts: string[] = [];
	let end = 0;
	for (const start of chosen) {
		parts.push(text.slice(end, start), newText);
		end = start + oldText.length;
	}
	return { kind: "edited", text: parts.join("") + text.slice(end), lines: linesOf(text, chosen) };
}

function chooseOne(found: readonly number[], selection: "only" | number): readonly number[] {
	if (selection === "only") return found.length === 1 ? found : [];
	return found.slice(selection - 1, selection);
}

/**
 * Returns the positions without overlaps: omits each position that is less than `length` after the last returned
 * position.
 */
function apart(found: readonly number[], length: number): number[] {
	const shown: number[] = [];
	for (const start of found) if (start >= (shown.at(-1) ?? -length) + length) shown.push(start);
	return shown;
}

/** Returns the line number, from 1, of each position in `places`. The positions must be in ascending order. */
export function linesOf(text: string, places: readonly number[]): number[] {
	let [line, at] = [1, 0];
	return places.map((place) => {
		for (; at < place; at += 1) if (text.charCodeAt(at) === 0x0a) line += 1;
		return line;
	});
}

/**
 * Returns the positions of `part` in `text`, including overlapping ones. `part` must not be empty. Uses the
 * linear algorithm of Knuth, Morris and Pratt, because `indexOf` can take seconds for a malicious text.
 */
export function occurrences(text: string, part: string): number[] {
	const borders = bordersOf(part);
	const found: number[] = [];
	let matched = 0;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
		if (part.charCodeAt(matched) === unit) matched += 1;
		if (matched < part.length) continue;
		found.push(at - part.length + 1);
		matched = borders[matched - 1] ?? 0;
	}
	return found;
}

/**
 * Returns, for each prefix of `part`, the length of the longest proper suffix of that prefix that is also a prefix of
 * `part`.
 */
function bordersOf(part: string): Uint32Array {
	const borders = new Uint32Array(part.length);
	let length = 0;
	for (let at = 1; at < part.length; at += 1) {
		const unit = part.charCodeAt(at);
		while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
		if (part.charCodeAt(length) === unit) length += 1;
		borders[at] = length;
	}
	return borders;
}

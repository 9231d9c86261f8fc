import { ParleyError } from "@parley/base";
import * as z from "zod";
import { pathLeniency } from "../../filesystem/paths.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import {
	editableText,
	editFile,
	lineEndsOf,
	lineNumbers,
	linesOf,
	MAX_EDITABLE,
	mayQuote,
	nearest,
	occurrences,
	places,
} from "../files/edit-file.ts";
import { previewWrite } from "../files/write-preview.ts";
import {
	changed,
	findTarget,
	inspectApproved,
	planWrite,
	putContent,
	type WriteTarget,
} from "../files/write-target.ts";
import { editTexts } from "./texts.ts";

/** Maximum edits of a call, because each edit searches the complete file. */
const MAX_EDITS = 100;

const parameters = () =>
	z.strictObject({
		path: z.string().describe(editTexts.path),
		edits: z
			.array(
				z.strictObject({
					oldText: z.string().max(MAX_EDITABLE).describe(editTexts.oldText),
					newText: z.string().max(MAX_EDITABLE).describe(editTexts.newText),
				}),
			)
			.min(1)
			.max(MAX_EDITS)
			.describe(editTexts.edits),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;
type FailedEdit = Exclude<Replaced, { readonly kind: "edited" }>;

/** Variant of `edit_file` for several places. Makes all edits or none. */
export const edit = defineTool<Arguments>({
	name: "edit",
	ruleName: editFile.name,
	description: editTexts.description,
	parameters,
	accepts: {
		ignored: ["description"],
		parameters: {
			path: pathLeniency,
			oldText: { names: ["old_string", "old_str"] },
			newText: { names: ["new_string", "new_str"] },
		},
	},
	effect: editFile.effect,
	plan,
	run,
});

async function plan(args: Arguments, context: ToolContext): Promise<ToolPlan> {
	refuseInvalid(args);
	const target = await findTarget(args.path, context);
	const old = textOf(target, args);
	const result = replaceTexts(old, args.edits, MAX_EDITABLE);
	// Outside the roots and in a secret file, the call may not reveal before its approval whether a text exists.
	if (result.kind !== "edited" && mayQuote(target)) throw missed(args, result, old);
	const parts = {
		preview: previewOf(target, old, args, result),
		note: result.kind === "edited" ? `changes ${places(result.lines)}` : editTexts.textMissing,
		isUsual: result.kind === "edited",
		text: args.edits.map(({ newText }) => newText).join("\n"),
	};
	return planWrite({ tool: editFile.name, verb: "edit" }, target, parts, context);
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const target = await inspectApproved(args.path, approved, context);
	if (typeof target === "string") return changed(target);
	const result = replaceTexts(textOf(target, args), args.edits, MAX_EDITABLE);
	if (result.kind !== "edited") throw missed(args, result);
	await putContent(target, { content: result.text, shown: args.path }, context);
	return { text: `edited ${args.path}: ${places(result.lines)}`, failed: false };
}

function refuseInvalid({ edits }: Arguments): void {
	for (const [index, { oldText, newText }] of edits.entries()) {
		if (oldText === "") throw fault(editTexts.oldTextEmpty(index + 1));
		if (oldText === newText) throw fault(editTexts.sameText(index + 1));
	}
}

function textOf({ state }: { readonly state: WriteTarget["state"] }, { path }: Arguments): string {
	return editableText(state, { path, maker: "write" });
}

function previewOf(
	{ shown, classes }: WriteTarget,
	old: string,
	{ edits }: Arguments,
	result: Replaced,
): string {
	if (classes.includes("secret")) {
		const parts = edits.map(({ oldText, newText }) =>
			previewWrite(shown, { kind: "text", text: oldText }, newText),
		);
		return editTexts.secretRest(parts.join(""));
	}
	if (result.kind !== "edited") return editTexts.unchanged;
	return previewWrite(shown, { kind: "text", text: old }, result.text);
}

/**
 * Returns the error for a failed edit. If `text`, the text of the file, is present, the error quotes similar lines or
 * names line numbers.
 */
function missed({ path, edits }: Arguments, result: FailedEdit, text?: string): ParleyError {
	if (result.kind === "too-long") return fault(editTexts.tooLong(path, MAX_EDITABLE));
	if (result.kind === "overlap") {
		return fault(editTexts.overlap(result.one, result.other));
	}
	const { edit: number, lines } = result;
	const oldText = edits[number - 1]?.oldText ?? "";
	if (lines.length === 0) {
		return fault(editTexts.notFound(number, path, text === undefined ? "" : nearest(text, oldText)));
	}
	const where = text === undefined ? "" : `: ${lineNumbers(lines)}`;
	return fault(editTexts.ambiguous({ number, count: lines.length, path, where }));
}

function fault(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

export interface Replacement {
	/** Text to replace. Must not be empty. */
	readonly oldText: string;
	readonly newText: string;
}

/**
 * Result of the edits. `lines` are the line numbers, from 1, at which the old texts begin. For an ambiguous text, `lines`
 * are the line numbers of all occurrences. `edit`, `one` and `other` are the numbers of edits, from 1.
 */
export type Replaced =
	| { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
	| { readonly kind: "not-one"; readonly edit: number; readonly lines: readonly number[] }
	| { readonly kind: "overlap"; readonly one: number; readonly other: number }
	| { readonly kind: "too-long" };

interface Placed extends Replacement {
	readonly edit: number;
	readonly start: number;
}

/**
 * Makes all edits or none. Searches for each old text in the original text. Each old text must occur exactly once.
 * Overlapping occurrences are counted separately. Reports the first text that does not occur once, then an overlap,
 * then a result of more than `maxLength` UTF-16 units. For line endings see `lineEndsOf`.
 */
export function replaceTexts(
	original: string,
	replacements: readonly Replacement[],
	maxLength: number,
): Replaced {
	const { text, adapt, restore } = lineEndsOf(original);
	const placed: Placed[] = [];
	for (const [index, { oldText, newText }] of replacements.entries()) {
		const fitting = { oldText: adapt(oldText), newText: adapt(newText), edit: index + 1 };
		const found = occurrences(text, fitting.oldText);
		const [start] = found;
		if (start === undefined || found.length > 1) {
			return { kind: "not-one", edit: index + 1, lines: linesOf(text, found) };
		}
		placed.push({ ...fitting, start });
	}
	placed.sort((one, other) => one.start - other.start);
	const overlap = findOverlap(placed);
	if (overlap) return overlap;
	const grown = placed.reduce((sum, { oldText, newText }) => sum + newText.length - oldText.length, 0);
	if (text.length + grown > maxLength) return { kind: "too-long" };
	const starts = placed.map(({ start }) => start);
	return { kind: "edited", text: restore(put(text, placed)), lines: linesOf(text, starts) };
}

function findOverlap(placed: readonly Placed[]): Replaced | undefined {
	for (const [index, { start, edit }] of placed.entries()) {
		const before = placed[index - 1];
		if (!before || before.start + before.oldText.length <= start) continue;
		return { kind: "overlap", one: Math.min(before.edit, edit), other: Math.max(before.edit, edit) };
	}
	return undefined;
}

function put(text: string, placed: readonly Placed[]): string {
	const parts: string[] = [];
	let end = 0;
	for (const { start, oldText, newText } of placed) {
		parts.push(text.slice(end, start), newText);
		end = start + oldText.length;
	}
	return parts.join("") + text.slice(end);
}

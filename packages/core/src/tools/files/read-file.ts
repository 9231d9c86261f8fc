import type { FileHandle } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { pathLeniency } from "../../filesystem/path-leniency.ts";
import { forReading, resolvePath } from "../../filesystem/paths.ts";
import { openRegular, readAt, readChunks, refuseForbiddenTwin } from "../../filesystem/regular-file.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { isOutputName } from "../../vocabulary/kept-file.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { outputLimits } from "../shorten-output.ts";
import { type LineSlice, sliceLines } from "./line-slice.ts";
import { planRead } from "./plan-read.ts";
import { readPicture } from "./read-picture.ts";

const MAX_LINES = outputLimits.lines;
/** Limits of one page. The marker behind it has room below the limits of a result. */
const page = { characters: outputLimits.characters - 200, lines: MAX_LINES - 1 } as const;
/** A NUL among so many first bytes tells a binary file, as it does for git. */
const SNIFFED_BYTES = 8_000;

const parameters = () =>
	z.strictObject({
		path: z
			.string()
			.describe(
				"The file, relative to the working directory or absolute, or the name of a kept result (output_…). ~ is not expanded.",
			),
		offset: z.int().min(1).default(1).describe("The first line to read, counted from 1."),
		column: z
			.int()
			.min(1)
			.default(1)
			.describe(
				"The first character of that line, counted from 1. Use it only to continue inside a very long line.",
			),
		limit: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe("Maximum number of lines to read."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Reads lines of a text file, or of a kept result of an earlier call, in pages of at most 30,000 characters and 2,000
 * lines. A marker at the end of a page says how to continue. A picture is read as a whole, for the model to see.
 */
export const readFile = defineTool<Arguments>({
	name: "read_file",
	description:
		"Reads a text file, or a part of it; a picture (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Use it to " +
		"look at a file whose path you know; read a file before you change it. Returns at most 2,000 lines and 30,000 " +
		"characters; a marker at the end says how to continue. If a result of another call was shortened, the marker in it " +
		"names a kept file: read that with this tool. Not for directories (list_files), for finding text in many files " +
		"(search_files), for other binary files.",
	parameters,
	accepts: {
		names: ["read"],
		ignored: ["description"],
		parameters: {
			path: pathLeniency,
			offset: { fromZero: true },
			column: { fromZero: true },
			limit: { atMost: true },
		},
	},
	effect: "none",
	usual: ["read"],
	plan,
	run,
});

async function plan({ path: text }: Arguments, given: ToolContext): Promise<ToolPlan> {
	const context = forReading(text, given);
	if (isOutputName(text)) return planOutput(text);
	const resolved = await resolvePath(text, context);
	const secret = isSecret(resolved.path, resolved.written);
	return planRead({ tool: "read_file", verb: "read", secret }, resolved, context);
}

/** The model has seen parts of this result before, so reading the rest needs no approval. */
function planOutput(name: string): ToolPlan {
	const notes = ["the complete result of an earlier tool call"];
	return { label: `read ${name}`, classes: ["read"], preview: "", binding: { output: name }, notes };
}

async function run(args: Arguments, approved: ToolPlan, given: ToolContext): Promise<ToolResult> {
	const context = forReading(args.path, given);
	if (isOutputName(args.path)) {
		await using output = await context.openOutput(args.path);
		return await readPage(output, args, context);
	}
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: "changed since it was approved: the path leads to another file", failed: true };
	}
	await using file = await openRegular(path, args.path);
	await refuseForbiddenTwin(file, args.path, context);
	if (await isBinary(file, args.path)) return await readBinary(file, args, context);
	return await readPage(file, args, context);
}

async function readPage(file: FileHandle, args: Arguments, { signal }: ToolContext): Promise<ToolResult> {
	const { offset: first, column, limit } = args;
	const slice = await sliceLines(readChunks(file, args.path, signal), {
		...{ first, column, lines: Math.min(limit, page.lines), characters: page.characters },
	});
	return { text: describe(slice, args), failed: slice.total !== undefined && first > 1 };
}

/** Also where it is a picture: the headers of all kinds hold NULs. */
async function isBinary(file: FileHandle, shown: string): Promise<boolean> {
	const start = await readAt(file, shown, { position: 0, length: SNIFFED_BYTES });
	return start.includes(0);
}

async function readBinary(file: FileHandle, args: Arguments, context: ToolContext): Promise<ToolResult> {
	const picture = await readPicture(file, args.path, context.signal);
	if (picture) {
		const whole = args.offset === 1 && args.limit === MAX_LINES;
		return whole
			? picture
			: { ...picture, text: `${picture.text}\n[offset and limit are for text: all of it is shown]` };
	}
	const { size } = await file.stat();
	const what = `${JSON.stringify(args.path)} is a binary file of ${size} bytes`;
	throw new ParleyError(`${what}; only text and pictures (PNG, JPEG, GIF, WebP) are read`, {
		code: "invalid_argument",
	});
}

function describe({ text, next, total }: LineSlice, { offset, path }: Arguments): string {
	if (total !== undefined) {
		if (offset === 1) return "(empty file)";
		return `${JSON.stringify(path)} has ${total} lines; there is no line ${offset}`;
	}
	if (next === undefined) return text;
	const { line, column } = next;
	if (column === undefined) return `${text}[… more lines follow: go on with offset ${line} …]`;
	return `${text}\n[… line ${line} continues: go on with offset ${line} and column ${column} …]`;
}

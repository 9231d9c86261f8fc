import type { FileHandle } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import * as z from "zod";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../tool.ts";
import { type LineSlice, sliceLines } from "./line-slice.ts";
import { resolvePath } from "./paths.ts";
import { planRead } from "./plan-read.ts";
import { readPicture } from "./read-picture.ts";
import { openRegular, readAt, readChunks, refuseForbiddenTwin } from "./regular-file.ts";
import { isSecret } from "./sensitive-paths.ts";

const MAX_LINES = 2_000;
const MAX_BYTES = 256 * 1024;
/** A NUL among so many first bytes tells a binary file, as it does for git. */
const SNIFFED_BYTES = 8_000;

const parameters = z.strictObject({
	path: z.string().describe("The file, relative to the working directory or absolute. ~ is not expanded."),
	offset: z.int().min(1).default(1).describe("The first line to read, counted from 1."),
	limit: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe("How many lines to read."),
});
type Arguments = z.infer<typeof parameters>;

/**
 * Reads lines of a text file: at most 2000 lines and 256 KiB, with a marker that tells how to go on. A picture is read
 * as a whole, for the model to see.
 */
export const readFile = defineTool<Arguments>({
	name: "read_file",
	description:
		"Reads a text file, or a part of it; a picture (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Use it to " +
		"look at a file whose path you know; read a file before you change it. Returns at most 2000 lines and 256 KiB; a " +
		"marker at the end tells the offset to go on with. Not for directories (list_files), for finding text in many " +
		"files (search_files), for other binary files.",
	parameters,
	effect: "none",
	plan,
	run,
});

async function plan({ path: text }: Arguments, context: ToolContext): Promise<ToolPlan> {
	const resolved = await resolvePath(text, context);
	const secret = isSecret(resolved.path, resolved.written);
	return planRead({ tool: "read_file", verb: "read", secret }, resolved, context);
}

async function run(args: Arguments, approved: ToolPlan, context: ToolContext): Promise<ToolResult> {
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: "changed since it was approved: the path leads to another file", failed: true };
	}
	await using file = await openRegular(path, args.path);
	await refuseForbiddenTwin(file, args.path, context);
	if (await isBinary(file, args.path)) return await readBinary(file, args, context);
	const chunks = readChunks(file, args.path, context.signal);
	const slice = await sliceLines(chunks, { first: args.offset, lines: args.limit, bytes: MAX_BYTES });
	return { text: describe(slice, args), failed: slice.total !== undefined && args.offset > 1 };
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

function describe({ text, next, cut, total }: LineSlice, { offset, path }: Arguments): string {
	if (total !== undefined) {
		if (offset === 1) return "(empty file)";
		return `${JSON.stringify(path)} has ${total} lines; there is no line ${offset}`;
	}
	if (cut) {
		return `${text}\n[… the rest of line ${offset}, which is longer than 256 KiB, left out; the next line is offset ${next} …]`;
	}
	if (next === undefined) return text;
	return `${text}[… more lines follow: go on with offset ${next} …]`;
}

import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { defined, definedItems, ParleyError } from "@parley/base";
import * as z from "zod";
import { mediaTypeOf, sampleBytes } from "../../files/content-facts.ts";
import { imageSize, maxImageBytes, maxImageSide } from "../../files/images.ts";
import {
	forReading,
	pathLeniency,
	type ResolvedPath,
	resolvePath,
	shownPath,
} from "../../filesystem/paths.ts";
import { openRegular, readAt, readChunks, refuseForbiddenHardLink } from "../../filesystem/regular-file.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { outputLimits } from "../../text/shorten-output.ts";
import { mixedScriptNotes, visible } from "../../text/visible.ts";
import { type ImageType, isImageType } from "../../vocabulary/message.ts";
import { isOutputName, sizeOf } from "../../vocabulary/stored-file.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { pathTexts, readFileTexts } from "./texts.ts";

const MAX_LINES = outputLimits.lines;
/** Limits of a page. They leave room for the marker after the page. */
const page = { characters: outputLimits.characters - 200, lines: MAX_LINES - 1 } as const;
/**
 * Number of bytes at the start of a file that are checked for NUL. A NUL marks a binary file. Git checks the same number
 * of bytes.
 */
const SNIFFED_BYTES = 8_000;

const parameters = () =>
	z.strictObject({
		path: z.string().describe(readFileTexts.path),
		offset: z.int().min(1).default(1).describe(readFileTexts.offset),
		column: z.int().min(1).default(1).describe(readFileTexts.column),
		limit: z.int().min(1).max(MAX_LINES).default(MAX_LINES).describe(readFileTexts.limit),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Reads lines of a text file or a stored result, in pages of at most 30,000 characters and 2,000 lines. A marker at the
 * end of a page explains how to continue. Reads an image completely and shows it to the model.
 */
export const readFile = defineTool<Arguments>({
	name: "read_file",
	description: readFileTexts.description,
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

async function plan({ path: text }: Arguments, toolContext: ToolContext): Promise<ToolPlan> {
	const context = forReading(text, toolContext);
	if (isOutputName(text)) return planOutput(text);
	const resolved = await resolvePath(text, context);
	const secret = isSecret(resolved.path, resolved.written);
	return planRead({ tool: "read_file", verb: "read", secret }, resolved, context);
}

function planOutput(name: string): ToolPlan {
	const notes = [readFileTexts.completeResult];
	// The model has already seen parts of the stored result, so reading it needs no approval.
	return { label: `read ${name}`, classes: ["read"], preview: "", binding: { output: name }, notes };
}

async function run(args: Arguments, approved: ToolPlan, toolContext: ToolContext): Promise<ToolResult> {
	const context = forReading(args.path, toolContext);
	if (isOutputName(args.path)) {
		await using output = await context.openOutput(args.path);
		return await readPage(output, args, context);
	}
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: pathTexts.otherFile, failed: true };
	}
	await using file = await openRegular(path, args.path);
	await refuseForbiddenHardLink(file, args.path, context);
	if (await isBinary(file, args.path)) return await readBinary(file, args, context);
	return await readPage(file, args, context);
}

async function readPage(file: FileHandle, args: Arguments, { signal }: ToolContext): Promise<ToolResult> {
	const { offset: first, column, limit } = args;
	const slice = await sliceLines(readChunks(file, args.path, signal), {
		first,
		column,
		lines: Math.min(limit, page.lines),
		characters: page.characters,
	});
	return { text: describe(slice, args), failed: slice.total !== undefined && first > 1 };
}

/** Whether the beginning of the file contains a NUL, as in image formats. */
async function isBinary(file: FileHandle, shown: string): Promise<boolean> {
	const start = await readAt(file, shown, { position: 0, length: SNIFFED_BYTES });
	return start.includes(0);
}

async function readBinary(file: FileHandle, args: Arguments, context: ToolContext): Promise<ToolResult> {
	const image = await readImage(file, args.path, context.signal);
	if (image) {
		const isWithoutRange = args.offset === 1 && args.limit === MAX_LINES;
		return isWithoutRange ? image : { ...image, text: readFileTexts.imageWithRange(image.text) };
	}
	const { size } = await file.stat();
	const description = readFileTexts.binary(args.path, size);
	throw new ParleyError(readFileTexts.binaryRefused(description), {
		code: "invalid_argument",
	});
}

function describe({ text, next, total }: LineSlice, { offset, path }: Arguments): string {
	if (total !== undefined) {
		if (offset === 1 || total === 0) return readFileTexts.empty;
		return readFileTexts.noLine(path, total, offset);
	}
	if (next === undefined) return text;
	const { line, column } = next;
	if (column === undefined) return readFileTexts.moreLines(text, line);
	return readFileTexts.lineContinues(text, line, column);
}

const NEW_LINE = 0x0a;

interface RequestedLines {
	/** Number of the first line, from 1. */
	readonly first: number;
	/** First character (UTF-16 unit) of that line, from 1. */
	readonly column: number;
	readonly lines: number;
	readonly characters: number;
}

export interface LineSlice {
	readonly text: string;
	/**
	 * Start of the next page, or undefined at the end of the file. If `column` is absent, the page starts at the
	 * beginning of the line.
	 */
	readonly next: { readonly line: number; readonly column?: number } | undefined;
	/** Number of lines in the file, if the file ends before the first requested line. */
	readonly total: number | undefined;
}

/**
 * Returns the requested lines of a text file, up to the requested number of characters. Cuts the end of a line only if it
 * is the first requested line and alone exceeds that number. Invalid UTF-8 and NUL become U+FFFD. Stores at most the
 * result and one chunk in memory.
 */
export async function sliceLines(
	chunks: AsyncIterable<Buffer>,
	requested: RequestedLines,
): Promise<LineSlice> {
	const page = new Page(requested);
	let [skipped, last] = [0, NEW_LINE];
	for await (const chunk of chunks) {
		last = chunk.at(-1) ?? last;
		const before = passNewLines(chunk, requested.first - 1 - skipped);
		skipped += before.found;
		page.add(chunk.subarray(before.end));
		if (page.full) break;
	}
	return page.end() ?? { text: "", next: undefined, total: skipped + (last === NEW_LINE ? 0 : 1) };
}

/** Collects the text of one page, and enough further text to know whether a further page follows. */
class Page {
	readonly #requested: RequestedLines;
	readonly #decoder = new StringDecoder("utf8");
	#hasOutput = false;
	/** Characters that remain to be skipped in the first line. */
	#skip: number;
	#text = "";
	/** Index after the last requested line, or undefined until it is known. */
	#lineEnd: number | undefined;
	#lines = 0;

	constructor(requested: RequestedLines) {
		this.#requested = requested;
		this.#skip = requested.column - 1;
	}

	/** Whether the collected text exceeds the page. */
	get full(): boolean {
		return (
			this.#text.length > Math.min(this.#lineEnd ?? Number.POSITIVE_INFINITY, this.#requested.characters)
		);
	}

	add(bytes: Buffer): void {
		this.#hasOutput ||= bytes.length > 0;
		this.#append(this.#decoder.write(bytes));
	}

	/** Returns the page, or undefined if nothing was added. */
	end(): LineSlice | undefined {
		if (!this.#hasOutput) return undefined;
		this.#append(this.#decoder.end());
		const { first, column, characters } = this.#requested;
		const text = this.#text.slice(0, this.#lineEnd);
		if (text.length <= characters) {
			const next = this.#text.length > text.length ? { line: first + this.#lines } : undefined;
			return { text, next, total: undefined };
		}
		const end = text.lastIndexOf("\n", characters - 1) + 1;
		if (end > 0) {
			const completeLines = text.slice(0, end);
			return { text: completeLines, next: { line: first + countNewLines(completeLines) }, total: undefined };
		}
		const cut = text.slice(0, isCutCharacter(text, characters) ? characters - 1 : characters);
		return { text: cut, next: { line: first, column: column + cut.length }, total: undefined };
	}

	#append(decoded: string): void {
		let text = decoded.replaceAll("\0", "\u{fffd}");
		if (this.#skip > 0) {
			const line = text.indexOf("\n");
			const skipped = Math.min(this.#skip, line === -1 ? text.length : line);
			this.#skip = line === -1 ? this.#skip - skipped : 0;
			text = text.slice(skipped);
		}
		const from = this.#text.length;
		this.#text += text;
		for (
			let at = text.indexOf("\n");
			at !== -1 && this.#lineEnd === undefined;
			at = text.indexOf("\n", at + 1)
		) {
			this.#lines += 1;
			if (this.#lines === this.#requested.lines) this.#lineEnd = from + at + 1;
		}
	}
}

/**
 * Finds up to `count` newlines. `end` is the index after the last found newline, or the chunk length if there
 * are fewer than `count`.
 */
function passNewLines(chunk: Buffer, count: number): { readonly end: number; readonly found: number } {
	let [end, found] = [0, 0];
	while (found < count) {
		const at = chunk.indexOf(NEW_LINE, end);
		if (at === -1) return { end: chunk.length, found };
		end = at + 1;
		found += 1;
	}
	return { end, found };
}

function countNewLines(text: string): number {
	return text.split("\n").length - 1;
}

/** Whether a cut at the index would divide a surrogate pair. */
function isCutCharacter(text: string, index: number): boolean {
	const unit = text.charCodeAt(index - 1);
	return unit >= 0xd800 && unit <= 0xdbff;
}

const names: Readonly<Record<ImageType, string>> = {
	"image/png": "PNG",
	"image/jpeg": "JPEG",
	"image/gif": "GIF",
	"image/webp": "WebP",
};

/**
 * Returns the result with the image, or undefined if the content is not of an image type for models. Throws
 * `invalid_argument` for a damaged or oversized image.
 */
async function readImage(
	file: FileHandle,
	shown: string,
	signal: AbortSignal,
): Promise<ToolResult | undefined> {
	const sample = await readAt(file, shown, { position: 0, length: sampleBytes });
	const mediaType = await mediaTypeOf(sample, false);
	if (!isImageType(mediaType)) return undefined;
	const description = readFileTexts.image(shown, names[mediaType]);
	const content = await readBounded(file, shown, signal);
	const smaller = readFileTexts.smallerCopy;
	if (content.length > maxImageBytes)
		throw invalid(readFileTexts.imageTooLarge(description, maxImageBytes, smaller));
	const pixels = imageSize(mediaType, content);
	if (!pixels) throw invalid(readFileTexts.imageDamaged(description));
	const { width, height } = pixels;
	if (Math.max(width, height) > maxImageSide) {
		throw invalid(
			readFileTexts.imageTooWide({ image: description, width, height, side: maxImageSide, smaller }),
		);
	}
	const text = `${description}, ${width} x ${height} pixels, ${sizeOf(content.length)}`;
	return { text, failed: false, images: [{ type: "image", mediaType, data: content.toString("base64") }] };
}

/** Returns the content of the file. Reads only enough of a large file to detect that the file exceeds the limit. */
async function readBounded(file: FileHandle, shown: string, signal: AbortSignal): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of readChunks(file, shown, signal)) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > maxImageBytes) break;
	}
	return Buffer.concat(chunks);
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

interface Reading {
	readonly tool: string;
	/** Verb of the label, for example `read`. The path follows the verb. */
	readonly verb: string;
	/** Whether the content may contain keys or passwords. */
	readonly secret: boolean;
}

/** Returns the plan of a tool call that reads a path. The plan is bound to that path. */
export function planRead(
	{ tool, verb, secret }: Reading,
	{ path, root }: ResolvedPath,
	{ cwd, roots }: ToolContext,
): ToolPlan {
	const classes: ActionClass[] = [root === undefined ? "outside-read" : "read"];
	if (secret) classes.push("secret");
	const shown = shownPath(path, cwd);
	return {
		label: `${verb} ${visible(shown)}`,
		classes,
		preview: "",
		binding: { path },
		...defined({
			grant: root !== undefined && classes.length === 1 ? ({ kind: "path", tool, root } as const) : undefined,
		}),
		notes: definedItems([
			root === undefined ? pathTexts.outside(roots) : undefined,
			secret ? pathTexts.secret : undefined,
			...mixedScriptNotes(shown),
		]),
	};
}

import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { definedItems, ParleyError } from "@parley/base";
import * as z from "zod";
import { fileError } from "../../filesystem/file-error.ts";
import { compileGlob } from "../../filesystem/glob.ts";
import { forReading, type ResolvedPath, resolvePath, shownPath } from "../../filesystem/paths.ts";
import { openRegular, refuseForbiddenHardLink } from "../../filesystem/regular-file.ts";
import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { completeLines, visible } from "../../text/visible.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../../vocabulary/tool.ts";
import { planRead } from "./read-file.ts";
import { pathTexts, searchFilesTexts } from "./texts.ts";
import { boundedLines, findTreeFiles, runRipgrep } from "./tree-files.ts";

const MAX_BYTES = 64 * 1024;

const parameters = () =>
	z.strictObject({
		pattern: z.string().min(1).max(1_000).describe(searchFilesTexts.pattern),
		path: z.string().default(".").describe(searchFilesTexts.path),
		glob: z.string().max(500).optional().describe(pathTexts.glob),
		ignore_case: z.boolean().default(false).describe(searchFilesTexts.ignoreCase),
		hidden: z.boolean().default(false).describe(searchFilesTexts.hidden),
		context: z.int().min(0).max(10).default(0).describe(searchFilesTexts.context),
		max_results: z.int().min(1).max(1_000).default(100).describe(searchFilesTexts.maxResults),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Searches lines of text files for a regular expression. In a directory, skips files that may contain keys, and
 * files that `findTreeFiles` leaves out.
 */
export const searchFiles = defineTool<Arguments>({
	name: "search_files",
	description: searchFilesTexts.description,
	parameters,
	accepts: {
		names: ["grep"],
		ignored: ["description"],
		parameters: {
			path: { names: ["directory", "file_path"] },
			glob: { names: ["include"] },
			ignore_case: { names: ["case_insensitive"] },
			context: { atMost: true },
			max_results: { names: ["limit", "head_limit"], atMost: true },
		},
	},
	effect: "none",
	usual: ["read"],
	plan,
	run,
});

async function plan({ pattern, path: text, glob }: Arguments, toolContext: ToolContext): Promise<ToolPlan> {
	const context = forReading(text, toolContext);
	if (pattern.includes("\0") || !pattern.isWellFormed()) {
		throw new ParleyError(searchFilesTexts.badText, {
			code: "invalid_argument",
		});
	}
	if (glob !== undefined) compileGlob(glob);
	const resolved = await resolvePath(text, context);
	const below = await isSearchedAsDirectory(resolved.path, text);
	if (!below) refuseFile(resolved, text);
	const verb = searchFilesTexts.label(visible(JSON.stringify(pattern)));
	return { ...planRead({ tool: "search_files", verb, secret: false }, resolved, context), below };
}

async function run(args: Arguments, approved: ToolPlan, toolContext: ToolContext): Promise<ToolResult> {
	const context = forReading(args.path, toolContext);
	const { path } = await resolvePath(args.path, context);
	if (path !== approved.binding["path"]) {
		return { text: searchFilesTexts.otherPlace, failed: true };
	}
	const search: LineSearch = {
		pattern: args.pattern,
		ignoreCase: args.ignore_case,
		context: args.context,
		maxMatches: args.max_results,
	};
	const { directory, files, notes } = await filesOf(path, args, context);
	await checkPattern(search, directory, context);
	const found = await searchLines(search, { directory, files }, context);
	const lines = shapeLines(await withoutSwapped(found.lines, directory, context), directory, context.cwd);
	const shown = boundedLines(lines, { count: lines.length, bytes: MAX_BYTES });
	const incomplete = shown.length < lines.length ? moreMatches : found.incomplete;
	const omissions = definedItems([
		shown.length === 0 ? searchFilesTexts.none(files.length) : undefined,
		incomplete,
		...notes,
	]);
	return { text: [...shown, ...omissions.map((omission) => `[… ${omission} …]`)].join("\n"), failed: false };
}

function refuseFile({ path, written }: ResolvedPath, text: string): void {
	const shown = JSON.stringify(text);
	if (isSecret(path, written)) {
		const reason = searchFilesTexts.secretFile(shown);
		throw new ParleyError(reason, { code: "permission_denied" });
	}
	// Control characters separate names from lines in ripgrep's output: see `MATCH`.
	if (!/\p{Cc}/u.test(basename(path))) return;
	throw new ParleyError(searchFilesTexts.controlCharacter(shown), {
		code: "invalid_argument",
	});
}

/**
 * Whether the path is a directory. Throws if the path cannot be inspected. Also throws if the path is neither a directory
 * nor a regular file, for example a named pipe, because a search could block forever.
 */
async function isSearchedAsDirectory(path: string, text: string): Promise<boolean> {
	let stats: Awaited<ReturnType<typeof stat>>;
	try {
		stats = await stat(path);
	} catch (reason) {
		throw fileError(searchFilesTexts.failed(text), reason);
	}
	if (stats.isDirectory() || stats.isFile()) return stats.isDirectory();
	throw new ParleyError(searchFilesTexts.notRegular(text), { code: "invalid_argument" });
}

interface Candidates {
	readonly directory: string;
	/** Paths relative to the directory. */
	readonly files: readonly string[];
	/** Notes about files that are left out. */
	readonly notes: readonly string[];
}

async function filesOf(path: string, args: Arguments, context: ToolContext): Promise<Candidates> {
	if (!(await isSearchedAsDirectory(path, args.path))) {
		return { directory: dirname(path), files: [basename(path)], notes: [] };
	}
	const { files: all, incomplete } = await findTreeFiles(path, args.hidden, context);
	const fitting = args.glob === undefined ? all : all.filter(compileGlob(args.glob));
	const files = fitting.filter((file) => !isSecret(join(path, file)));
	const left = fitting.length - files.length;
	const notes = definedItems([incomplete, left > 0 ? searchFilesTexts.secretFiles(left) : undefined]);
	return { directory: path, files, notes };
}

/** Removes the lines of files that are no longer regular files, and of files that are hard links to files of the gateway. */
async function withoutSwapped(
	lines: readonly MatchedLine[],
	directory: string,
	context: ToolContext,
): Promise<MatchedLine[]> {
	// Because ripgrep opens files by name, a file may have been replaced before the search.
	const open = new Set<string>();
	for (const file of new Set(lines.map((line) => line.file))) {
		if (await isOpen(join(directory, file), context)) open.add(file);
	}
	return lines.filter(({ file }) => open.has(file));
}

async function isOpen(path: string, context: ToolContext): Promise<boolean> {
	try {
		await using file = await openRegular(path, path);
		await refuseForbiddenHardLink(file, path, context);
		return true;
	} catch (reason) {
		// The file was deleted, replaced or forbidden, so its lines are left out.
		if (reason instanceof ParleyError && reason.code !== "internal") return false;
		throw reason;
	}
}

function shapeLines(lines: readonly MatchedLine[], directory: string, cwd: string): string[] {
	const shown = shownPath(directory, cwd);
	return lines.flatMap(({ file, number, text, isMatch, gap }, index) => {
		const mark = isMatch ? ":" : "-";
		const path = shown === "." ? file : join(shown, file);
		return definedItems([gap && index > 0 ? "--" : undefined, `${path}${mark}${number}${mark}${text}`]);
	});
}

/** Separators of path, number and text. No path contains a control character; see tree-files.ts. */
const MATCH = "\u{1f}";
const CONTEXT = "\u{1e}";
const RECORD = /^\.\/(\P{Cc}+)(\p{Cc})(\d+)\p{Cc}(.*)$/su;

/** Maximum bytes of file names for one start of ripgrep, far below the limits of operating systems. */
const MAX_ARGUMENT_BYTES = 128 * 1024;
/** Maximum bytes of output. If ripgrep writes more, only the first `MAX_OUTPUT_BYTES / 2` bytes are used. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COLUMNS = 500;

interface LineSearch {
	/** Regular expression for ripgrep's default engine, which takes linear time. */
	readonly pattern: string;
	readonly ignoreCase: boolean;
	/** Number of lines to show before and after each match. */
	readonly context: number;
	readonly maxMatches: number;
}

/** `gap` is true if ripgrep wrote the separator `--` before this line. */
interface MatchedLine {
	readonly file: string;
	readonly number: number;
	readonly text: string;
	readonly isMatch: boolean;
	readonly gap: boolean;
}

interface MatchedLines {
	readonly lines: readonly MatchedLine[];
	/** Reason why there may be more lines, or undefined for a complete result. */
	readonly incomplete: string | undefined;
}

/** Throws `invalid_argument` with ripgrep's error for an invalid pattern. */
async function checkPattern(search: LineSearch, cwd: string, context: ToolContext): Promise<void> {
	const args = [...optionsOf(search), "--quiet", "--", "/dev/null"];
	const { code, output } = await runRipgrep({ args, cwd, maxOutputBytes: 4_096 }, context);
	if (code === 0 || code === 1) return;
	// After the first empty line, ripgrep recommends options that the model cannot set.
	const [reason = ""] = output.replace(/^rg: /, "").split("\n\n");
	throw new ParleyError(searchFilesTexts.badPattern(reason.trim()), { code: "invalid_argument" });
}

/**
 * Searches the files in their order until enough matches are found. Skips binary files and cuts long lines.
 */
async function searchLines(
	search: LineSearch,
	{ directory, files }: { readonly directory: string; readonly files: readonly string[] },
	context: ToolContext,
): Promise<MatchedLines> {
	const lines: MatchedLine[] = [];
	let matches = 0;
	let unread = false;
	for (const batch of batchesOf(files)) {
		const args = [...optionsOf(search), ...shapeOf(search), "--", ...batch];
		const start = { args, cwd: directory, maxOutputBytes: MAX_OUTPUT_BYTES };
		const outcome = await runRipgrep(start, context);
		const { lines: output, cut } = completeLines(outcome);
		for (const found of readLines(output)) {
			matches += found.isMatch ? 1 : 0;
			if (matches > search.maxMatches) return { lines, incomplete: moreMatches };
			lines.push(found);
		}
		if (outcome.timedOut) return { lines, incomplete: searchFilesTexts.tooSlow };
		if (cut) return { lines, incomplete: moreMatches };
		unread ||= outcome.code !== 0 && outcome.code !== 1;
	}
	return { lines, incomplete: unread ? searchFilesTexts.unreadable : undefined };
}

const moreMatches = searchFilesTexts.more;

function optionsOf({ pattern, ignoreCase }: LineSearch): string[] {
	return definedItems([
		"--regex-size-limit=10M",
		ignoreCase ? "--ignore-case" : undefined,
		// The option and the pattern are one argument, so ripgrep never reads the pattern as an option.
		`--regexp=${pattern}`,
	]);
}

function shapeOf({ context, maxMatches }: LineSearch): string[] {
	return definedItems([
		"--threads=1",
		"--no-heading",
		"--with-filename",
		"--line-number",
		`--field-match-separator=${MATCH}`,
		`--field-context-separator=${CONTEXT}`,
		`--max-columns=${MAX_COLUMNS}`,
		"--max-columns-preview",
		`--max-count=${maxMatches + 1}`,
		context > 0 ? `--context=${context}` : undefined,
	]);
}

function* batchesOf(files: readonly string[]): Generator<string[]> {
	let [batch, bytes]: [string[], number] = [[], 0];
	for (const file of files) {
		// With `./`, ripgrep never reads a name as an option.
		const name = `./${file}`;
		const length = Buffer.byteLength(name) + 1;
		if (bytes + length > MAX_ARGUMENT_BYTES) {
			yield batch;
			[batch, bytes] = [[], 0];
		}
		batch.push(name);
		bytes += length;
	}
	if (batch.length > 0) yield batch;
}

function* readLines(output: readonly string[]): Generator<MatchedLine> {
	let gap = false;
	for (const line of output) {
		const [, file, separator, number, text] = RECORD.exec(line) ?? [];
		if (file !== undefined && text !== undefined) {
			yield {
				file,
				number: Number(number),
				text: text.replace(/\r$/, ""),
				isMatch: separator === MATCH,
				gap,
			};
			gap = false;
		}
		// `--` separates groups of lines. Other lines are messages of ripgrep, for example that a binary file matches.
		if (line === "--") gap = true;
	}
}

import { ParleyError } from "@parley/base";
import { wholeLines } from "../../text/whole-lines.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { runRipgrep } from "./ripgrep.ts";

/** What stands between path, number and text: no path has a control character, see tree-files.ts. */
const MATCH = "\u{1f}";
const CONTEXT = "\u{1e}";
const RECORD = /^\.\/(\P{Cc}+)(\p{Cc})(\d+)\p{Cc}(.*)$/su;

/** Names of files for one start: far below what systems take as arguments. */
const MAX_ARGUMENT_BYTES = 128 * 1024;
/** The first half is used. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_COLUMNS = 500;

export interface LineSearch {
	/** A regular expression of ripgrep's own engine, which takes time in proportion to the text. */
	readonly pattern: string;
	readonly ignoreCase: boolean;
	/** Lines shown before and after each match. */
	readonly context: number;
	readonly maxMatches: number;
}

/** One line of a file; `gap` where lines were passed over before it. */
export interface FoundLine {
	readonly file: string;
	readonly number: number;
	readonly text: string;
	readonly isMatch: boolean;
	readonly gap: boolean;
}

export interface FoundLines {
	readonly lines: readonly FoundLine[];
	/** Why there may be more; undefined where these are all. */
	readonly incomplete: string | undefined;
}

/** Throws `invalid_argument` with what ripgrep says about the pattern. */
export async function checkPattern(search: LineSearch, cwd: string, context: ToolContext): Promise<void> {
	const args = [...optionsOf(search), "--quiet", "--", "/dev/null"];
	const { code, output } = await runRipgrep({ args, cwd, maxOutputBytes: 4_096 }, context);
	if (code === 0 || code === 1) return;
	// What follows the first empty line recommends options that nobody can set here.
	const [why = ""] = output.replace(/^rg: /, "").split("\n\n");
	throw new ParleyError(`the pattern cannot be used: ${why.trim()}`, { code: "invalid_argument" });
}

/**
 * Searches these files below the directory, in their order, until there are matches enough. Binary files are passed
 * over, long lines are cut.
 */
export async function searchLines(
	search: LineSearch,
	{ directory, files }: { readonly directory: string; readonly files: readonly string[] },
	context: ToolContext,
): Promise<FoundLines> {
	const lines: FoundLine[] = [];
	let matches = 0;
	let unread = false;
	for (const batch of batchesOf(files)) {
		const args = [...optionsOf(search), ...shapeOf(search), "--", ...batch];
		const start = { args, cwd: directory, maxOutputBytes: MAX_OUTPUT_BYTES };
		const outcome = await runRipgrep(start, context);
		const { lines: output, cut } = wholeLines(outcome);
		for (const found of readLines(output)) {
			matches += found.isMatch ? 1 : 0;
			if (matches > search.maxMatches) return { lines, incomplete: moreMatches };
			lines.push(found);
		}
		if (outcome.timedOut) return { lines, incomplete: "it took too long: narrow it by path or glob" };
		if (cut) return { lines, incomplete: moreMatches };
		unread ||= outcome.code !== 0 && outcome.code !== 1;
	}
	return { lines, incomplete: unread ? "some files could not be read" : undefined };
}

export const moreMatches = "more matches: narrow it by pattern, path or glob, or raise max_results";

/** The pattern is a part of its option's word, so that it is never read as one. */
function optionsOf({ pattern, ignoreCase }: LineSearch): string[] {
	return ["--regex-size-limit=10M", ...(ignoreCase ? ["--ignore-case"] : []), `--regexp=${pattern}`];
}

function shapeOf({ context, maxMatches }: LineSearch): string[] {
	return [
		...["--threads=1", "--no-heading", "--with-filename", "--line-number"],
		...[`--field-match-separator=${MATCH}`, `--field-context-separator=${CONTEXT}`],
		...[`--max-columns=${MAX_COLUMNS}`, "--max-columns-preview", `--max-count=${maxMatches + 1}`],
		...(context > 0 ? [`--context=${context}`] : []),
	];
}

/** Names begin with `./`, so that none is read as an option. */
function* batchesOf(files: readonly string[]): Generator<string[]> {
	let [batch, bytes]: [string[], number] = [[], 0];
	for (const file of files) {
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

function* readLines(output: readonly string[]): Generator<FoundLine> {
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
		// Anything else is a remark, such as that a binary file matches.
		if (line === "--") gap = true;
	}
}

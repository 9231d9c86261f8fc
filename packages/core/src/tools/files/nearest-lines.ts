import { visible } from "../../text/visible.ts";
import { nearestTexts } from "./texts.ts";

/** Maximum characters of a line that is compared by trigrams. */
const MAX_COMPARED = 2_000;
/** Maximum positions of equal requested lines to compare. */
const MAX_VOTES = 20;
const MIN_LIKENESS = 0.4;
const MAX_QUOTE = 200;

/** Lines of a text that are similar to the requested lines, which the text does not contain. Line numbers start at 1. */
export interface NearestLines {
	readonly first: number;
	readonly last: number;
	readonly lines: readonly string[];
	/** Description of the first difference. */
	readonly difference: string;
}

/**
 * Returns the lines of `text` that are most similar to the requested lines. Returns undefined if no line is similar
 * enough.
 */
export function findNearestLines(text: string, requested: string): NearestLines | undefined {
	const lines = text.split("\n");
	const requestedLines = trimBlank(requested.split("\n"));
	const start =
		requestedLines.length === 0
			? undefined
			: (startByVotes(lines, requestedLines) ?? startByLikeness(lines, requestedLines));
	if (start === undefined) return undefined;
	const first = Math.max(0, start);
	const found = lines.slice(first, start + requestedLines.length);
	const difference = firstDifference(found, requestedLines.slice(first - start), first + 1);
	return { first: first + 1, last: first + found.length, lines: found, difference };
}

function trimBlank(lines: readonly string[]): string[] {
	const isText = (line: string): boolean => line.trim() !== "";
	const first = lines.findIndex(isText);
	return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

/**
 * Returns a form of the line without differences in the amount of white space, typographic quotes and dashes,
 * and compatibility forms.
 */
function plain(line: string): string {
	return line
		.normalize("NFKC")
		.replaceAll(/[\u2018\u2019\u201b]/g, "'")
		.replaceAll(/[\u201c\u201d\u201f]/g, '"')
		.replaceAll(/[\u2010-\u2015]/g, "-")
		.replaceAll(/\s+/g, " ")
		.trim();
}

/**
 * Returns the start index at which the most lines match the requested lines in the `plain` form. The index may be
 * negative. Returns undefined if no line matches.
 */
function startByVotes(lines: readonly string[], requestedLines: readonly string[]): number | undefined {
	const places = new Map<string, number[]>();
	for (const [index, line] of requestedLines.entries()) {
		const key = plain(line);
		const known = places.get(key) ?? [];
		if (key !== "" && known.length < MAX_VOTES) places.set(key, [...known, index]);
	}
	const votes = new Map<number, number>();
	for (const [index, line] of lines.entries()) {
		for (const place of places.get(plain(line)) ?? []) {
			votes.set(index - place, (votes.get(index - place) ?? 0) + 1);
		}
	}
	let best: number | undefined;
	for (const [start, count] of votes) if (count > (votes.get(best ?? Number.NaN) ?? 0)) best = start;
	return best;
}

/**
 * Returns the start index at which the longest requested line aligns with the most similar line of the text. The index
 * may be negative. Returns undefined if no line is similar enough, or if the longest requested line is too long.
 */
function startByLikeness(lines: readonly string[], requestedLines: readonly string[]): number | undefined {
	const longest = requestedLines.reduce((a, b) => (b.length > a.length ? b : a));
	if (longest.length > MAX_COMPARED) return undefined;
	const requested = trigrams(longest);
	let [best, likeness] = [-1, MIN_LIKENESS];
	for (const [index, line] of lines.entries()) {
		if (line.length > MAX_COMPARED) continue;
		const own = trigrams(line);
		const both = [...own].filter((part) => requested.has(part)).length;
		const share = (2 * both) / (own.size + requested.size);
		if (share > likeness) [best, likeness] = [index, share];
	}
	return best === -1 ? undefined : best - requestedLines.indexOf(longest);
}

function trigrams(line: string): Set<string> {
	const text = ` ${plain(line).toLowerCase()} `;
	return new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3)));
}

function firstDifference(found: readonly string[], requestedLines: readonly string[], first: number): string {
	for (const [index, requested] of requestedLines.entries()) {
		const line = found[index];
		if (line === undefined) return nearestTexts.endOfFile(first + index - 1);
		if (line !== requested) return `line ${first + index} ${describeDifference(line, requested)}`;
	}
	return nearestTexts.otherSurroundings;
}

function describeDifference(line: string, requested: string): string {
	const [indent, requestedIndent] = [indentOf(line), indentOf(requested)];
	const [rest, requestedRest] = [line.slice(indent.length), requested.slice(requestedIndent.length)];
	if (rest === requestedRest) return nearestTexts.indent(spaces(indent), spaces(requestedIndent));
	const [end, requestedEnd] = [endOf(line), endOf(requested)];
	if (line.trimEnd() === requested.trimEnd()) return nearestTexts.lineEnd(spaces(end), spaces(requestedEnd));
	const same = plain(line) === plain(requested) ? nearestTexts.lookAlike : "";
	return `${same}is ${quote(line)}, not ${quote(requested)}`;
}

function indentOf(line: string): string {
	return line.slice(0, line.length - line.trimStart().length);
}

function endOf(line: string): string {
	return line.slice(line.trimEnd().length);
}

/** Describes white space, for example `2 tabs`, `1 tab and 2 spaces` or `1 carriage return`. */
function spaces(text: string): string {
	const names = new Map([
		["\t", "tab"],
		[" ", "space"],
		["\r", nearestTexts.carriageReturn],
	]);
	const groups = text.match(/(.)\1*/gsu) ?? [];
	if (groups.length === 0) return "nothing";
	return groups
		.slice(0, 4)
		.map((group) => {
			const [character = ""] = group;
			const count = group.length / character.length;
			return `${count} ${names.get(character) ?? visible(character)}${count === 1 ? "" : "s"}`;
		})
		.join(" and ");
}

function quote(line: string): string {
	const shown = visible(line.slice(0, MAX_QUOTE).toWellFormed());
	return `"${shown}${line.length > MAX_QUOTE ? "…" : ""}"`;
}

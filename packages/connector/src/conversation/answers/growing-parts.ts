import type { LiveLevel } from "../../platform/answer-card.ts";
import type { GrowingPart } from "../../platform/posting.ts";
import type { Dialect } from "../../text/dialect.ts";
import { parseText } from "../../text/parse-text.ts";
import { liveTexts } from "../../texts/live.ts";
import { callName, secondsOf, shownCalls } from "./live-view.ts";
import type { RunPart } from "./run-parts.ts";

interface LiveState {
	readonly level: LiveLevel;
	readonly text: string;
	readonly now: number;
	readonly dialect: Dialect;
}

/**
 * Returns the parts of an active run, for a platform that can only add to a post. Omits the end of the current text
 * while the next words could change the format of this end. Returns no parts for the level `off`, and for a run
 * without visible content.
 */
export function growingParts(
	parts: readonly RunPart[],
	{ level, text, now, dialect }: LiveState,
): readonly GrowingPart[] {
	if (level === "off") return [];
	const grown: GrowingPart[] = [];
	let texts: string[] = [];
	const close = (current = ""): void => {
		const markdown = [...texts, current].filter((one) => one.trim() !== "").join("\n\n");
		const body = bodyOf(markdown, dialect);
		if (body !== "") grown.push({ type: "text", body });
		texts = [];
	};
	const calls = shownCalls(parts);
	for (const part of parts) {
		if (part.type === "text") texts.push(part.text.trim());
		else if (level !== "text" && calls.has(part)) {
			close();
			const title = liveTexts.call({ call: callName(part, level), seconds: secondsOf(part, now) });
			const state = part.to === undefined ? "running" : part.failed ? "failed" : "completed";
			grown.push({ type: "call", id: part.id, title, state });
		}
	}
	close(stableStart(text));
	return grown;
}

const openFence = /^[ \t]*(`{3,}|~{3,})/gm;

/** Returns the body without the closing fence that the writer adds to an open code block. */
function bodyOf(markdown: string, dialect: Dialect): string {
	if (markdown === "") return "";
	const body = dialect.write(parseText(markdown).blocks);
	return isFenced(markdown) ? body.replace(/\n[`~]{3,}$/, "") : body;
}

function isFenced(markdown: string): boolean {
	return (markdown.match(openFence) ?? []).length % 2 === 1;
}

/**
 * Returns the start of a growing Markdown text, up to the point at which its format is final. Later words can change the
 * start only in rare constructs, for example tables.
 */
export function stableStart(text: string): string {
	if (isFenced(text)) return text.slice(0, text.lastIndexOf("\n") + 1).trimEnd();
	const from = text.lastIndexOf("\n\n") + 1;
	const paragraph = text.slice(from);
	const spans = formattedSpans(paragraph);
	// A word may become longer. An exclamation mark may begin an image.
	const isCut = (at: number): boolean =>
		/\s/.test(paragraph[at] ?? "") &&
		/[^\s!]/.test(paragraph[at - 1] ?? "") &&
		spans.every(({ start, end }) => at <= start || at >= end);
	let end = paragraph.length;
	while (end > 0 && !isCut(end)) end -= 1;
	return text
		.slice(0, from + end)
		.trimEnd()
		.replace(/(?:^|\n)[ \t>]*(?:[-+*#=|]+|\d+[.)])$/, "")
		.trimEnd();
}

interface Span {
	readonly start: number;
	/** End of the span; `Infinity` while the span is open. */
	readonly end: number;
}

function formattedSpans(paragraph: string): readonly Span[] {
	const spans: Span[] = [...paragraph.matchAll(/^#+ .*/gm)].map(({ 0: heading, index: start }) => {
		const end = start + heading.length;
		return { start, end: end === paragraph.length ? Number.POSITIVE_INFINITY : end };
	});
	const open: { readonly mark: string; readonly at: number }[] = [];
	// Until the next character is known, a bracket may end a link.
	const delimiters = /\*+|_+|~~|`+|\[|\]\([^()\s]*\)|\](?=[^(])|^\|/gm;
	for (const { 0: found, index: at } of paragraph.matchAll(delimiters)) {
		const isLinkEnd = found.startsWith("]");
		const last = open.at(-1);
		if (last !== undefined && last.mark === (isLinkEnd ? "[" : found) && (isLinkEnd || found !== "[")) {
			open.pop();
			spans.push({ start: last.at, end: at + found.length });
		} else if (!isLinkEnd && last?.mark.startsWith("`") !== true && opens(paragraph, at, found)) {
			open.push({ mark: found, at });
		}
	}
	return [...spans, ...open.map((one) => ({ start: one.at, end: Number.POSITIVE_INFINITY }))];
}

function opens(paragraph: string, at: number, mark: string): boolean {
	const before = paragraph[at - 1] ?? " ";
	const after = paragraph[at + mark.length] ?? "";
	// `*`, `~` and `_` cannot begin a format before a space, and `_` also not after a letter or digit.
	if (/^[*~]/.test(mark)) return !/\s/.test(after);
	return !mark.startsWith("_") || (!/\s/.test(after) && !/[\p{L}\p{N}]/u.test(before));
}

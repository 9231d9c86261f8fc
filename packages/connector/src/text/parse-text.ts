import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { TextDocument } from "./document.ts";
import { blocksFrom } from "./from-mdast.ts";

/** More than any model writes in one go: what is longer is shown as it was written. */
const maxLength = 500_000;
/** The parser's work and its stack grow with the square of these. */
const maxNesting = 32;
const maxDelimiters = 2000;

/**
 * Off is what a later line could change of earlier text, so that posts which are full stay as they are (definitions,
 * footnotes, underlined headings), and HTML, which no platform shows: it is text.
 */
const off = [
	...["definition", "gfmFootnoteDefinition", "gfmFootnoteCall", "gfmPotentialFootnoteCall"],
	...["setextUnderline", "htmlFlow", "htmlText"],
];
const containers = ["blockQuote", "list"];
const spans = ["attention", "labelStartLink", "labelStartImage", "labelEnd", "strikethrough"];

const fence = /^[\s>]*(?:`{3,}|~{3,})/;
const leadingMarkers = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/;
const marker = />|[-+*]|\d+/g;
const opensBlock = /^\s*(?:$|[|#>]|[-+*][ \t]|\d{1,9}[.)][ \t])/;
const delimiter = /[*_~[\]]/g;

const plainLine = String.raw`\p{L}(?: ?[\p{L}\p{M}\p{N}.,;:!?'"()%…–—“”‘’])*`;
/** Sentences of which no character and no place could mean anything to the parser, as most answers are. */
const plain = new RegExp(`^${plainLine}(?:\\n{1,2}${plainLine})*\\n*$`, "u");
const barelyLinked = /www\./i;

/**
 * Reads Markdown (CommonMark, tables, task lists, strikethrough, bare addresses) as a model writes it, also while it is
 * still being written. Never throws: what is left open is closed at the end, and what no reader could follow, in depth
 * or in size, is text. Nothing is lost but how it was written, and the titles of links.
 */
export function parseText(markdown: string): TextDocument {
	if (markdown.length > maxLength) return asWritten(markdown);
	if (plain.test(markdown) && !barelyLinked.test(markdown)) return paragraphsOf(markdown);
	return parseMarkdown(markdown);
}

/** The parser's work for all but what is plain, for which it would come to the same and take a hundred times as long. */
function parseMarkdown(markdown: string): TextDocument {
	const { children } = fromMarkdown(markdown, {
		extensions: [gfm({ singleTilde: false }), { disable: { null: [...off, ...tooMuch(markdown)] } }],
		mdastExtensions: [gfmFromMarkdown()],
	});
	return { markdown, blocks: blocksFrom(children) };
}

function paragraphsOf(markdown: string): TextDocument {
	const texts = markdown.trimEnd().split("\n\n");
	return {
		markdown,
		blocks: texts.map((value) => ({ type: "paragraph", children: [{ type: "text", value }] })),
	};
}

function asWritten(markdown: string): TextDocument {
	return { markdown, blocks: [{ type: "paragraph", children: [{ type: "text", value: markdown }] }] };
}

/** The constructs that this text has too many of. */
function tooMuch(markdown: string): string[] {
	const lines = markdown.split("\n");
	return [...(lines.some(nestsTooDeep) ? containers : []), ...(stylesTooMuch(lines) ? spans : [])];
}

function nestsTooDeep(line: string): boolean {
	return (leadingMarkers.exec(line)?.[0].match(marker)?.length ?? 0) > maxNesting;
}

/** Whether one stretch of text, in which styles can be opened and closed, has too many marks for them. */
function stylesTooMuch(lines: readonly string[]): boolean {
	let fenced = false;
	let delimiters = 0;
	for (const line of lines) {
		if (fence.test(line)) fenced = !fenced;
		if (fenced || opensBlock.test(line)) delimiters = 0;
		if (!fenced) delimiters += line.match(delimiter)?.length ?? 0;
		if (delimiters > maxDelimiters) return true;
	}
	return false;
}

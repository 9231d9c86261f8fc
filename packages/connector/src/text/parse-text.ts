import type { Nodes, PhrasingContent, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Block, Inline, List, ListItem, Table, TextDocument } from "./document.ts";

/** Maximum length of parsed text, in UTF-16 code units. Longer text is shown unchanged. */
const maxLength = 500_000;
/** Maximum number of nested markers in a line. The parser's time grows faster than linearly with this number. */
const maxNesting = 32;
/** Maximum number of delimiters in a block of text. The parser's time also grows faster than linearly with this number. */
const maxDelimiters = 2000;

/**
 * Disabled constructs. With definitions, footnotes and underlined headings, a later line could change earlier text, even
 * in finished posts. HTML is treated as text, because no platform shows it.
 */
const off = [
	"definition",
	"gfmFootnoteDefinition",
	"gfmFootnoteCall",
	"gfmPotentialFootnoteCall",
	"setextUnderline",
	"htmlFlow",
	"htmlText",
];
/** Extensions without state, created once. */
const syntax = gfm({ singleTilde: false });
const tree = gfmFromMarkdown();
const containers = ["blockQuote", "list"];
const spans = ["attention", "labelStartLink", "labelStartImage", "labelEnd", "strikethrough"];

const fence = /^[\s>]*(?:`{3,}|~{3,})/;
const leadingMarkers = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/;
const marker = />|[-+*]|\d+/g;
const opensBlock = /^\s*(?:$|[|#>]|[-+*][ \t]|\d{1,9}[.)][ \t])/;
const delimiter = /[*_~[\]]/g;

const plainLine = String.raw`\p{L}(?: ?[\p{L}\p{M}\p{N}.,;:!?'"()%…–—“”‘’])*`;
/** Pattern of plain sentences, in which no character has a meaning in Markdown. */
const plain = new RegExp(`^${plainLine}(?:\\n{1,2}${plainLine})*\\n*$`, "u");
const linkedWithoutScheme = /www\./i;

/**
 * Parses the Markdown of a model (CommonMark, tables, task lists, strikethrough, bare addresses), even while the model
 * writes it. Never throws. Open constructs are closed at the end. A construct that exceeds its limit is treated as plain
 * text. Images become links.
 */
export function parseText(markdown: string): TextDocument {
	if (markdown.length > maxLength) return asWritten(markdown);
	// For plain text, the parser would return the same result, but would take much longer.
	if (plain.test(markdown) && !linkedWithoutScheme.test(markdown)) return paragraphsOf(markdown);
	return parseMarkdown(markdown);
}

function parseMarkdown(markdown: string): TextDocument {
	const { children } = fromMarkdown(markdown, {
		extensions: [syntax, { disable: { null: [...off, ...tooMuch(markdown)] } }],
		mdastExtensions: [tree],
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

/** Returns the names of the constructs that must be disabled when the parser reads this text. */
function tooMuch(markdown: string): string[] {
	const lines = markdown.split("\n");
	return [...(lines.some(nestsTooDeep) ? containers : []), ...(stylesTooMuch(lines) ? spans : [])];
}

function nestsTooDeep(line: string): boolean {
	return (leadingMarkers.exec(line)?.[0].match(marker)?.length ?? 0) > maxNesting;
}

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

/** Maximum depth of quotes and lists, so that the prefixes leave space for the text of a line. */
const maxDepth = 8;
/**
 * Maximum length of a link's address, in UTF-16 code units. A longer address is shown as text, which can be split.
 */
const maxUrl = 1000;
const shownScheme = /^(?:https?:\/\/|mailto:)/i;
const language = /^[\w+#.-]{1,32}$/;

/**
 * Converts the parser's nodes to blocks. Images become links, and constructs that posts do not support become text.
 */
function blocksFrom(nodes: readonly RootContent[], depth = 0): Block[] {
	return nodes.flatMap((node) => blockFrom(node, depth));
}

function blockFrom(node: RootContent, depth: number): Block[] {
	switch (node.type) {
		case "paragraph":
			return [{ type: "paragraph", children: inlinesFrom(node.children) }];
		case "heading":
			return [{ type: "heading", depth: node.depth, children: inlinesFrom(node.children) }];
		case "code": {
			const lang = language.test(node.lang ?? "") ? (node.lang ?? undefined) : undefined;
			return [{ type: "code", lang, value: node.value }];
		}
		case "thematicBreak":
			return [{ type: "thematicBreak" }];
		case "blockquote": {
			const children = filled(blocksFrom(node.children, depth + 1));
			return depth < maxDepth ? [{ type: "blockquote", children }] : children;
		}
		case "list":
			return depth < maxDepth
				? [listFrom(node, depth)]
				: node.children.flatMap((item) => filled(blocksFrom(item.children, depth)));
		case "table":
			return [tableFrom(node)];
		default:
			// All other block constructs are disabled, so this node is the content of a line.
			return [{ type: "paragraph", children: [{ type: "text", value: plainValue(node) }] }];
	}
}

function filled(blocks: Block[]): Block[] {
	// A quote or an item must not be empty.
	return blocks.length > 0 ? blocks : [{ type: "paragraph", children: [] }];
}

function listFrom(node: Extract<RootContent, { type: "list" }>, depth: number): List {
	const children = node.children.map(
		(item): ListItem => ({
			type: "listItem",
			checked: item.checked ?? undefined,
			children: filled(blocksFrom(item.children, depth + 1)),
		}),
	);
	const ordered = node.ordered === true;
	return { type: "list", ordered, start: ordered ? (node.start ?? 1) : undefined, children };
}

function tableFrom(node: Extract<RootContent, { type: "table" }>): Table {
	const columns = node.children[0]?.children.length ?? 0;
	return {
		type: "table",
		children: node.children.map((row) => ({
			type: "tableRow",
			children: Array.from({ length: Math.max(columns, row.children.length) }, (_, index) => ({
				type: "tableCell",
				children: inlinesFrom(row.children[index]?.children ?? []),
			})),
		})),
	};
}

function inlinesFrom(nodes: readonly PhrasingContent[]): Inline[] {
	return nodes.flatMap(inlineFrom);
}

function inlineFrom(node: PhrasingContent): Inline[] {
	switch (node.type) {
		case "text":
			return text(node.value);
		case "break":
			return text("\n");
		case "inlineCode":
			return [{ type: "inlineCode", value: node.value.replaceAll("\n", " ") }];
		case "strong":
		case "emphasis":
		case "delete": {
			const children = inlinesFrom(node.children);
			return children.length > 0 ? [{ type: node.type, children }] : [];
		}
		case "link":
			return linked(node.url, inlinesFrom(node.children));
		case "image":
			return linked(node.url, text(node.alt ?? ""));
		default:
			return text(plainValue(node));
	}
}

function text(value: string): Inline[] {
	return value === "" ? [] : [{ type: "text", value }];
}

function linked(url: string, children: Inline[]): Inline[] {
	if (shownScheme.test(url) && url.length <= maxUrl) {
		return [{ type: "link", url, children: children.length > 0 ? children : text(url) }];
	}
	return [...children, ...text(children.length > 0 && url !== "" ? ` (${url})` : url)];
}

function plainValue(node: Nodes): string {
	return "value" in node ? node.value : "children" in node ? node.children.map(plainValue).join("") : "";
}

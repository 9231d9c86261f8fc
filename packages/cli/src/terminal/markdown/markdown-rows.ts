import { definedItems } from "@parley/base";
import { type Block, type Inline, type List, parseText, plainText } from "@parley/connector";
import { alignColumns } from "../../text/columns.ts";
import { hasColours, type OutputFormat, type Styles } from "../../text/styles.ts";
import { visibleText } from "../../text/visible.ts";
import { widthOf } from "../../text/wrap.ts";
import { highlight } from "./highlight.ts";
import { plainStyle, type Span, splitLines, styled, wrapSpans } from "./styled-text.ts";

type Table = Extract<Block, { type: "table" }>;

/** Maximum width of a thematic break, in columns. */
const widestLine = 40;
const codeIndent = "  ";

/**
 * Converts a model's Markdown to rows for a terminal. Without colours, Markdown characters stay in the text
 * if their style would be lost. The text must have passed `visibleText`. Unsafe characters that the parser
 * decodes from references, such as `&#13;`, become visible.
 */
export function markdownRows(markdown: string, format: OutputFormat): string[] {
	return childRows(parseText(markdown).blocks, format);
}

/** Returns the rows of code without the first `skipped` lines. The code may be incomplete. */
export function codeRows(
	code: string,
	language: string | undefined,
	{ columns, styles }: OutputFormat,
	skipped = 0,
): string[] {
	const width = Math.max(1, columns - codeIndent.length);
	const lines = splitLines(highlight(code, language, styles)).slice(skipped);
	const rows = lines.flatMap((line) => wrapSpans(line, width));
	return rows.map((row) => (row === "" ? "" : codeIndent + row));
}

function blockRows(block: Block, format: OutputFormat): string[] {
	const { columns, styles } = format;
	switch (block.type) {
		case "paragraph":
			return wrapSpans(inlineSpans(block.children, styles), columns);
		case "heading":
			return headingRows(block, format);
		case "code":
			return codeRows(block.value, block.lang, format);
		case "thematicBreak":
			return [styles.dim("─".repeat(Math.min(columns, widestLine)))];
		case "blockquote":
			return quoteRows(block.children, format);
		case "list":
			return listRows(block, format);
		case "table":
			return tableRows(block, format);
	}
}

function headingRows(
	{ depth, children }: Extract<Block, { type: "heading" }>,
	{ columns, styles }: OutputFormat,
): string[] {
	const mark = hasColours(styles) ? "" : `${"#".repeat(depth)} `;
	const spans = styled([{ text: mark, style: plainStyle }, ...inlineSpans(children, styles)], styles.bold);
	return wrapSpans(depth === 1 ? styled(spans, styles.underline) : spans, columns);
}

function quoteRows(children: readonly Block[], format: OutputFormat): string[] {
	const mark = format.styles.dim("│ ");
	return childRows(children, { ...format, columns: Math.max(1, format.columns - 2) }).map(
		(row) => mark + row,
	);
}

function listRows({ ordered, start = 1, children }: List, format: OutputFormat): string[] {
	return children.flatMap((item, index) => {
		const box = item.checked === undefined ? "" : item.checked ? "[x] " : "[ ] ";
		const mark = `${ordered ? `${start + index}.` : "•"} ${box}`;
		const columns = Math.max(1, format.columns - mark.length);
		return childRows(item.children, { ...format, columns }).map((row, at) => {
			if (at === 0) return mark + row;
			return row === "" ? "" : " ".repeat(mark.length) + row;
		});
	});
}

function childRows(blocks: readonly Block[], format: OutputFormat): string[] {
	return blocks.flatMap((block, index) => {
		// An empty row precedes each paragraph, except if it is the first block.
		const gap = index > 0 && block.type === "paragraph" ? "" : undefined;
		return definedItems([gap, ...blockRows(block, format)]);
	});
}

/**
 * Returns a table as rows. A table that is too wide becomes a list in which each cell follows the name of its
 * column.
 */
function tableRows({ children }: Table, format: OutputFormat): string[] {
	const { columns, styles } = format;
	const cells = children.map((row) => row.children.map((cell) => cellText(cell.children, styles)));
	const aligned = alignColumns(cells);
	if (aligned.every((row) => widthOf(row) <= columns)) {
		return aligned.map((row, index) => (index === 0 ? styles.bold(row) : row));
	}
	const [head = [], ...rows] = cells;
	return rows.flatMap((row, index) => {
		const named = row.flatMap((cell, at) => {
			const name: Span = { text: `${head[at] ?? ""}: `, style: styles.bold };
			return wrapSpans([name, { text: cell, style: plainStyle }], columns);
		});
		return definedItems([index === 0 ? undefined : "", ...named]);
	});
}

/** Returns the text of a table cell in one line, without colours. */
function cellText(inlines: readonly Inline[], styles: Styles): string {
	const spans = inlineSpans(inlines, styles);
	return visibleText(spans.map(({ text }) => text).join("")).replaceAll("\n", " ");
}

function inlineSpans(inlines: readonly Inline[], styles: Styles): Span[] {
	return inlines.flatMap((inline) => inlineSpan(inline, styles));
}

function inlineSpan(inline: Inline, styles: Styles): Span[] {
	const marked = (mark: string, spans: readonly Span[]): Span[] => {
		if (hasColours(styles)) return [...spans];
		const end: Span = { text: mark, style: plainStyle };
		return [end, ...spans, end];
	};
	switch (inline.type) {
		case "text":
			return [{ text: inline.value, style: plainStyle }];
		case "inlineCode":
			return marked("`", [{ text: inline.value, style: styles.cyan }]);
		case "strong":
			return marked("**", styled(inlineSpans(inline.children, styles), styles.bold));
		case "emphasis":
			return marked("*", styled(inlineSpans(inline.children, styles), styles.italic));
		case "delete":
			return marked("~~", styled(inlineSpans(inline.children, styles), styles.strike));
		case "link":
			return linkSpans(inline, styles);
	}
}

/**
 * Returns a link as spans. The address is always visible, so that the text of the link cannot hide the real
 * target.
 */
function linkSpans({ url, children }: Extract<Inline, { type: "link" }>, styles: Styles): Span[] {
	const text = plainText(children);
	const spans = styled(inlineSpans(children, styles), styles.underline);
	if (text === url || url === `mailto:${text}` || url === `http://${text}`) return spans;
	return [...spans, { text: ` (${url})`, style: styles.dim }];
}

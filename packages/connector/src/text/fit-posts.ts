import { definedItems, ParleyError } from "@parley/base";
import { answerTexts } from "../texts/answers.ts";
import { cutsBetween } from "./cuts.ts";
import type { Dialect } from "./dialect.ts";
import type { Block, Code, Inline, List, ListItem, Table, TableRow, TextDocument } from "./document.ts";
import { Layout, type Leaf } from "./layout.ts";
import { narrowTables } from "./tables.ts";

export interface PostSize {
	readonly dialect: Dialect;
	/** Maximum length of a post, in units of `dialect.measure`. */
	readonly limit: number;
}

export interface FitOptions extends PostSize {
	/** Maximum number of posts. A longer text becomes one post, with the complete text in a file. */
	readonly maxPosts: number;
}

/** Posts of a text, in order. `file` has the complete text, if the text was too long for the posts. */
export interface Fitted {
	readonly posts: readonly string[];
	readonly file?: { readonly name: string; readonly content: string };
}

const fileName = "answer.md";
const inFile: Block = {
	type: "paragraph",
	children: [
		{
			type: "emphasis",
			children: [{ type: "text", value: answerTexts.completeText({ file: fileName }) }],
		},
	],
};

/**
 * Splits a document into posts of at most `limit`, at the best positions: between blocks, items and rows, then sentences,
 * then words. Splits a word only as a last resort. Never splits a grapheme, a link or a code span that fits one post.
 * Only spaces at the cuts are lost. While a text grows, the posts of all blocks before its last two stay unchanged,
 * except the last of these posts. Throws `invalid_argument` if the limit is too small for one character with its
 * formatting.
 */
export function fitPosts(document: TextDocument, options: FitOptions): Fitted {
	const layout = new Layout(narrowTables(document.blocks, options.dialect.tableColumns));
	const posts: string[] = [];
	const page = new Page(layout, options);
	for (let from = 0; from < layout.length; ) {
		const to = page.cutAfter(from);
		const post = page.write(from, to);
		from = to;
		if (post.trim() === "") continue;
		if (posts.length === options.maxPosts) {
			const head = new Page(layout, options, [inFile]);
			const file = { name: fileName, content: document.markdown };
			return { posts: [head.write(0, head.cutAfter(0))], file };
		}
		posts.push(post);
	}
	return { posts };
}

/**
 * Cuts a document at the best position to one post of at most `limit`. `note` is added below a cut text.
 * Throws as `fitPosts` does.
 */
export function fitPost(document: TextDocument, { dialect, limit }: PostSize, note: Block): string {
	const layout = new Layout(narrowTables(document.blocks, dialect.tableColumns));
	const fullPage = new Page(layout, { dialect, limit });
	if (fullPage.cutAfter(0) === layout.length) return fullPage.write(0, layout.length);
	const head = new Page(layout, { dialect, limit }, [note]);
	return head.write(0, head.cutAfter(0));
}

class Page {
	readonly #layout: Layout;
	readonly #options: PostSize;
	readonly #foot: readonly Block[];
	#last: { readonly from: number; readonly to: number; readonly text: string } | undefined;

	constructor(layout: Layout, options: PostSize, foot: readonly Block[] = []) {
		this.#layout = layout;
		this.#options = options;
		this.#foot = foot;
	}

	write(from: number, to: number): string {
		const last = this.#last;
		// Most texts fit, so the text that was measured is often also the result.
		if (last?.from === from && last.to === to) return last.text;
		const text = this.#options.dialect.write([...slice(this.#layout, from, to), ...this.#foot]);
		this.#last = { from, to, text };
		return text;
	}

	/** Returns the end offset of the post that begins at the offset `from`. */
	cutAfter(from: number): number {
		const overflow = this.#overflowAfter(from);
		if (overflow === undefined) return this.#layout.length;
		const { blocks, parts, sentences, words, cells, graphemes, atoms, codePoints } = cutsBetween(
			this.#layout,
			from,
			overflow,
		);
		const good = [blocks, parts, sentences].map((cuts) => this.#lastFitting(from, cuts));
		const full = good.find((cut) => cut !== undefined && 2 * this.#measure(from, cut) >= this.#options.limit);
		const cut =
			full ??
			this.#lastFitting(from, words) ??
			good.toSorted((one = 0, other = 0) => other - one)[0] ??
			this.#lastFitting(from, cells) ??
			this.#lastFitting(from, graphemes) ??
			this.#lastFitting(from, atoms) ??
			this.#lastFitting(from, codePoints);
		if (cut !== undefined) return cut;
		throw new ParleyError(
			`cannot split the text: the post limit ${this.#options.limit} is too small; raise the limit`,
			{
				code: "invalid_argument",
			},
		);
	}

	#lastFitting(from: number, cuts: readonly number[]): number | undefined {
		return cuts.findLast((cut) => this.#measure(from, cut) <= this.#options.limit);
	}

	#measure(from: number, to: number): number {
		return this.#options.dialect.measure(this.write(from, to));
	}

	/**
	 * Returns an offset at which the text that begins at `from` is too long for a post. Returns undefined if the
	 * remaining text fits.
	 */
	#overflowAfter(from: number): number | undefined {
		const { limit } = this.#options;
		const end = this.#layout.length;
		let fits = from;
		let over = from + Math.max(limit, 1);
		while (this.#measure(from, Math.min(over, end)) <= limit) {
			if (over >= end) return undefined;
			fits = over;
			over += over - from;
		}
		while (over - fits > 1) {
			const middle = (fits + over) >> 1;
			if (middle < end && this.#measure(from, middle) <= limit) fits = middle;
			else over = middle;
		}
		return Math.min(over, end);
	}
}

/** Label before a fence that continues from an earlier post. */
export const continuedLabel: Block = {
	type: "paragraph",
	children: [{ type: "emphasis", children: [{ type: "text", value: answerTexts.continued }] }],
};

/**
 * Returns the blocks between two offsets. A list continues with its number, a table repeats a short header, and a
 * code block repeats its language. The continuation of a split list item has no bullet, because a bullet would make
 * it another item.
 */
function slice(layout: Layout, from: number, to: number): Block[] {
	return sliceBlocks(layout, layout.blocks, { from, to });
}

/**
 * Maximum length of a table header in UTF-16 code units. Only a header within this length is repeated in later
 * posts, because a longer header could fill a post by itself.
 */
const longestHeader = 160;

/** Space at the start of a text. A space with a combining accent is a visible character, so it does not match. */
const blank = /^\s(?!\p{M})/u;

interface Range {
	readonly from: number;
	readonly to: number;
}

function sliceBlocks(layout: Layout, blocks: readonly Block[], range: Range): Block[] {
	const sliced: Block[] = [];
	for (const block of layout.between(blocks, range.from, range.to)) {
		if (layout.start(block) >= range.from && layout.end(block) <= range.to) sliced.push(block);
		else sliced.push(...sliceBlock(layout, block, range));
	}
	return sliced;
}

function sliceBlock(layout: Layout, block: Block, range: Range): Block[] {
	switch (block.type) {
		case "paragraph":
		case "heading": {
			const children = sliceLeaf(layout, block, range);
			return children.length > 0 || block.children.length === 0 ? [{ ...block, children }] : [];
		}
		case "code":
			return sliceCode(layout, block, range);
		case "blockquote": {
			const children = sliceBlocks(layout, block.children, range);
			return children.length > 0 ? [{ ...block, children }] : [];
		}
		case "list":
			return sliceList(layout, block, range);
		case "table":
			return sliceTable(layout, block, range);
		case "thematicBreak":
			return [block];
	}
}

function sliceCode(layout: Layout, code: Code, { from, to }: Range): Block[] {
	const start = layout.start(code);
	const first = Math.max(from - start, 0);
	// After a final line break, code has one more line, which is empty.
	if (first > 0 && first >= code.value.length && !code.value.endsWith("\n")) return [];
	const rest = code.value.slice(first, to - start);
	const value = to - start <= code.value.length && rest.endsWith("\n") ? rest.slice(0, -1) : rest;
	return definedItems([first > 0 ? continuedLabel : undefined, { ...code, value }]);
}

function sliceList(layout: Layout, list: List, range: Range): Block[] {
	const rest: Block[] = [];
	const items: ListItem[] = [];
	let index = layout.indexAfter(list.children, range.from);
	for (const item of layout.between(list.children, range.from, range.to)) {
		const children = sliceBlocks(layout, item.children, range);
		if (layout.start(item) < range.from) {
			rest.push(...children);
			index += 1;
		} else if (children.length > 0) items.push({ ...item, children });
	}
	if (items.length === 0) return rest;
	return [
		...rest,
		{ ...list, start: list.start === undefined ? undefined : list.start + index, children: items },
	];
}

function sliceTable(layout: Layout, table: Table, range: Range): Block[] {
	const [header] = table.children;
	const rows: TableRow[] = [];
	for (const row of layout.between(table.children, range.from, range.to)) {
		if (layout.start(row) >= range.from && layout.end(row) <= range.to) rows.push(row);
		else {
			const cells = row.children.map((cell) => ({ ...cell, children: sliceLeaf(layout, cell, range) }));
			if (cells.some((cell) => cell.children.length > 0)) rows.push({ ...row, children: cells });
		}
	}
	if (rows.length === 0) return [];
	const isRepeated =
		header !== undefined &&
		layout.end(header) <= range.from &&
		layout.end(header) - layout.start(header) <= longestHeader;
	const repeated = isRepeated ? [header] : [];
	return [{ ...table, children: [...repeated, ...rows] }];
}

/**
 * Returns the part of a leaf in `range`, without spaces on both sides of a cut. Platforms do not show such spaces,
 * and a style must not begin or end with a space.
 */
function sliceLeaf(layout: Layout, leaf: Exclude<Leaf, Code>, range: Range): Inline[] {
	const start = layout.start(leaf);
	if (start >= range.from && layout.end(leaf) <= range.to) return [...leaf.children];
	const text = layout.textOf(leaf);
	let from = Math.max(range.from - start, 0);
	let to = Math.min(range.to - start, text.length);
	if (from > 0) while (from < to && blank.test(text.slice(from, from + 2))) from++;
	if (to < text.length) while (from < to && blank.test(text.charAt(to - 1))) to--;
	return from < to ? sliceInlines(layout, leaf.children, { from: from + start, to: to + start }) : [];
}

function sliceInlines(layout: Layout, nodes: readonly Inline[], range: Range): Inline[] {
	return [...layout.between(nodes, range.from, range.to)].map((node) => {
		if ("children" in node) return { ...node, children: sliceInlines(layout, node.children, range) };
		const start = layout.start(node);
		return { ...node, value: node.value.slice(Math.max(range.from - start, 0), range.to - start) };
	});
}

import type { Block, Inline, List, Table, TableRow } from "./document.ts";
import type { Layout, Leaf } from "./layout.ts";

/**
 * Offsets at which a text may be split, ascending within each kind. The first kind gives the most readable result,
 * and the last kind the least readable.
 */
export interface Cuts {
	/** Offsets between the blocks of the document. */
	readonly blocks: number[];
	/** Offsets between the items, rows and blocks inside a block. */
	readonly parts: number[];
	/** Offsets between sentences, and between lines of code. */
	readonly sentences: number[];
	readonly words: number[];
	/** Offsets between the cells of the table row at the end, and between the words of its cells. */
	readonly cells: number[];
	/** Offsets after a heading or a table header, and inside a word or a line of code, but never inside a grapheme. */
	readonly graphemes: number[];
	/** Offsets inside links and code spans. They are used only for a link or a code span that is longer than a post. */
	readonly atoms: number[];
	/** The last offset between two code points. It is used if a grapheme is longer than a post. */
	readonly codePoints: number[];
}

// The locale is fixed, so that a text is always split in the same way.
const bySentence = new Intl.Segmenter("en", { granularity: "sentence" });
const byWord = new Intl.Segmenter("en", { granularity: "word" });
const byGrapheme = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Returns the cuts between two offsets, without the offsets themselves. Only the leaf at `to` has cuts inside its text.
 * The cuts do not depend on text at or after `to`, so appended text cannot move them.
 */
export function cutsBetween(layout: Layout, from: number, to: number): Cuts {
	const cuts: Cuts = {
		blocks: [],
		parts: [],
		sentences: [],
		words: [],
		cells: [],
		graphemes: [],
		atoms: [],
		codePoints: [],
	};
	const finder = { layout, from, to, cuts };
	findInBlocks(finder, layout.blocks, cuts.blocks);
	return cuts;
}

interface Finder {
	readonly layout: Layout;
	readonly from: number;
	readonly to: number;
	readonly cuts: Cuts;
}

function findInBlocks(finder: Finder, blocks: readonly Block[], between: number[]): void {
	for (const block of finder.layout.between(blocks, finder.from, finder.to)) {
		findInBlock(finder, block);
		add(finder, finder.layout.end(block), block.type === "heading" ? finder.cuts.graphemes : between);
	}
}

function findInBlock(finder: Finder, block: Block): void {
	switch (block.type) {
		case "paragraph":
		case "heading":
		case "code":
			findInLeaf(finder, block);
			return;
		case "blockquote":
			findInBlocks(finder, block.children, finder.cuts.parts);
			return;
		case "list":
			findInList(finder, block);
			return;
		case "table":
			findInTable(finder, block);
			return;
		case "thematicBreak":
	}
}

function findInList(finder: Finder, list: List): void {
	for (const item of finder.layout.between(list.children, finder.from, finder.to)) {
		findInBlocks(finder, item.children, finder.cuts.parts);
		add(finder, finder.layout.end(item), finder.cuts.parts);
	}
}

function findInTable(finder: Finder, table: Table): void {
	for (const row of finder.layout.between(table.children, finder.from, finder.to)) {
		const { graphemes, parts } = finder.cuts;
		// A cut after a row is better than a cut inside it.
		if (finder.layout.end(row) >= finder.to) findInRow(finder, row);
		add(finder, finder.layout.end(row), row === table.children[0] ? graphemes : parts);
	}
}

function findInRow(finder: Finder, row: TableRow): void {
	// A split row is always hard to read, so cuts in a row are preferred only to cuts inside words.
	const { cells } = finder.cuts;
	for (const cell of finder.layout.between(row.children, finder.from, finder.to)) {
		// All words are cuts, so the sentences are not needed.
		findInLeaf({ ...finder, cuts: { ...finder.cuts, sentences: [], words: cells } }, cell);
		add(finder, finder.layout.end(cell), cells);
	}
}

/**
 * Adds a cut between the offsets of the finder. Skips a repeated offset, for example of the last item and its list.
 */
function add({ from, to }: Finder, cut: number, cuts: number[]): void {
	if (cut > from && cut < to && cut !== cuts.at(-1)) cuts.push(cut);
}

function findInLeaf(finder: Finder, leaf: Leaf): void {
	const { layout, to } = finder;
	const start = layout.start(leaf);
	if (layout.end(leaf) < to) return;
	const first = Math.max(finder.from, start);
	// A lone high surrogate at the end would look like the end of a grapheme.
	const text = layout
		.textOf(leaf)
		.slice(first - start, to - start)
		.replace(/[\ud800-\udbff]$/, "");
	const window = { first, text };
	if (leaf.type === "code") findInCode(finder, window);
	else findInInlines(finder, window, leaf.children);
	// Only the last cut between code points is added, because all such cuts are equally bad.
	const last = window.text.length - 1;
	const cut = /^[\udc00-\udfff]/.test(window.text.slice(last)) ? last - 1 : last;
	if (cut > 0) add(finder, first + cut, finder.cuts.codePoints);
}

/** A part of a longer text. `first` is the offset in the longer text at which `text` begins. */
interface Window {
	readonly first: number;
	readonly text: string;
}

function findInCode(finder: Finder, { first, text }: Window): void {
	const { sentences, graphemes } = finder.cuts;
	for (const cut of lineStarts(text)) add(finder, first + cut, sentences);
	for (const cut of graphemeStarts(text)) {
		// After a cut before a line break, the next post would begin with an empty line.
		if (text[cut] !== "\n") add(finder, first + cut, graphemes);
	}
}

function findInInlines(finder: Finder, { first, text }: Window, inlines: readonly Inline[]): void {
	const { layout, to, cuts } = finder;
	const inside = atomsIn(layout, inlines, { from: first, to });
	for (const cut of sentenceStarts(text)) if (!inside(first + cut)) add(finder, first + cut, cuts.sentences);
	for (const cut of wordStarts(text)) if (!inside(first + cut)) add(finder, first + cut, cuts.words);
	for (const cut of graphemeStarts(text)) {
		add(finder, first + cut, inside(first + cut) ? cuts.atoms : cuts.graphemes);
	}
}

function* lineStarts(text: string): Generator<number> {
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) yield at + 1;
}

function* sentenceStarts(text: string): Generator<number> {
	for (const { index } of bySentence.segment(text)) yield index;
}

function* graphemeStarts(text: string): Generator<number> {
	for (const { index } of byGrapheme.segment(text)) yield index;
}

/**
 * Yields offsets after spaces and full-width punctuation, and between words in scripts without spaces. `(word`, `a.b`
 * and `word,` stay together.
 */
function* wordStarts(text: string): Generator<number> {
	let before: Intl.SegmentData | undefined;
	for (const segment of byWord.segment(text)) {
		const bare = before?.isWordLike === true && segment.isWordLike === true;
		const stop =
			before !== undefined && /[\s。、，．！？；：」』）]$/.test(before.segment) && !closes(segment);
		if (bare || stop) yield segment.index;
		before = segment;
	}
}

function closes({ segment }: Intl.SegmentData): boolean {
	return /^[\s。、，．！？；：」』）]/.test(segment);
}

function atomsIn(
	layout: Layout,
	nodes: readonly Inline[],
	range: { readonly from: number; readonly to: number },
): (cut: number) => boolean {
	const atoms: { readonly start: number; readonly end: number }[] = [];
	const visit = (inlines: readonly Inline[]): void => {
		for (const node of layout.between(inlines, range.from, range.to)) {
			if (node.type === "link" || node.type === "inlineCode") {
				atoms.push({ start: layout.start(node), end: layout.end(node) });
			} else if ("children" in node) visit(node.children);
		}
	};
	visit(nodes);
	return (cut) => atoms.some(({ start, end }) => cut > start && cut < end);
}

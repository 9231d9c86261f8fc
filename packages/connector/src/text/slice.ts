import type { Block, Code, Inline, List, ListItem, Table, TableRow } from "./document.ts";
import type { Layout, Leaf } from "./layout.ts";

/** Stands in front of a fence that was opened in an earlier post. */
export const continuedMark: Block = {
	type: "paragraph",
	children: [{ type: "emphasis", children: [{ type: "text", value: "continued" }] }],
};

/**
 * The part of a document between two offsets, as blocks that stand on their own: a list continues with its number, a
 * table repeats a short header, a fence repeats its language. The rest of a split list item comes without its bullet, in
 * front of the other items, because a bullet would make it another item.
 */
export function slice(layout: Layout, from: number, to: number): Block[] {
	return sliceBlocks(layout, layout.blocks, { from, to });
}

/** Characters of the longest header that a table repeats in later posts. A longer one could fill a post by itself. */
const longestHeader = 160;

/** A blank that carries an accent is a character as people see it. */
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
	// Behind the last line break there is one more line, which is empty.
	if (first > 0 && first >= code.value.length && !code.value.endsWith("\n")) return [];
	const rest = code.value.slice(first, to - start);
	const value = to - start <= code.value.length && rest.endsWith("\n") ? rest.slice(0, -1) : rest;
	return [...(first > 0 ? [continuedMark] : []), { ...code, value }];
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

/** Blanks on both sides of a cut are left out: no platform shows them, and no style may begin or end with one. */
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

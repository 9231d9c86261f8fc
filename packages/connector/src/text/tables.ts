import { columnsOf } from "./columns.ts";
import { type Block, type Inline, type ListItem, plainText, type Table, type TableRow } from "./document.ts";

/**
 * Maximum length of each header cell, in UTF-16 code units, if the header is repeated for every row. If a cell is
 * longer or contains a link, the header is shown only once.
 */
const maxLabel = 40;
/**
 * Number of first rows, including the header, that determine the form of a table. A growing table must not change its
 * form in finished posts.
 */
const decidingRows = 4;

/**
 * Converts a table to a list of its rows if the first `decidingRows` rows need more than `columns` columns. Also
 * converts tables inside quotes and lists.
 */
export function narrowTables(blocks: readonly Block[], columns: number): Block[] {
	return blocks.map((block): Block => {
		switch (block.type) {
			case "table":
				return widthOf(block) <= columns ? block : listOf(block);
			case "blockquote":
				return { ...block, children: narrowTables(block.children, columns) };
			case "list":
				return {
					...block,
					children: block.children.map((item) => ({
						...item,
						children: narrowTables(item.children, columns),
					})),
				};
			default:
				return block;
		}
	});
}

/** Returns the lines of a table with aligned columns, for a fixed-width font. */
export function alignedLines(table: Table): string[] {
	const widths = columnWidths(table.children);
	const [header, ...rows] = table.children.map((row) =>
		row.children
			.map((cell, index) => padded(singleLine(cell.children), widths[index] ?? 0))
			.join(" | ")
			.trimEnd(),
	);
	return [header ?? "", widths.map((width) => "-".repeat(width)).join("-|-"), ...rows];
}

function widthOf(table: Table): number {
	const widths = columnWidths(table.children.slice(0, decidingRows));
	return widths.reduce((sum, width) => sum + width + 3, -3);
}

function columnWidths(rows: readonly TableRow[]): number[] {
	const widths: number[] = [];
	for (const row of rows) {
		row.children.forEach((cell, index) => {
			widths[index] = Math.max(widths[index] ?? 1, columnsOf(singleLine(cell.children)));
		});
	}
	return widths;
}

function padded(text: string, width: number): string {
	return text + " ".repeat(Math.max(width - columnsOf(text), 0));
}

function singleLine(nodes: readonly Inline[]): string {
	return plainText(nodes).replaceAll("\n", " ");
}

function listOf(table: Table): Block {
	const [header, ...rows] = table.children;
	const labels = header?.children.map(({ children }) => children) ?? [];
	const short = labels.every((label) => plainText(label).length <= maxLabel && !label.some(containsLink));
	const shown = short && rows.length > 0 ? rows : table.children;
	return {
		type: "list",
		ordered: false,
		start: undefined,
		children: shown.map((row) => rowItem(row, shown === rows ? labels : [])),
	};
}

function containsLink(node: Inline): boolean {
	return node.type === "link" || ("children" in node && node.children.some(containsLink));
}

/** Returns a table row as a list item. Each cell that has a label or content becomes one line. */
function rowItem(row: TableRow, labels: readonly (readonly Inline[])[]): ListItem {
	const lines = row.children.map((cell, index): Inline[] => {
		const label = plainText(labels[index] ?? []);
		if (label === "") return [...cell.children];
		const heading: Inline = { type: "strong", children: [{ type: "text", value: `${label}:` }] };
		return cell.children.length === 0 ? [heading] : [heading, { type: "text", value: " " }, ...cell.children];
	});
	const children = lines
		.filter((line) => line.length > 0)
		.flatMap((line, index): Inline[] => (index === 0 ? line : [{ type: "text", value: "\n" }, ...line]));
	return { type: "listItem", checked: undefined, children: [{ type: "paragraph", children }] };
}

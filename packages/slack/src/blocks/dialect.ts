import type { Block, Dialect, Table } from "@parley/connector";
import { smallPrintStart } from "./marks.ts";
import { writeInlines } from "./write-inlines.ts";
import { writeMarkdown } from "./write-markdown.ts";

/**
 * Dialect for Slack: Markdown that `bodyBlocks` converts to blocks. `smallPrintStart` marks a line of small print.
 */
export const slackDialect: Dialect = {
	write: writeBody,
	small: (written) => smallPrintStart + written,
	measure: (written) => written.length,
	// Slack's tables scroll and their cells wrap, but tables wider than this are easier to read as lists.
	tableColumns: 200,
};

function writeBody(blocks: readonly Block[]): string {
	const parts: string[] = [];
	for (let from = 0; from < blocks.length; ) {
		const block = blocks[from];
		const next = blocks.findIndex((one, index) => index >= from && one.type === "table");
		const to = next < 0 ? blocks.length : next;
		if (block?.type === "table") parts.push(writeTable(block));
		else parts.push(writeMarkdown(blocks.slice(from, to)));
		from = Math.max(to, from + 1);
	}
	return parts.join("\n\n").toWellFormed();
}

function writeTable({ children }: Table): string {
	const [header, ...rows] = children.map(
		(row) =>
			`| ${row.children
				.map((cell) => writeInlines(cell.children).replace(/\s+/g, " ").trim())
				.map((cell) => cell.replace(/(\\.)|\|/g, (bar, pair) => pair ?? `\\${bar}`))
				.join(" | ")} |`,
	);
	const line = `|${" - |".repeat(children[0]?.children.length ?? 0)}`;
	return [header ?? "", line, ...rows].join("\n");
}

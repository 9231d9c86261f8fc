import { expect, test } from "vitest";
import { markdownDialect } from "./markdown-dialect.ts";
import { parseText } from "./parse-text.ts";
import { narrowTables } from "./tables.ts";

function narrowed(markdown: string, columns: number): string {
	return markdownDialect.write(narrowTables(parseText(markdown).blocks, columns));
}

const table = "| a | b |\n|-|-|\n| one | two |\n| three | |";

test("a table that fits stays a table, and any other becomes a list, in all containers", () => {
	expect(narrowed(table, 11)).toBe("| a | b |\n| - | - |\n| one | two |\n| three | |");
	const list = "- **a:** one\n  **b:** two\n- **a:** three\n  **b:**";
	expect(narrowed(table, 10)).toBe(list);
	expect(narrowed(`> ${table.replaceAll("\n", "\n> ")}`, 10)).toContain("> - **a:** one\n>   **b:** two");
});

test("long headers are written once, and a table with only headers loses none", () => {
	const label = "long ".repeat(10).trim();
	expect(narrowed(`| a | ${label} |\n|-|-|\n| 1 | 2 |`, 10)).toBe(`- a\n  ${label}\n- 1\n  2`);
	expect(narrowed("| a | bcdefghijk |\n|-|-|", 10)).toBe("- a\n  bcdefghijk");
});

test("the first rows decide the form of a table, and a growing table keeps its form", () => {
	const row = "\n| 1 | 2 |";
	expect(narrowed(`| a | b |\n|-|-|${row.repeat(3)}\n| 1 | a wide cell |`, 10)).toContain("| a | b |");
	expect(narrowed(`| a | b |\n|-|-|${row.repeat(2)}\n| 1 | a wide cell |`, 10)).toContain("- **a:** 1");
});

import { expect, test } from "vitest";
import { alignColumns, tableRows } from "./columns.ts";
import { createStyles } from "./styles.ts";
import { widthOf } from "./wrap.ts";

test("aligns cells, also after wide characters", () => {
	const rows = [
		["ID", "TITLE", "N"],
		["1", "日本語", "10"],
		["22", "", ""],
	];
	expect(alignColumns(rows)).toEqual(["ID  TITLE   N", "1   日本語  10", "22"]);
});

const table = {
	rows: [
		["NAME", "N", "TEXT"],
		["a-name-that-is-long", "7", "one"],
		["b", "1,234", "two three four"],
	],
	right: [1],
	elastic: 0,
};

test("aligns numbers at the right, and dims the header", () => {
	const format = { columns: Number.POSITIVE_INFINITY, styles: createStyles(true) };
	expect(tableRows(table, format)).toEqual([
		"\u001b[2mNAME                     N  TEXT\u001b[22m",
		"a-name-that-is-long      7  one",
		"b                    1,234  two three four",
	]);
});

test("shortens the elastic column, then complete rows", () => {
	const format = (columns: number) => ({ columns, styles: createStyles(false) });
	expect(tableRows(table, format(36))[1]).toBe("a-name-that-…      7  one");
	for (const columns of [36, 20, 5]) {
		expect(Math.max(...tableRows(table, format(columns)).map(widthOf))).toBeLessThanOrEqual(columns);
	}
});

test("leaves out optional columns first, in their order", () => {
	const optional = { ...table, optional: [2, 1] };
	const format = (columns: number) => ({ columns, styles: createStyles(false) });
	expect(tableRows(optional, format(45))[2]).toBe("b                    1,234  two three four");
	expect(tableRows(optional, format(30))[2]).toBe("b                    1,234");
	expect(tableRows(optional, format(20))[1]).toBe("a-name-that-is-long");
	expect(tableRows({ ...optional, optional: [0], elastic: 2 }, format(20))).toEqual([
		"    N  TEXT",
		"    7  one",
		"1,234  two three fo…",
	]);
});

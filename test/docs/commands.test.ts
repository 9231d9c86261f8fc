import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTables } from "./command-table.ts";
import { manPage } from "./man-page.ts";

const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");

test("each command of the program and of chats has its row with its options in docs/commands.md", () => {
	const rows = page.slice(page.indexOf("\n|") + 1).trimEnd();
	expect(rows, "run `node test/docs/write-commands.ts`").toEqual(commandTables());
});

const manual = readFileSync(new URL("../../packages/cli/man/parley.1", import.meta.url), "utf8");

test("the manual page has each command of the program", () => {
	expect(manual, "run `node test/docs/write-commands.ts`").toBe(manPage());
});

test("no text of the manual page is a request of the formatter", () => {
	const requests = new Set(manual.match(/^[.'].*?(?=\s|$)/gm));
	expect([...requests].sort()).toEqual([".B", ".SH", ".TH", ".TP", ".br"]);
});

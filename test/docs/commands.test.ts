import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTable } from "./command-table.ts";

const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");

test("each command has its row with its options in docs/commands.md", () => {
	const rows = page.split("\n").filter((line) => line.startsWith("|"));
	const hint =
		"copy the missing rows into docs/commands.md, or write it with `node test/docs/write-commands.ts`";
	expect(rows, hint).toEqual(commandTable().split("\n"));
});

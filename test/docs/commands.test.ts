import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTables } from "./command-table.ts";

const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");

test("each command of the program and of chats has its row with its options in docs/commands.md", () => {
	const rows = page.slice(page.indexOf("\n|") + 1).trimEnd();
	expect(rows, "run `node test/docs/write-commands.ts`").toEqual(commandTables());
});

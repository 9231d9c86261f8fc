import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findInternals, readIdEnds } from "./find-internals.ts";

const internals = { directories: ["/data/parley"], idEnds: new Set(["hhx3er", "123456"]) };

test.each([
	"run run_troml8radukki9sv5vw3dhhxer failed",
	"Not found: sess_troml8radukki9sv5vw3dhhxer.",
	"discord:1:2 is a guest",
	"I need SEND_MESSAGES here",
	"I need SendMessages here",
	"missing_scope: chat:write",
	"no space in /data/parley/files",
	"task id a1b2c3",
	"Question id cccccc",
	"complete result: /task show hhx3er",
	"- `5vw3dhhx3er` **Tidy**",
])("finds %s", (line) => {
	expect(findInternals(`fine\n${line}\nfine`, internals)).toEqual([line]);
});

test("accepts ordinary posts", () => {
	const posts = [
		"task list",
		"the tool run_command",
		"write_file returned",
		"12:30: mention:me",
		"AGENTS_MD",
		"the task identity",
		"video h264ab",
		"123456",
	];
	expect(findInternals(posts.join("\n"), internals)).toEqual([]);
});

test("reads the ends of ids from a database", async () => {
	await using temporary = await mkdtempDisposable(join(tmpdir(), "parley-ids-"));
	const { path: directory } = temporary;
	await writeFile(join(directory, "parley.sqlite"), "\0\u0001task_roml8radukki9sv5vw3dhhx3er\0x");
	await writeFile(join(directory, "parley.log"), "task_troml8radukki9sv5vw3dhhx000");
	await expect(readIdEnds(tmpdir())).rejects.toThrow("there is no database");
	expect(await readIdEnds(directory)).toEqual(new Set(["hhx3er"]));
});

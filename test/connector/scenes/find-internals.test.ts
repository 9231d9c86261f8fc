import { expect, test } from "vitest";
import { findInternals } from "./find-internals.ts";

test.each([
	"run run_troml8radukki9sv5vw3dhhxer failed",
	"Not found: sess_troml8radukki9sv5vw3dhhxer.",
	"discord:1:2 is a guest",
	"I need SEND_MESSAGES here",
	"I need SendMessages here",
	"missing_scope: chat:write",
	"no space in /data/parley/files",
])("finds %s", (line) => {
	expect(findInternals(`fine\n${line}\nfine`, ["/data/parley"])).toEqual([line]);
});

test("accepts ordinary posts", () => {
	const posts = [
		"task list",
		"the tool run_command",
		"write_file returned",
		"12:30: mention:me",
		"AGENTS_MD",
		"task id a1b2c3",
	];
	expect(findInternals(posts.join("\n"), ["/data/parley"])).toEqual([]);
});

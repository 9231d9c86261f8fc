import { expect, test } from "vitest";
import { progressWords } from "./typing.ts";

const writing = { type: "writing", subject: undefined, length: 10 } as const;

test.each([
	[undefined, ""],
	[{ type: "thinking", text: "the salary of Ada" } as const, "is thinking…"],
	[{ ...writing, name: "write_file" }, "is writing a file…"],
	[{ ...writing, name: "write_file", subject: "docs/a b.md" }, "is writing a b.md…"],
	[{ ...writing, name: "edit_file", subject: `x/${"n".repeat(80)}` }, `is writing ${"n".repeat(59)}……`],
	[{ ...writing, name: "run_command", subject: "cat /etc/passwd" }, "is preparing run_command…"],
])("a channel shows the actions of the agent, but no thoughts or commands: %j", (progress, words) => {
	expect(progressWords(progress)).toBe(words);
});

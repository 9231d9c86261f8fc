import { expect, test } from "vitest";
import { helpRows, readLine, slashCommands } from "./slash-commands.ts";

test.each([
	["/new", { kind: "command", name: "new" }],
	["/quit ", { kind: "command", name: "quit" }],
	["hello", { kind: "message", content: "hello" }],
	[" /etc/hosts?", { kind: "message", content: " /etc/hosts?" }],
	["   ", { kind: "blank" }],
])("%j", (line, entered) => {
	expect(readLine(line)).toEqual(entered);
});

test.each(["/news", "/", "/toString"])("%s is no command, and what there is is named", (line) => {
	expect(readLine(line)).toEqual({ kind: "unknown", hint: expect.stringContaining("/new /sessions") });
});

test("the help names every command", () => {
	for (const name of Object.keys(slashCommands)) expect(helpRows().join("\n")).toContain(`/${name}`);
});

import { expect, test } from "vitest";
import { helpRows, readLine, slashCommands } from "./slash-commands.ts";

test.each([
	["/new", { kind: "command", name: "new", words: "" }],
	["/quit ", { kind: "command", name: "quit", words: "" }],
	["/model", { kind: "command", name: "model", words: "" }],
	["/model fast ", { kind: "command", name: "model", words: "fast" }],
	["/steer not there,\nhere", { kind: "command", name: "steer", words: "not there,\nhere" }],
	["hello", { kind: "message", content: "hello" }],
	[" /etc/hosts?", { kind: "message", content: " /etc/hosts?" }],
	["   ", { kind: "blank" }],
])("%j", (line, entered) => {
	expect(readLine(line)).toEqual(entered);
});

test.each(["/news", "/", "/toString", "/etc/hosts is odd"])(
	"rejects the unknown command %s and names /help",
	(line) => {
		expect(readLine(line)).toEqual({
			kind: "unknown",
			hint: expect.stringMatching(/^Unknown command \/\S*\. \/help lists the commands\./),
		});
	},
);

test.each([
	["/steer", "/steer requires a text: /steer TEXT"],
	["/quit now", "/quit takes no text"],
])("rejects %s and prints the correct use", (line, hint) => {
	expect(readLine(line)).toEqual({ kind: "unknown", hint: expect.stringContaining(hint) });
});

test("lists every command in rows of at most 80 columns", () => {
	for (const name of Object.keys(slashCommands)) expect(helpRows().join("\n")).toContain(`/${name}`);
	expect(Math.max(...helpRows().map((row) => row.length))).toBeLessThanOrEqual(80);
});

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
	["/steer", "/steer requires text: /steer TEXT"],
	["/quit now", "/quit does not accept text"],
])("rejects %s and prints the correct use", (line, hint) => {
	expect(readLine(line)).toEqual({ kind: "unknown", hint: expect.stringContaining(hint) });
});

test.each([40, 80])(
	"lists every command in rows of at most %i columns, without a break in a word",
	(columns) => {
		const rows = helpRows(columns);
		for (const name of Object.keys(slashCommands)) expect(rows.join("\n")).toContain(`/${name}`);
		expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns);
		expect(rows.join(" ").replaceAll(/ +/g, " ")).toContain(
			"/open N shows the last tool call or thinking in full; N: an earlier entry",
		);
	},
);

test("a line after an exclamation mark is a command, only if a person typed it", () => {
	expect(readLine("!git status ", "run")).toEqual({ kind: "shell", command: "git status" });
	expect(readLine(" !git status", "run")).toEqual({ kind: "message", content: " !git status" });
	expect(readLine("!ls")).toEqual({ kind: "message", content: "!ls" });
	for (const [line, hint] of [
		["!", "requires a command"],
		["!ls\nrm x", "must be one line"],
		["!ls\n", "must be one line"],
	] as const) {
		expect(readLine(line, "run")).toMatchObject({ kind: "unknown", hint: expect.stringContaining(hint) });
	}
	expect(readLine("!ls", "refused")).toMatchObject({ hint: expect.stringContaining("--plain") });
});

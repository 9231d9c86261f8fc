import { expect, test } from "vitest";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { offeredRows, questionPrompt, questionRows } from "./question-rows.ts";

const plain = { columns: 40, styles: createStyles(false) };

test("prints an approval with the complete command, the reason and the risk", () => {
	const label = `Allow run ${"very ".repeat(12)}long?`;
	const context = { risk: "high", allow_session: false, notes: ["runs without a sandbox"] } as const;
	expect(questionRows(askQuestion({ type: "confirm", label, context }), plain)).toEqual([
		"Allow run very very very very very very",
		"very very very very very very long?",
		"  runs without a sandbox",
		"  risk: high",
	]);
});

test("prints a complete preview in the colours of a diff", () => {
	const preview = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n";
	const context = { preview, risk: "normal", allow_session: true } as const;
	const coloured = { columns: 40, styles: createStyles(true) };
	expect(questionRows(askQuestion({ type: "confirm", label: "write a", context }), coloured)).toEqual([
		"\u001b[1mwrite a\u001b[22m",
		"\u001b[31m  --- a\u001b[39m",
		"\u001b[32m  +++ b\u001b[39m",
		"\u001b[36m  @@ -1 +1 @@\u001b[39m",
		"\u001b[31m  -old\u001b[39m",
		"\u001b[32m  +new\u001b[39m",
		"\u001b[2m   same\u001b[22m",
	]);
});

test("escapes control characters of a tool", () => {
	const context = { preview: "+\u001b[2J", notes: ["\u001b]0;x\u0007"] };
	const rows = questionRows(askQuestion({ type: "confirm", label: "run \u001b[8mrm", context }), plain);
	expect(rows.join("\n")).not.toMatch(/\p{Cc}(?<!\n)/u);
	expect(rows[0]).toBe("run \\u{1b}[8mrm");
});

test("numbers the options, and marks those that are not available", () => {
	const options = [
		{ value: "a", label: "Tea", description: "green", disabled: false },
		{ value: "b", label: "Beer", description: "", disabled: true },
		{ value: "c", label: `Coffee ${"very ".repeat(7)}hot`, description: "", disabled: false },
	];
	const rows = questionRows(askQuestion({ type: "select", label: "Drink?", options }), plain);
	expect(rows.slice(0, 3)).toEqual(["? Drink?", "  1  Tea  · green", "  2  Beer  · not available"]);
	expect(rows.slice(3)).toEqual(["  3  Coffee very very very very very", "     very very hot"]);
});

test("prints hints for valid answers", () => {
	const question = askQuestion({ label: "Code?", required: false, validation: "\\d+", placeholder: "42" });
	expect(questionRows(question, plain)).toEqual([
		"? Code?",
		"  for example 42, must match \\d+,",
		"  optional",
	]);
});

test("does not offer the session if an approval applies once", () => {
	expect(questionPrompt(askQuestion({ type: "confirm" }))).toBe("y yes · n no › ");
	expect(questionPrompt(askQuestion({ type: "confirm", context: { allow_session: true } }))).toContain(
		"session",
	);
});

test.each([
	[["exec-sandboxed"], "chats: `curl a.example`, also with more arguments"],
	[["exec-sandboxed", "egress"], "chats, with network access: `curl a.example`, also with more arguments"],
	[
		["write", "egress"],
		"chats, with changes of files and network access: `curl a.example`, also with more arguments",
	],
	[["new\u001b[8m"], "chats, with the class new\\u{1b}[8m: `curl a.example`, also with more arguments"],
])("the answer `always` shows what a rule with the classes %j allows", (classes, shown) => {
	const rule = { tool: "run_command", classes, commands: [{ words: ["curl", "a.example"], exact: false }] };
	const question = askQuestion({ type: "confirm", context: { always_allow: rule } });
	const rows = offeredRows(question, { ...plain, columns: 400 });
	expect(rows.join("\n")).toBe(`  always adds a rule that allows run_command in all sessions and ${shown}`);
});

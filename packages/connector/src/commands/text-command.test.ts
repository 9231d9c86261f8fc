import { expect, test } from "vitest";
import type { CommandShape } from "./command.ts";
import { isStopWord, readTextCommand } from "./text-command.ts";

const text = { name: "text", description: "What is to be done", type: "string", required: true } as const;
const table: readonly CommandShape[] = [
	{ name: "help", description: "Helps", options: [] },
	{
		name: "task new",
		description: "Begins",
		options: [
			text,
			{ name: "title", description: "Its name", type: "string", required: false, max: 10 },
			{
				name: "priority",
				description: "How soon",
				type: "string",
				required: false,
				choices: [{ value: "high", label: "High" }],
			},
			{ name: "minutes", description: "How long", type: "integer", required: false, min: 1, max: 60 },
			{ name: "quiet", description: "No posts", type: "boolean", required: false },
		],
	},
	{ name: "task list", also: "tasks", description: "Lists", options: [] },
	{
		name: "task reply",
		description: "Answers",
		options: [
			{ name: "id", description: "Which one", type: "string", required: true, completes: true },
			text,
		],
	},
	{ name: "ask", description: "Asks", options: [text] },
	{
		name: "model",
		description: "Who answers",
		options: [{ name: "name", description: "A model", type: "string", required: false, completes: true }],
	},
	{
		name: "approvals",
		description: "What waits",
		options: [{ name: "from", description: "The first", type: "integer", required: false }],
	},
];

test.each([
	["!help", "help", {}],
	["/help", "help", {}],
	["  !HELP ", "help", {}],
	["!tasks", "task list", {}],
	["!task new Count the files", "task new", { text: "Count the files" }],
	["!task   new Count\nthe  files", "task new", { text: "Count\nthe  files" }],
	[
		"/task new Count priority:high minutes=5 quiet:yes",
		"task new",
		{ text: "Count", priority: "high", minutes: 5, quiet: true },
	],
	['!task new title:"two words" Count', "task new", { text: "Count", title: "two words" }],
	["!task new text:Count", "task new", { text: "Count" }],
	['!task new text:"Count all" priority:high', "task new", { text: "Count all", priority: "high" }],
	["!task new quiet:no text:Count", "task new", { text: "Count", quiet: false }],
	["!ask what does text:foo mean?", "ask", { text: "what does text:foo mean?" }],
	["!ask text:foo means what?", "ask", { text: "text:foo means what?" }],
	["!ask what is text:foo", "ask", { text: "what is text:foo" }],
	[
		"!task new set priority:high in the yaml, and title:x too",
		"task new",
		{ text: "set priority:high in the yaml, and title:x too" },
	],
	["!task new say title:x twice title:x", "task new", { text: "say title:x twice", title: "x" }],
	['!task new title:"never ended', "task new", { text: 'title:"never ended' }],
	["!task reply abc text:yes", "task reply", { id: "abc", text: "yes" }],
	["!task reply id:abc as text:foo says", "task reply", { id: "abc", text: "as text:foo says" }],
	["!model two words", "model", { name: "two words" }],
	["!approvals from:5", "approvals", { from: 5 }],
] as const)("%s is a command", (typed, name, options) => {
	expect(readTextCommand(typed, table)).toMatchObject({ command: { name }, options });
	expect(Object.keys(Object(readTextCommand(typed, table)).options)).toHaveLength(
		Object.keys(options).length,
	);
});

test.each([
	["!task new", "`text` is missing"],
	["!task new Count minutes:500", "`minutes`"],
	["!task new Count minutes:soon", "`minutes` has an invalid value"],
	["!task new Count priority:urgent", "`priority`"],
	["!task new Count quiet:maybe", "`quiet`"],
	["!task new Count title:abcdefghijk", "`title`"],
	["!task", "`!task new`, `!task list`"],
	["!task dance", "`!task new`, `!task list`"],
	["!task reply abc", "`text`"],
	["!help me", "no options. Usage: `!help`"],
	["!tasks of ours", "no options. Usage: `!task list`"],
	["!model name:fast please", "`!model [name:…]`"],
	["!approvals 5", "`!approvals [from:…]`"],
])("%s is explained", (typed, word) => {
	expect(readTextCommand(typed, table)).toEqual({ problem: expect.stringContaining(word) });
});

test.each(["help", "!", "! help", "!dance", "/etc/hosts is a file", "look: !help"])(
	"%s is not a command",
	(typed) => {
		expect(readTextCommand(typed, table)).toBeUndefined();
	},
);

test("a stop command may contain more words", () => {
	const stop = { name: "stop", description: "Stops", options: [] };
	for (const typed of ["!stop", "!stop now", "/stop it, please"]) {
		expect(readTextCommand(typed, [...table, stop])).toEqual({ command: stop, options: {} });
	}
});

test.each([
	...["stop", "!stop", "/stop", " Stop ", "STOP", "stop!", "Stop.", "stop!!!"].map(
		(typed) => [typed, true] as const,
	),
	...["stop it", "stopp", "!!stop", "", "don't stop", "stop?", "stop, it"].map(
		(typed) => [typed, false] as const,
	),
])("%s is a stop command: %s", (typed, expected) => {
	expect(isStopWord(typed)).toBe(expected);
});

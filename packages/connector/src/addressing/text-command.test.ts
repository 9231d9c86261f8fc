import { expect, test } from "vitest";
import type { CommandShape } from "../commands/command.ts";
import { readTextCommand, saysStop } from "./text-command.ts";

const text = { name: "text", description: "What is to be done", type: "string", required: true } as const;
const table: readonly CommandShape[] = [
	{ name: "help", description: "Helps", options: [] },
	{
		...{ name: "task new", description: "Begins" },
		options: [
			text,
			{ name: "title", description: "Its name", type: "string", required: false, max: 10 },
			{
				...{ name: "priority", description: "How soon", type: "string", required: false },
				choices: [{ value: "high", label: "High" }],
			},
			{ name: "minutes", description: "How long", type: "integer", required: false, min: 1, max: 60 },
			{ name: "quiet", description: "No posts", type: "boolean", required: false },
		],
	},
	{ name: "task list", also: "tasks", description: "Lists", options: [] },
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
] as const)("%s is a command", (said, name, options) => {
	expect(readTextCommand(said, table)).toMatchObject({ command: { name }, options });
	expect(Object.keys(Object(readTextCommand(said, table)).options)).toHaveLength(Object.keys(options).length);
});

test.each([
	["!task new", "`text`"],
	["!task new Count minutes:500", "`minutes`"],
	["!task new Count minutes:soon", "`minutes`"],
	["!task new Count priority:urgent", "`priority`"],
	["!task new Count quiet:maybe", "`quiet`"],
	["!task new Count title:abcdefghijk", "`title`"],
	["!task", "`!task new`, `!task list`"],
	["!task dance", "`!task new`, `!task list`"],
])("%s is explained", (said, word) => {
	expect(readTextCommand(said, table)).toEqual({ problem: expect.stringContaining(word) });
});

test.each(["help", "!", "! help", "!dance", "/etc/hosts is a file", "look: !help"])(
	"%s is no command",
	(said) => {
		expect(readTextCommand(said, table)).toBeUndefined();
	},
);

test.each([
	...["stop", "!stop", "/stop", " Stop ", "STOP"].map((said) => [said, true] as const),
	...["stop it", "stopp", "!!stop", "", "don't stop", "stop!"].map((said) => [said, false] as const),
])("%s says stop: %s", (said, expected) => {
	expect(saysStop(said)).toBe(expected);
});

import { calls, says } from "@parley/core/testing";
import { answers, hasText } from "../checks.ts";
import type { Task } from "../task.ts";

const lazy = [[says("Done.")]];

export const fileTasks: readonly Task[] = [
	{
		name: "read one value",
		kind: "files",
		files: { "config.ini": "[server]\nhost = example.org\nport = 4711\n" },
		message: "Which port does config.ini set?",
		check: (outcome) => answers(outcome, "4711"),
		good: [[calls("1", "read_file", { path: "config.ini" })], [says("It sets port 4711.")]],
		bad: lazy,
	},
	{
		name: "write a new file",
		kind: "files",
		files: {},
		message: "Write a file hello.txt that contains exactly the word hello.",
		check: (outcome) => hasText(outcome, "hello.txt", "hello"),
		good: [[calls("1", "write_file", { path: "hello.txt", content: "hello\n" })], [says("I wrote it.")]],
		bad: lazy,
	},
	{
		name: "count lines",
		kind: "files",
		files: { "names.txt": `${Array.from({ length: 37 }, (_, index) => `name-${index}`).join("\n")}\n` },
		message: "How many lines does names.txt have? Answer with the number.",
		check: (outcome) => answers(outcome, "37"),
		good: [[calls("1", "read_file", { path: "names.txt" })], [says("37")]],
		bad: lazy,
	},
	{
		name: "compare two files",
		kind: "files",
		files: { "old.txt": "red\ngreen\nblue\n", "new.txt": "red\nblue\nyellow\n" },
		message: "Which word is in old.txt and not in new.txt, and which one is only in new.txt?",
		check: (outcome) => answers(outcome, "green", "yellow"),
		good: [
			[calls("1", "read_file", { path: "old.txt" }), calls("2", "read_file", { path: "new.txt" })],
			[says("green is only in old.txt, yellow only in new.txt.")],
		],
		bad: lazy,
	},
	{
		name: "name a missing file",
		kind: "files",
		files: { "notes.md": "# Notes\n" },
		message: "What does todo.md say?",
		check: (outcome) => {
			const isHonest = /not (exist|find|found)|no (such )?file|does ?n.t exist|could ?n.t find|missing/i;
			return isHonest.test(outcome.answer) ? [] : ["the answer does not say that the file is missing"];
		},
		good: [[calls("1", "read_file", { path: "todo.md" })], [says("todo.md does not exist.")]],
		bad: lazy,
	},
];

import { calls, says } from "@parley/core/testing";
import { answers } from "../checks.ts";
import type { Task } from "../task.ts";

const lazy = [[says("Done.")]];
const modules = Object.fromEntries(
	Array.from({ length: 40 }, (_, index) => [
		`src/part-${index}/index.mjs`,
		`export const part${index} = ${index};\n${index === 23 ? "export function parseDuration(text) {}\n" : ""}`,
	]),
);

export const searchTasks: readonly Task[] = [
	{
		name: "find a definition",
		kind: "searches",
		files: modules,
		message: "In which file is parseDuration defined?",
		check: (outcome) => answers(outcome, "src/part-23/index.mjs"),
		good: [
			[calls("1", "search_files", { pattern: "function parseDuration" })],
			[says("In src/part-23/index.mjs.")],
		],
		bad: lazy,
	},
	{
		name: "count uses",
		kind: "searches",
		files: {
			"a.mjs": "log(1);\nlog(2);\n",
			"b.mjs": "log(3);\n",
			"c.mjs": "// no call here\nwarn(4);\n",
		},
		message: "How often is log() called in all files together? Answer with the number.",
		check: (outcome) => answers(outcome, "3"),
		good: [[calls("1", "search_files", { pattern: "log\\(" })], [says("3")]],
		bad: lazy,
	},
	{
		name: "find the largest number",
		kind: "searches",
		files: {
			"data/january.csv": "day,sales\n1,40\n2,75\n",
			"data/february.csv": "day,sales\n1,91\n2,12\n",
			"data/march.csv": "day,sales\n1,88\n2,90\n",
		},
		message: "Which month in data has the day with the most sales, and how many are they?",
		check: (outcome) => answers(outcome, "february", "91"),
		good: [
			[
				calls("1", "read_file", { path: "data/january.csv" }),
				calls("2", "read_file", { path: "data/february.csv" }),
				calls("3", "read_file", { path: "data/march.csv" }),
			],
			[says("February, with 91.")],
		],
		bad: [[says("March, with 90.")]],
	},
	{
		name: "find an unused file",
		kind: "searches",
		files: {
			"main.mjs": 'import "./one.mjs";\nimport "./two.mjs";\n',
			"one.mjs": 'import "./three.mjs";\n',
			"two.mjs": "export {};\n",
			"three.mjs": "export {};\n",
			"four.mjs": "export {};\n",
		},
		message: "Which .mjs file does no other file import, apart from main.mjs?",
		check: (outcome) => answers(outcome, "four.mjs"),
		good: [[calls("1", "search_files", { pattern: "import" })], [says("four.mjs")]],
		bad: [[says("three.mjs")]],
	},
];

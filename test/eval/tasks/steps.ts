import { calls, says } from "@parley/core/testing";
import { answers, contains, hasText } from "../checks.ts";
import type { Task } from "../task.ts";

const lazy = [[says("Done.")]];
const sum = "export function sum(numbers) {\n\treturn numbers.reduce((a, b) => a - b, 0);\n}\n";
const check =
	'import { sum } from "./sum.mjs";\n\nif (sum([1, 2, 3]) !== 6) throw new Error("sum is wrong");\nconsole.log("all good");\n';

export const stepTasks: readonly Task[] = [
	{
		name: "fix a program by its check",
		kind: "several steps",
		files: { "sum.mjs": sum, "check.mjs": check },
		message: "node check.mjs fails. Find the fault in sum.mjs and fix it. Do not change check.mjs.",
		async check(outcome) {
			return [
				...(await contains(outcome, "sum.mjs", "a + b")),
				...(await hasText(outcome, "check.mjs", check)),
			];
		},
		good: [
			[calls("1", "read_file", { path: "sum.mjs" }), calls("2", "read_file", { path: "check.mjs" })],
			[calls("3", "edit_file", { path: "sum.mjs", old_text: "a - b", new_text: "a + b" })],
			[says("sum adds now.")],
		],
		bad: [
			[calls("1", "write_file", { path: "check.mjs", content: 'console.log("all good");\n' })],
			[says("The check passes now.")],
		],
	},
	{
		name: "follow a chain of files",
		kind: "several steps",
		files: {
			"start.txt": "The next clue is in garden/bench.txt.\n",
			"garden/bench.txt": "Look into cellar/barrel.txt.\n",
			"cellar/barrel.txt": "The password is marmalade.\n",
		},
		message: "Begin with start.txt and follow the clues. Which password do you find?",
		check: (outcome) => answers(outcome, "marmalade"),
		good: [
			[calls("1", "read_file", { path: "start.txt" })],
			[calls("2", "read_file", { path: "garden/bench.txt" })],
			[calls("3", "read_file", { path: "cellar/barrel.txt" })],
			[says("The password is marmalade.")],
		],
		bad: lazy,
	},
	{
		name: "make a table of files",
		kind: "several steps",
		files: {
			"people/ada.json": '{"name": "Ada", "age": 36}\n',
			"people/bo.json": '{"name": "Bo", "age": 25}\n',
			"people/cy.json": '{"name": "Cy", "age": 41}\n',
		},
		message: "Write people.csv with the header name,age and one row for each file in people, sorted by age.",
		check: (outcome) => hasText(outcome, "people.csv", "name,age\nBo,25\nAda,36\nCy,41\n"),
		good: [
			[calls("1", "list_files", { path: "people" })],
			[
				calls("2", "read_file", { path: "people/ada.json" }),
				calls("3", "read_file", { path: "people/bo.json" }),
				calls("4", "read_file", { path: "people/cy.json" }),
			],
			[
				calls("5", "write_file", {
					path: "people.csv",
					content: "name,age\nBo,25\nAda,36\nCy,41\n",
				}),
			],
			[says("people.csv has three rows.")],
		],
		bad: [
			[calls("1", "write_file", { path: "people.csv", content: "name,age\nAda,36\nBo,25\nCy,41\n" })],
			[says("people.csv has three rows.")],
		],
	},
	{
		name: "move a function",
		kind: "several steps",
		files: {
			"main.mjs": 'function shout(text) {\n\treturn text.toUpperCase();\n}\n\nconsole.log(shout("hi"));\n',
		},
		message:
			"Move shout from main.mjs into a new file shout.mjs, export it there, and import it in main.mjs.",
		async check(outcome) {
			const main = (await outcome.read("main.mjs")) ?? "";
			return [
				...(await contains(outcome, "shout.mjs", "export")),
				...(await contains(outcome, "shout.mjs", "toUpperCase")),
				...(/import \{ ?shout ?\} from ["']\.\/shout\.mjs["']/.test(main)
					? []
					: ["main.mjs does not import it"]),
				...(main.includes("toUpperCase") ? ["main.mjs still has the function"] : []),
			];
		},
		good: [
			[
				calls("1", "write_file", {
					path: "shout.mjs",
					content: "export function shout(text) {\n\treturn text.toUpperCase();\n}\n",
				}),
				calls("2", "write_file", {
					path: "main.mjs",
					content: 'import { shout } from "./shout.mjs";\n\nconsole.log(shout("hi"));\n',
				}),
			],
			[says("Moved.")],
		],
		bad: lazy,
	},
];

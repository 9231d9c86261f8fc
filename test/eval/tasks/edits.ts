import { calls, says } from "@parley/core/testing";
import { contains, hasText } from "../checks.ts";
import type { Task } from "../task.ts";

const lazy = [[says("Done.")]];
const add = "export function add(a, b) {\n\treturn a - b;\n}\n";

export const editTasks: readonly Task[] = [
	{
		name: "fix an operator",
		kind: "edits",
		files: { "add.mjs": add },
		message: "add in add.mjs subtracts. Fix it, and change nothing else.",
		check: (outcome) => hasText(outcome, "add.mjs", add.replace("a - b", "a + b")),
		good: [
			[calls("1", "read_file", { path: "add.mjs" })],
			[calls("2", "edit_file", { path: "add.mjs", old_text: "a - b", new_text: "a + b" })],
			[says("It adds now.")],
		],
		bad: lazy,
	},
	{
		name: "change one of two equal lines",
		kind: "edits",
		files: { "ports.yaml": "web:\n  port: 80\napi:\n  port: 80\n" },
		message: "In ports.yaml, change the port of api to 8080.",
		check: (outcome) => hasText(outcome, "ports.yaml", "web:\n  port: 80\napi:\n  port: 8080\n"),
		good: [
			[calls("1", "read_file", { path: "ports.yaml" })],
			[
				calls("2", "edit_file", {
					path: "ports.yaml",
					old_text: "api:\n  port: 80",
					new_text: "api:\n  port: 8080",
				}),
			],
			[says("Done.")],
		],
		bad: [
			[
				calls("1", "edit_file", {
					path: "ports.yaml",
					old_text: "port: 80",
					new_text: "port: 8080",
					replace_all: true,
				}),
			],
			[says("Done.")],
		],
	},
	{
		name: "rename in two files",
		kind: "edits",
		files: {
			"user.mjs": "export function getUsr(id) {\n\treturn { id };\n}\n",
			"main.mjs": 'import { getUsr } from "./user.mjs";\n\nconsole.log(getUsr(1));\n',
		},
		message: "Rename the function getUsr to getUser everywhere.",
		async check(outcome) {
			const faults = [
				...(await contains(outcome, "user.mjs", "function getUser(id)")),
				...(await contains(outcome, "main.mjs", "import { getUser }")),
				...(await contains(outcome, "main.mjs", "getUser(1)")),
			];
			const texts = [await outcome.read("user.mjs"), await outcome.read("main.mjs")];
			return texts.join().includes("getUsr") ? [...faults, "getUsr is still there"] : faults;
		},
		good: [
			[calls("1", "search_files", { pattern: "getUsr" })],
			[
				calls("2", "edit_file", { path: "user.mjs", old_text: "getUsr", new_text: "getUser" }),
				calls("3", "edit_file", {
					path: "main.mjs",
					old_text: "getUsr",
					new_text: "getUser",
					replace_all: true,
				}),
			],
			[says("Renamed.")],
		],
		bad: [
			[calls("1", "edit_file", { path: "user.mjs", old_text: "getUsr", new_text: "getUser" })],
			[says("Renamed.")],
		],
	},
	{
		name: "add a field to JSON",
		kind: "edits",
		files: { "package.json": '{\n  "name": "demo",\n  "version": "1.0.0"\n}\n' },
		message: 'Add "private": true to package.json. It must stay valid JSON.',
		async check(outcome) {
			const text = (await outcome.read("package.json")) ?? "";
			const isRight = /"private": ?true/.test(text) && /"name": ?"demo"/.test(text) && isBalanced(text);
			return isRight ? [] : [`package.json is ${JSON.stringify(text)}`];
		},
		good: [
			[
				calls("1", "edit_file", {
					path: "package.json",
					old_text: '"version": "1.0.0"',
					new_text: '"version": "1.0.0",\n  "private": true',
				}),
			],
			[says("Added.")],
		],
		bad: lazy,
	},
	{
		name: "delete a section",
		kind: "edits",
		files: {
			"README.md": "# Demo\n\n## Install\n\nnpm install\n\n## Old\n\nObsolete.\n\n## Use\n\nnpm start\n",
		},
		message: 'Delete the section "Old" of README.md with its heading. Keep the other sections.',
		async check(outcome) {
			const text = (await outcome.read("README.md")) ?? "";
			const isRight = !/Old|Obsolete/.test(text) && text.includes("## Install") && text.includes("## Use");
			return isRight ? [] : [`README.md is ${JSON.stringify(text)}`];
		},
		good: [
			[
				calls("1", "edit_file", {
					path: "README.md",
					old_text: "## Old\n\nObsolete.\n\n",
					new_text: "",
				}),
			],
			[says("Deleted.")],
		],
		bad: lazy,
	},
];

function isBalanced(text: string): boolean {
	return text.trim().startsWith("{") && text.trim().endsWith("}") && !/,\s*}/.test(text);
}

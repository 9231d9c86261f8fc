import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { hidesResult, toolEndRows, toolStartRow } from "./tool-rows.ts";

const plain = { columns: 40, styles: createStyles(false) };
const call = { name: "run_command", call_id: "c" };

test.each([
	["named arguments", { cmd: "echo hi" }, "▸ run_command cmd: echo hi"],
	["other values as JSON", { n: 1, all: [true] }, "▸ run_command n: 1, all: [true]"],
	["none", {}, "▸ run_command "],
	["what is no object", ["x"], '▸ run_command ["x"]'],
	["too long", { cmd: "x".repeat(60) }, "▸ run_command cmd: xxxxxxxxxxxxxxxxxxxx…"],
	["several lines", { cmd: "a\nb" }, "▸ run_command cmd: a\\nb"],
	["what would command the terminal", { cmd: "\u001b[2J" }, "▸ run_command cmd: \\u{1b}[2J"],
])("prints a call with arguments: %s", (_, args, row) => {
	expect(toolStartRow({ ...call, status: "started", arguments: args }, plain)).toBe(row);
});

test("shortens a long result, and prints the number of hidden lines", () => {
	const result = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n");
	expect(toolEndRows({ ...call, status: "completed", result }, false, plain)).toEqual([
		"  ↳ line 1",
		"    line 2",
		"    line 3",
		"    line 4",
		"    line 5",
		"    … 4 more lines",
	]);
});

test("shows the last line instead of hiding only one", () => {
	const result = "1\n2\n3\n4\n5\n6\n";
	expect(toolEndRows({ ...call, status: "completed", result }, false, plain)).toHaveLength(6);
});

test("prints an empty result and a failure", () => {
	expect(toolEndRows({ ...call, status: "completed", result: "" }, false, plain)).toEqual(["  ↳ (nothing)"]);
	expect(toolEndRows({ ...call, status: "failed", error: "no such file" }, true, plain)).toEqual([
		"  ✗ run_command: no such file",
	]);
});

test("prints no row that is wider than the terminal", () => {
	const rows = toolEndRows({ ...call, status: "completed", result: "日本語".repeat(30) }, false, plain);
	expect(rows.map(widthOf)).toEqual([39]);
});

test.each([
	["1\n2\n3\n4\n5\n6\n", false],
	["1\n2\n3\n4\n5\n6\n7\n", true],
	["x".repeat(36), false],
	["x".repeat(37), true],
	[`\u001b[31m${"x".repeat(36)}\u001b[0m`, false],
])("a result of which a part is hidden is recognised: %j", (result, isPartial) => {
	expect(hidesResult({ ...call, status: "completed", result }, false, plain)).toBe(isPartial);
});

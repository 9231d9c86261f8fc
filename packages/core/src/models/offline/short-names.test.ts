import { expect, test } from "vitest";
import { parseCommands } from "./grammar.ts";
import { inShortNames } from "./offline-model.ts";

const named = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

test.each([
	["run: echo hi", "bash", { command: "echo hi" }],
	["read: a.txt", "read", { path: "a.txt" }],
	["write: a.txt <<< one", "write", { path: "a.txt", content: "one" }],
	["edit: a.txt <<< one >>> two", "edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }],
])("%s calls %s if the tool has that name", (line, name, args) => {
	const [command] = parseCommands(line).map((one) =>
		inShortNames(one, named("bash", "read", "write", "edit")),
	);
	expect(command).toMatchObject({ kind: "call", name, arguments: args });
});

test("a tool with its long name is called by that name, and so is a missing tool", () => {
	const [command] = parseCommands("run: echo hi");
	if (!command) throw new Error("the grammar knows run");
	expect(inShortNames(command, named("bash", "run_command"))).toBe(command);
	expect(inShortNames(command, named("read"))).toBe(command);
});

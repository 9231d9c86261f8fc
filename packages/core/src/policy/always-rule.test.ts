import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { ActionClass, Taint } from "../vocabulary/taint.ts";
import type { ToolPlan } from "../vocabulary/tool.ts";
import { offerRule } from "./always-rule.ts";
import type { Permissions } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

const tools = builtinTools();
const permissions: Permissions = { acceptAll: false, grants: [], taint: "" };

function offerFor(
	cmd: string,
	more: Partial<Permissions> = {},
	classes: readonly ActionClass[] = ["exec-sandboxed"],
) {
	const plan: ToolPlan = { label: "", classes, preview: "", binding: {}, notes: [] };
	const tool = tools.find(({ name }) => name === "run_command");
	if (!tool) throw new Error("no tool run_command");
	const call = { tool, plan, args: { cmd }, context: createToolContext("/w") };
	return offerRule(call, { ...permissions, ...more });
}

function rulesOf(...rules: readonly object[]): Partial<Permissions> {
	const text = JSON.stringify({ rules });
	const read = readPolicy({ layer: "operator", path: "/data/policy.jsonc", text }, tools);
	return { policy: { version: "1", ...read } };
}

test("a command is offered with its complete words and its classes", () => {
	expect(offerFor("git status -s")).toEqual({
		tool: "run_command",
		classes: ["exec-sandboxed"],
		commands: [{ words: ["git", "status", "-s"], exact: false }],
	});
	expect(offerFor("npm test")?.commands).toEqual([{ words: ["npm", "test"], exact: true }]);
	expect(offerFor("ls src && git status | wc -l && ls src")?.commands.map(({ words }) => words)).toEqual([
		["ls", "src"],
		["git", "status"],
		["wc", "-l"],
	]);
	expect(offerFor("curl -s example.com", {}, ["exec-sandboxed", "egress"])?.classes).toEqual([
		"exec-sandboxed",
		"egress",
	]);
});

test.each([
	"ls; rm -r $HOME",
	"ls $(whoami)",
	"ls *.ts",
	"ls > list.txt",
	"ls &",
	"ls ~",
	"(ls)",
	"ls\nrm x",
	"bash -c 'ls; rm x'",
	"echo 'a b'",
	'grep "x|y" a',
	"echo \\;",
	"A=1 ls",
	"cd /tmp && ls",
	"",
	`echo ${"a".repeat(301)}`,
	`echo ${"a ".repeat(101)}`,
	"echo ｌｓ",
])("%j is not offered: a rule could not allow it, or could be misread", (cmd) => {
	expect(offerFor(cmd)).toBeUndefined();
});

test.each<[string, readonly ActionClass[], Taint]>([
	["without a sandbox", ["exec-unsandboxed"], ""],
	["always required", ["exec-sandboxed", "irreversible"], ""],
	["keys and passwords", ["exec-sandboxed", "secret"], ""],
	["taint that requires approval", ["exec-sandboxed", "egress"], "UP"],
])("a call is not offered: %s", (_, classes, taint) => {
	expect(offerFor("ls", { taint }, classes)).toBeUndefined();
});

test("a call is not offered if a rule asks or denies, or if the policy is invalid", () => {
	expect(offerFor("ls", rulesOf({ effect: "ask", tool: "run_command" }))).toBeUndefined();
	expect(offerFor("ls", rulesOf({ effect: "deny" }))).toBeUndefined();
	const problem = { layer: "operator", reason: "broken" } as const;
	expect(offerFor("ls", { policy: { version: "1", rules: [], ignored: [], problem } })).toBeUndefined();
	expect(offerFor("ls", rulesOf({ effect: "allow", tool: "git" }))).toBeDefined();
});

test("an approval for the session is no reason to offer a rule that does not suffice", () => {
	expect(offerFor("ls $HOME", { acceptAll: true })).toBeUndefined();
});

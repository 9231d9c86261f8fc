import { expect, test } from "vitest";
import { builtinTools } from "../tools/builtin.ts";
import { type PolicyFile, type PolicySource, readPolicy } from "./read-policy.ts";

function read(text: string, layer: PolicySource["layer"] = "operator"): PolicyFile {
	return readPolicy({ layer, path: "/d/policy.jsonc", text }, builtinTools());
}

test("a file has rules with comments, and each rule has its position", () => {
	const { rules, ignored } = read(`{
	// pushing is for people
	"rules": [
		{ "effect": "deny", "tool": ["run_*", "git"], "when": { "command": ["git", "push"] }, "reason": "we push by hand" },
		{ "effect": "ask", "when": { "class": "read", "path": ["secrets/**", "/etc"] } },
		{ "effect": "allow", "when": { "host": "*.Example.com", "class": ["egress"] } },
		{ "effect": "allow", "when": { "command": [["ls"], ["git", "status"]] }, },
	],
}`);
	expect(ignored).toEqual([]);
	expect(rules.map(({ paths, ...rule }) => ({ ...rule, paths: paths?.map(({ text }) => text) }))).toEqual([
		{
			layer: "operator",
			source: "/d/policy.jsonc:4",
			effect: "deny",
			reason: "we push by hand",
			tools: ["run_*", "git"],
			commands: [["git", "push"]],
			paths: undefined,
		},
		{
			layer: "operator",
			source: "/d/policy.jsonc:5",
			effect: "ask",
			reason: "a rule of the operator, policy.jsonc:5",
			classes: ["read"],
			paths: ["secrets/**", "/etc"],
		},
		{
			layer: "operator",
			source: "/d/policy.jsonc:6",
			effect: "allow",
			reason: "a rule of the operator, policy.jsonc:6",
			classes: ["egress"],
			hosts: ["*.example.com"],
		},
		{
			layer: "operator",
			source: "/d/policy.jsonc:7",
			effect: "allow",
			reason: "a rule of the operator, policy.jsonc:7",
			commands: [["ls"], ["git", "status"]],
		},
	]);
});

function rule(text: string): string {
	return `{ "rules": [\n  ${text}\n] }`;
}

test.each([
	["", ":1:1: value expected"],
	["{}", ":1:1: rules is missing; needed: a list of rules"],
	['{ "rules": {} }', ":1:12: {} is not allowed for rules; allowed: a list of rules"],
	['{ "rules": [], "rule": [] }', ':1:24: unknown key "rule": did you mean rules? Allowed: rules'],
	['{ "rules": [],\n"rules": [] }', ":2:10: rules is set twice"],
	[rule("7"), ":2:3: 7 is not allowed for rules; allowed: an object with an effect"],
	[
		rule('{ "effect": "deny", "when": 7 }'),
		"7 is not allowed for when; allowed: an object with class, command",
	],
	[rule("{}"), ":2:3: effect is missing; needed: deny, ask, allow"],
	[rule('{ "effect": "alow" }'), ':2:15: "alow" is not allowed for effect; allowed: deny, ask, allow'],
	[
		rule('{ "effect": "deny", "tol": "git" }'),
		':2:30: unknown key "tol": did you mean tool? Allowed: effect, tool',
	],
	[rule('{ "effect": "deny", "__proto__": {} }'), "unknown key "],
	[
		rule('{ "effect": "deny", "tool": "run_comand" }'),
		':2:31: there is no tool "run_comand": did you mean run_command?',
	],
	[
		rule('{ "effect": "deny", "tool": ["git", "x*"] }'),
		':2:39: there is no tool "x*"; allowed: run_command, read_file',
	],
	[rule('{ "effect": "deny", "tool": [] }'), "at least one value (leave the key out to match all)"],
	[rule('{ "effect": "deny", "tool": 7 }'), ":2:31: 7 is not allowed for tool; allowed: a word"],
	[
		rule('{ "effect": "deny", "when": { "clas": "read" } }'),
		':2:41: unknown key "clas": did you mean class? Allowed: class, command, path, host',
	],
	[
		rule('{ "effect": "deny", "when": { "class": "reads" } }'),
		':2:42: "reads" is not allowed for class; allowed: read, write',
	],
	[
		rule('{ "effect": "deny", "when": { "class": ["read", "all"] } }'),
		':2:51: "all" is not allowed for class',
	],
	[
		rule('{ "effect": "deny", "when": { "command": "rm -rf" } }'),
		'is not allowed for command; allowed: a list of words such as ["git", "push"]',
	],
	[
		rule('{ "effect": "deny", "when": { "command": ["git push"] } }'),
		"a program, with each argument as a separate word",
	],
	[
		rule('{ "effect": "deny", "when": { "command": [["ls"], []] } }'),
		":2:53: command is missing; needed: a word",
	],
	[
		rule('{ "effect": "deny", "tool": "write_file", "when": { "command": ["rm"] } }'),
		"the rule has a command, but none of its tools runs commands: use run_command or git as the tool, or remove the command",
	],
	[rule('{ "effect": "deny", "when": { "path": "a/{b" } }'), ":2:41: the pattern"],
	[rule('{ "effect": "deny", "when": { "path": "../x" } }'), "cannot be used: .. leads out"],
	[rule('{ "effect": "deny", "when": { "path": "~/x" } }'), "write the complete path instead of ~"],
	[
		rule('{ "effect": "deny", "when": { "host": "https://x" } }'),
		':2:41: "https://x" is not allowed for host',
	],
	[rule('{ "effect": "deny", "reason": "" }'), "one line of at most 500 characters"],
	[rule('{ "effect": "deny", "reason": "a\\nb" }'), "one line of at most 500 characters"],
	[
		rule('{ "effect": "allow", "when": { "class": ["write", "secret"] } }'),
		":2:53: secret always requires approval, and no rule can allow it: remove it from the rule",
	],
	[`{ "rules": [${Array(501).fill('{ "effect": "ask" }').join()}] }`, "at most 500 rules"],
	["[".repeat(100_000), "it has more than 64 levels of lists and objects"],
])("%j is refused with its place", (text, message) => {
	expect(() => read(text)).toThrow(
		expect.objectContaining({
			code: "invalid_argument",
			message: expect.stringContaining(`/d/policy.jsonc`),
		}),
	);
	expect(() => read(text)).toThrow(message);
});

test("an agent's file cannot allow calls, and the `allow` rules of a workspace are ignored", () => {
	const text = rule('{ "effect": "allow" }, { "effect": "deny", "tool": "git" }');
	expect(() => read(text, "agent")).toThrow(
		"/d/policy.jsonc:2:15: allow is not allowed in the rules of an agent",
	);
	expect(read(text, "workspace")).toMatchObject({
		rules: [{ effect: "deny", tools: ["git"] }],
		ignored: [
			{
				effect: "allow",
				reason: "ignored: rules of a workspace can only ask or deny; move the rule to the operator's policy",
			},
		],
	});
});

import { expect, test } from "vitest";
import * as z from "zod";
import { fc } from "../../../../../test/properties.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { builtinTools } from "../builtin.ts";
import { shortTools } from "../short/short-tools.ts";
import { describeTools, type NormalCall, normaliseCall } from "./normalise-call.ts";

const long = builtinTools();
const short = shortTools();
const all = [...short, ...long];

function normal(name: string, args: unknown, tools = all): NormalCall {
	return normaliseCall(tools, { name, arguments: args });
}

test.each<[string, object, object]>([
	["read", { file_path: "a" }, { path: "a" }],
	["read", { filePath: "a", offset: 0, limit: 5_000 }, { path: "a", offset: 1, limit: 2_000 }],
	["read", { path: "a", offset: "3", limit: null }, { path: "a", offset: 3 }],
	["read", { path: "a", file_path: "a" }, { path: "a" }],
	["bash", { command: "ls", description: "Lists files" }, { command: "ls" }],
	["bash", { command: "ls", timeout: "30" }, { command: "ls", timeout: 30 }],
	["bash", { command: "ls", timeout: 120_000 }, { command: "ls", timeout: 120 }],
	["bash", { command: "ls", timeout: "7201" }, { command: "ls", timeout: 8 }],
	["bash", { command: "ls", timeout_ms: 5_000 }, { command: "ls", timeout: 5 }],
	["bash", { command: "ls", timeout: 99_000_000 }, { command: "ls", timeout: 7_200 }],
	["run_command", { command: "ls", timeout: 30 }, { cmd: "ls", timeout_ms: 30_000 }],
	["run_command", { cmd: "ls", timeout: 30_000 }, { cmd: "ls", timeout_ms: 30_000 }],
	["run_command", { cmd: "ls", timeout_ms: 900_000 }, { cmd: "ls", timeout_ms: 600_000 }],
	["run_command", { cmd: "ls", network: "true" }, { cmd: "ls", network: true }],
	["run_command", { cmd: "ls", secrets: '{"A":"secret:x"}' }, { cmd: "ls", secrets: { A: "secret:x" } }],
	["edit_file", { path: "a", oldText: "b", new_string: "c" }, { path: "a", old_text: "b", new_text: "c" }],
	[
		"edit",
		{ path: "a", edits: '[{"old_text":"b","newText":"c"}]' },
		{ path: "a", edits: [{ oldText: "b", newText: "c" }] },
	],
	["git", { args: '["log","-5"]' }, { args: ["log", "-5"] }],
	[
		"search_files",
		{ pattern: "x", head_limit: 9_999, "ignore-case": true },
		{ pattern: "x", max_results: 1_000, ignore_case: true },
	],
])("%s %j has one normal form", (name, args, expected) => {
	const call = normal(name, args);
	expect(call).toMatchObject({ name, arguments: expected });
	expect(Object.keys(Object(call.arguments)).sort()).toEqual(Object.keys(expected).sort());
	expect(call.adjusted.length).toBeGreaterThan(0);
	expect(call.problem).toBeUndefined();
});

test.each<[string, object]>([
	["read", { path: "a", offset: 2, limit: 2_000 }],
	["read", { path: "a", offset: -1 }],
	["read", { path: "a", lines: 5 }],
	["bash", { command: "ls", timeout: 7_200 }],
	["bash", { command: "ls", timeout: "soon" }],
	["bash", { command: "ls", cwd: "/tmp" }],
	["bash", { command: "ls", run_in_background: true }],
	["run_command", { cmd: "ls", timeout_ms: 30 }],
	["edit", { path: "a", edits: "not JSON" }],
	["edit", { path: "a", edits: '{"oldText":"a"}' }],
	["write", { path: "a", content: '{"a":1}' }],
	["git", { args: "log -5" }],
])("%s %j is left unchanged", (name, args) => {
	expect(normal(name, args)).toEqual({ name, arguments: args, adjusted: [] });
});

test("two names of one argument with different values are an error with the correct name", () => {
	const call = normal("read", { path: "a", file_path: "b" });
	expect(call.problem).toBe(
		'"path" and "file_path" are the same argument and have different values: give only "path"',
	);
	expect(normal("run_command", { cmd: "ls", timeout: 30, timeout_ms: 30_000 }).problem).toBeUndefined();
	expect(normal("run_command", { cmd: "ls", timeout: 30, timeout_ms: 60_000 }).problem).toContain(
		'only "timeout_ms"',
	);
	expect(
		normal("edit", { path: "a", edits: [{ oldText: "b", old_text: "c", newText: "" }] }).problem,
	).toContain('give only "edits.0.oldText"');
});

test("a duplicate key in the JSON text of an argument is an error, with any escapes", () => {
	for (const second of ["oldText", "old\\u0054ext"]) {
		const edits = `[{"oldText":"a","${second}":"b","newText":""}]`;
		expect(normal("edit", { path: "a", edits })).toMatchObject({
			arguments: { path: "a", edits },
			problem: 'the JSON text in "edits" has the key "oldText" twice in one object: give each key once',
		});
	}
});

test.each([
	["Read", short, "read"],
	["Bash", short, "bash"],
	["Read", long, "read_file"],
	["readFile", long, "read_file"],
	["READ-FILE", long, "read_file"],
	["Bash", long, "run_command"],
	["Grep", long, "search_files"],
	["Read", all, "read"],
])("%s means %3$s", (name, tools, expected) => {
	const call = normal(name, {}, [...tools]);
	expect(call.name).toBe(expected);
	expect(call.adjusted[0]).toBe(`the tool is "${expected}", not "${name}"`);
});

test("a name never selects a tool that is not offered, or one of two tools", () => {
	const offered = long.filter(({ name }) => name === "read_file");
	for (const name of ["Bash", "bash", "run_command", "Write", "writeFile"]) {
		expect(normal(name, {}, offered).name).toBe(name);
	}
	const two = [probeTool("do_it"), probeTool("do-it")];
	expect(normal("doIt", {}, two).name).toBe("doIt");
});

test("a tool that accepts any arguments gets them unchanged", () => {
	const any = [probeTool("any")];
	const args = { file_path: "a", description: "b", limit: "5" };
	expect(normal("any", args, any).arguments).toBe(args);
});

test("an inherited name is not an argument", () => {
	const args = Object.fromEntries<unknown>([
		["path", "a"],
		["__proto__", { limit: 1 }],
		["constructor", 1],
	]);
	const call = normal("read", args);
	expect(Object.keys(Object(call.arguments))).toEqual(["path", "__proto__", "constructor"]);
	expect(Object(call.arguments).limit).toBeUndefined();
});

const names = [...new Set(all.flatMap((tool) => [tool.name, ...(tool.accepts?.names ?? [])]))];
const keys = [
	...new Set(describeTools(all).flatMap(({ parameters }) => Object.keys(Object(parameters["properties"])))),
	...new Set(
		all.flatMap(({ accepts }) => [
			...(accepts?.ignored ?? []),
			...Object.values(accepts?.parameters ?? {}).flatMap((one) => one.names ?? []),
		]),
	),
];
const respelled = (text: string) =>
	fc.constantFrom(
		text,
		text.toUpperCase(),
		text.replaceAll("_", "-"),
		text.replace(/_(\w)/g, (_, c) => c.toUpperCase()),
	);
const values = fc.oneof(
	fc.jsonValue({ maxDepth: 2 }),
	fc.json({ maxDepth: 2 }),
	fc.integer(),
	fc.integer().map(String),
	fc.constantFrom(0, "0", null, "true", 1_000_000, "120000", '[{"old_text":"a","newText":"b"}]'),
	fc.array(
		fc.dictionary(fc.constantFrom("oldText", "old_text", "newText", "new_string"), fc.string(), {
			maxKeys: 3,
		}),
	),
);
const written = fc.record({
	name: fc.constantFrom(...names).chain(respelled),
	arguments: fc.dictionary(fc.oneof(fc.constantFrom(...keys).chain(respelled), fc.string()), values, {
		maxKeys: 6,
	}),
});

test("the normal form of a normal form is the same", () => {
	fc.assert(
		fc.property(written, fc.constantFrom(short, long, all), (call, tools) => {
			const once = normaliseCall(tools, call);
			const twice = normaliseCall(tools, once);
			expect(twice).toEqual(once);
		}),
		{ numRuns: 2_000 },
	);
});

test("valid arguments are in their normal form, and an offered name stays unchanged", () => {
	const tool = short.find(({ name }) => name === "bash");
	const names = fc.record(
		{ command: fc.string({ minLength: 1 }), timeout: fc.integer({ min: 1, max: 7_200 }) },
		{ requiredKeys: ["command"] },
	);
	fc.assert(
		fc.property(names, (args) => {
			expect(z.safeParse(tool?.parameters() ?? z.never(), args).success).toBe(true);
			expect(normal("bash", args)).toEqual({ name: "bash", arguments: args, adjusted: [] });
		}),
	);
});

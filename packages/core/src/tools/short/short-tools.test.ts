import { mkdir, writeFile as putText, readFile as readText } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decide, type Permissions } from "../../policy/policy.ts";
import { type PolicyChange, PolicyLayers } from "../../policy/policy-layers.ts";
import { readPolicy } from "../../policy/read-policy.ts";
import { createUnsandboxed } from "../../sandbox/commands/unsandboxed.ts";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import { coversCall } from "../../trust/grants/grant-cover.ts";
import type { Command, Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { builtinTools } from "../builtin.ts";
import { describeTools } from "../calls/normalise-call.ts";
import { executeCall, prepareCall, type ReadyCall } from "../calls/tool-call.ts";
import { shortTools } from "./short-tools.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;

beforeAll(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(cwd);
	const environment = { PATH: process.env["PATH"] };
	context = createToolContext(cwd, {
		sandbox: createUnsandboxed({ environment, clock: systemClock, ids: createIds() }),
	});
});
afterAll(() => directory[Symbol.asyncDispose]());

async function prepare(name: string, args: object, where = context): Promise<ReadyCall> {
	const prepared = await prepareCall([...shortTools(), ...builtinTools()], { name, arguments: args }, where);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

function sandboxOf(commands: Command[], more: Partial<Sandbox> = {}): Sandbox {
	return {
		mode: "bubblewrap",
		profile: "test",
		environment: {},
		network: undefined,
		run: async (command) => {
			commands.push(command);
			return { code: 0, signal: null, output: "", timedOut: false };
		},
		...more,
	};
}

test("the short tools have the names and parameters that clients know", () => {
	const described = describeTools(shortTools()).map(({ name, parameters }) => {
		const { properties = {}, required } = parameters as Record<string, object>;
		return [name, Object.keys(properties), required];
	});
	expect(described).toEqual([
		["read", ["path", "offset", "column", "limit"], ["path"]],
		["write", ["path", "content"], ["path", "content"]],
		["edit", ["path", "edits"], ["path", "edits"]],
		["bash", ["command", "timeout"], ["command"]],
	]);
});

test("no description names a missing tool", () => {
	const names = builtinTools().map(({ name }) => name);
	const text = JSON.stringify(describeTools(shortTools()));
	expect(names.filter((name) => name.includes("_") && text.includes(name))).toEqual([]);
});

test.each<[string, object, string, object]>([
	["read", { path: "a.txt" }, "read_file", { path: "a.txt" }],
	[
		"read",
		{ path: "/etc/hosts", offset: 2, limit: 3 },
		"read_file",
		{ path: "/etc/hosts", offset: 2, limit: 3 },
	],
	["write", { path: "a/b.txt", content: "x\n" }, "write_file", { path: "a/b.txt", content: "x\n" }],
	["write", { path: ".env", content: "A=1" }, "write_file", { path: ".env", content: "A=1" }],
	["bash", { command: "ls -la" }, "run_command", { cmd: "ls -la" }],
	["bash", { command: "git push --force" }, "run_command", { cmd: "git push --force" }],
	["bash", { command: "cat ~/.ssh/id_rsa" }, "run_command", { cmd: "cat ~/.ssh/id_rsa" }],
])("%s %j is planned as %s is", async (name, args, long, longArgs) => {
	const short = await prepare(name, args);
	const { bind, ...plan } = short.plan;
	const expected = (await prepare(long, longArgs)).plan;
	expect({ ...plan, bind: undefined }).toEqual({ ...expected, bind: undefined });
	expect(bind?.toString()).toEqual(expected.bind?.toString());
	const { tool } = await prepare(long, longArgs);
	expect([short.tool.ruleName, short.tool.effect]).toEqual([tool.name, tool.effect]);
	expect(short.tool.command?.(short.args)).toEqual(tool.command?.((await prepare(long, longArgs)).args));
});

test("the short tools have the documented effects", async () => {
	const call = async (name: string, args: object) => executeCall(await prepare(name, args), context);
	expect(await call("write", { path: "n/a.txt", content: "one\ntwo\nthree\n" })).toMatchObject({
		failed: false,
	});
	expect(await call("edit", { path: "n/a.txt", edits: [{ oldText: "two", newText: "2" }] })).toMatchObject({
		failed: false,
	});
	expect(await call("read", { path: "n/a.txt", offset: 2, limit: 1 })).toEqual({
		text: "2\n[… more lines follow: continue with offset 3 …]",
		failed: false,
	});
	expect(await call("bash", { command: "cat n/a.txt; exit 3" })).toEqual({
		text: "one\n2\nthree\n[exit code 3]",
		failed: true,
	});
	expect(await readText(join(context.cwd, "n/a.txt"), "utf8")).toBe("one\n2\nthree\n");
});

test("the default timeout of a command is two minutes, the maximum two hours, in seconds", async () => {
	const commands: Command[] = [];
	const where = { ...context, sandbox: sandboxOf(commands) };
	for (const timeout of [undefined, 1, 7_200]) {
		await executeCall(await prepare("bash", { command: "true", timeout }, where), where);
	}
	expect(commands.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000, 1_000, 7_200_000]);
	for (const timeout of [0, 1.5, "soon", -5]) {
		await expect(prepare("bash", { command: "true", timeout }, where)).rejects.toThrow("timeout");
	}
	for (const more of [{ network: true }, { secrets: {} }]) {
		await expect(prepare("bash", { command: "true", ...more }, where)).rejects.toThrow("unknown argument");
	}
	const ended = { ...context, sandbox: sandboxOf([], { run: () => timedOut() }) };
	const { text } = await executeCall(await prepare("bash", { command: "true", timeout: 90 }, ended), ended);
	expect(text).toContain("timed out after 90 s");
});

async function timedOut() {
	return { code: null, signal: "SIGKILL", output: "", timedOut: true } as const;
}

test("the result of a sandboxed command states that it has no network", async () => {
	const [inside, outside]: [Command[], Command[]] = [[], []];
	const network = sandboxOf(outside, { mode: "off", profile: "off" });
	const where = { ...context, sandbox: sandboxOf(inside, { network }) };
	const call = await prepare("bash", { command: "npm install" }, where);
	expect(call.plan.classes).toEqual(["exec-sandboxed"]);
	expect(call.plan.notes).toContain("sandbox: bubblewrap — no network, and only files in the roots");
	await executeCall(call, where);
	expect([inside.length, outside.length]).toEqual([1, 0]);
});

test("with hosts from the operator, a command can reach them and has the class egress", async () => {
	const [inside, way]: [Command[], Command[]] = [[], []];
	const egress = sandboxOf(way, { profile: "way", hosts: ["registry.example"] });
	const where = { ...context, sandbox: sandboxOf(inside, { egress }) };
	const call = await prepare("bash", { command: "npm install" }, where);
	expect(call.plan.classes).toEqual(["exec-sandboxed", "egress"]);
	expect(call.plan.notes).toContain(
		"sandbox: bubblewrap — network only to registry.example by https, and only files in the roots",
	);
	await executeCall(call, where);
	expect([inside.length, way.length]).toEqual([0, 1]);
	// Access that was granted after the approval request is not used.
	const prepared = await prepare("bash", { command: "true" }, { ...context, sandbox: sandboxOf(inside) });
	expect(await executeCall(prepared, where)).toMatchObject({
		text: expect.stringContaining("sandbox"),
		failed: true,
	});
});

function judge({ tool, args, plan }: ReadyCall, rules: readonly object[], more: Partial<Permissions> = {}) {
	const source = { layer: "operator", path: "/policy.jsonc", text: JSON.stringify({ rules }) } as const;
	const policy = { version: "1", rules: readPolicy(source, shortTools()).rules, ignored: [] };
	const permissions: Permissions = { acceptAll: false, grants: [], taint: "", policy, ...more };
	return decide({ tool, args, plan, context }, permissions).effect;
}

test.each([
	["read", { path: "a.txt" }, "read_file"],
	["write", { path: "a.txt", content: "x" }, "write_file"],
	["bash", { command: "true" }, "run_command"],
])("a rule that denies the long name of %s denies it", async (name, args, long) => {
	const call = await prepare(name, args);
	const all = { acceptAll: true };
	expect(judge(call, [], all)).toBe("allow");
	expect(judge(call, [{ effect: "deny", tool: long }], all)).toBe("deny");
	expect(judge(call, [{ effect: "deny", tool: `${long.slice(0, 3)}*` }], all)).toBe("deny");
	expect(
		judge(call, [{ effect: "deny", tool: long === "read_file" ? "write_file" : "read_file" }], all),
	).toBe("allow");
	// Rules use the name of the original tool, so the short name is unknown.
	expect(() => judge(call, [{ effect: "deny", tool: name }])).toThrow("there is no tool");
});

test("rules about programs apply to bash", async () => {
	const call = await prepare("bash", { command: "cd x && git push" });
	const rule = { effect: "deny", tool: "run_command", when: { command: ["git", "push"] } };
	expect(judge(call, [rule], { acceptAll: true })).toBe("deny");
	expect(judge(await prepare("bash", { command: "git status" }), [rule], { acceptAll: true })).toBe("allow");
});

test("a grant for the session covers the short name, and a trust grant of a channel the long one", async () => {
	const call = await prepare("write", { path: "granted.txt", content: "x" });
	const { grant } = call.plan;
	expect(judge(call, [])).toBe("ask");
	expect(judge(call, [], { grants: grant ? [grant] : [] })).toBe("allow");
	const other = { kind: "path", tool: "edit_file", root: context.cwd } as const;
	expect(judge(call, [], { grants: [other] })).toBe("ask");
	expect(coversCall({ tools: ["write_file"], classes: ["write"] }, call)).toBe(true);
	expect(coversCall({ tools: ["write"], classes: ["write"] }, call)).toBe(false);
});

test("the operator's rules may name tools that are not offered, if these are known", async () => {
	const file = join(directory.path, "policy.jsonc");
	const rules = [
		{ effect: "deny", tool: "git", when: { command: ["git", "push"] } },
		{ effect: "deny", tool: "run_command", when: { command: ["git", "push"] } },
	];
	await putText(file, JSON.stringify({ rules }));
	const problems: (string | undefined)[] = [];
	const files = {
		file,
		tools: shortTools(),
		onRead: ({ state }: PolicyChange) => problems.push(state.problem),
	};
	expect(new PolicyLayers(files).everywhere().problem?.reason).toContain(
		"allowed: read_file, write_file, edit_file, run_command",
	);
	const policy = new PolicyLayers({ ...files, others: builtinTools() }).everywhere();
	expect(problems).toEqual([expect.stringContaining("there is no tool"), undefined]);
	const call = await prepare("bash", { command: "git push" });
	const permissions: Permissions = { acceptAll: true, grants: [], taint: "", policy };
	expect(decide({ ...call, context }, permissions).effect).toBe("deny");
});

test("a channel excludes tools by their own names", async () => {
	const file = join(directory.path, "none.jsonc");
	const layers = new PolicyLayers({ file, tools: shortTools(), onRead: () => undefined });
	const policy = layers.of({ profile: "default", rootDir: context.cwd, channelTools: ["read", "bash"] });
	const effectOf = (call: ReadyCall) =>
		decide({ ...call, context }, { acceptAll: true, grants: [], taint: "", policy }).effect;
	expect(effectOf(await prepare("bash", { command: "true" }))).toBe("allow");
	expect(effectOf(await prepare("write", { path: "w", content: "" }))).toBe("deny");
});

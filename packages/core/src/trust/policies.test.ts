import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { policyVersion } from "../policy/policy.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { createDirectory } from "../testing/tool-context.ts";
import { builtinTools } from "../tools/builtin.ts";
import { operator } from "../vocabulary/principal.ts";

const edit = probeTool("edit", { classes: ["write"], binding: () => ({ path: "/w/x" }), grantRoot: "/w" });
const look = probeTool("look");
const tools = [...builtinTools(), edit, look];

class Scene implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly file: string;
	readonly session: string;
	readonly log: EventLog;

	private constructor(parts: Pick<Scene, "t" | "file" | "session" | "log">) {
		this.t = parts.t;
		this.file = parts.file;
		this.session = parts.session;
		this.log = parts.log;
	}

	static async open(runs: number, rules?: readonly object[], call = "edit"): Promise<Scene> {
		const { path: directory } = await createDirectory();
		const file = join(directory, "data", "policy.jsonc");
		mkdirSync(join(directory, "data"));
		if (rules) writeFileSync(file, JSON.stringify({ rules }));
		const replies = Array.from({ length: runs }, (_, n) => [[calls(`c${n}`, call)], [says("done")]]).flat();
		const policy = { file, agents: join(directory, "data", "agents") };
		const t = await TestRuntime.open({ model: new ScriptedModel(...replies), tools, directory, policy });
		await t.runtime.start();
		const session = await t.create();
		return new Scene({ t, file, session, log: await EventLog.join(t.runtime, session) });
	}

	write(rules: readonly object[], path = this.file): void {
		mkdirSync(join(path, ".."), { recursive: true });
		writeFileSync(path, JSON.stringify({ rules }));
	}

	/**
	 * Sends a message and answers its approval requests. Returns `asked, ` for each request, and then `ran` or the error.
	 */
	async say(answer: { readonly value?: unknown } = { value: true }): Promise<string> {
		await this.t.send(this.session, "go");
		let logged = "";
		for (;;) {
			const event = await this.log.next(
				"prompt.requested",
				"tool.completed",
				"tool.failed",
				"assistant.message",
			);
			if (event.type === "tool.completed") logged += "ran";
			else if (event.type === "tool.failed") logged += event.error;
			else if (event.type === "assistant.message") return logged + event.error;
			else {
				logged += "asked, ";
				await this.t.runtime.answer(unkeyed(), event.prompt.token, answer);
			}
		}
	}

	get workspace(): string {
		return join(this.t.directory, "work", ".parley", "policy.jsonc");
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.t[Symbol.asyncDispose]();
	}
}

test("each call uses the current rules of the file", async () => {
	await using scene = await Scene.open(4);
	expect(await scene.say()).toBe("asked, ran");
	scene.write([{ effect: "allow", tool: "edit" }]);
	expect(await scene.say()).toBe("ran");
	scene.write([{ effect: "deny", tool: "edit", reason: "not on Fridays" }]);
	expect(await scene.say()).toBe("denied: not on Fridays");
	scene.write([]);
	expect(await scene.say()).toBe("asked, ran");
});

test("while the operator's file is broken all calls are denied, with one log line at its start and end", async () => {
	await using scene = await Scene.open(4, [], "look");
	expect(await scene.say()).toBe("ran");
	writeFileSync(scene.file, '{ "rules": [{ "effect": "perhaps" }] }');
	const reason = 'policy.jsonc:1:25: "perhaps" is not allowed for effect; allowed: deny, ask, allow';
	const denied = `denied: the operator's policy is invalid: ${reason}; no tool runs until the policy is fixed`;
	expect(await scene.say()).toBe(denied);
	expect(await scene.say()).toBe(denied);
	expect(scene.t.runtime.trust.policies.problem).toContain(reason);
	expect(scene.t.log.records.filter(({ message }) => message === "a policy is not valid")).toHaveLength(1);
	scene.write([]);
	expect(scene.t.runtime.trust.policies.problem).toBeUndefined();
	expect(await scene.say()).toBe("ran");
});

test("a gateway with a broken policy does not start, and reports the position of the error", async () => {
	const { path: directory } = await createDirectory();
	const file = join(directory, "policy.jsonc");
	writeFileSync(file, '{\n"rules": [{ "effect": "deny", "tool": "edti" }] }');
	await using t = await TestRuntime.open({ model: new ScriptedModel(), tools, directory, policy: { file } });
	await expect(t.runtime.start()).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringContaining(`the policy cannot be used: ${file}:2:39: there is no tool "edti"`),
	});
});

test("agents and workspaces add rules that ask or deny, and loosen none", async () => {
	await using scene = await Scene.open(5, [{ effect: "allow", tool: "edit" }]);
	expect(await scene.say()).toBe("ran");
	scene.write([{ effect: "ask", tool: "edit" }], join(scene.file, "..", "agents", "default", "policy.jsonc"));
	expect(await scene.say()).toBe("asked, ran");
	scene.write([{ effect: "allow" }, { effect: "deny", tool: "edit", reason: "frozen" }], scene.workspace);
	expect(await scene.say()).toBe("denied: frozen");
	scene.write([{ effect: "allow" }], scene.workspace);
	expect(await scene.say()).toBe("asked, ran");
	rmSync(scene.workspace);
	expect(await scene.say()).toBe("asked, ran");
});

test.each([
	['{ "rules": [], "sandbox": "off" }', 'policy.jsonc:1:27: unknown key "sandbox"; allowed: rules'],
	['{ "rules": [{ "effect": "allow", "layer": "operator" }] }', 'unknown key "layer"'],
	["{".repeat(10_000), "it has more than 64 levels of lists and objects"],
	["not a policy", "invalid symbol"],
])("an invalid file of a workspace stops the work in that workspace only: %j", async (text, reason) => {
	await using scene = await Scene.open(2, [], "look");
	mkdirSync(join(scene.workspace, ".."), { recursive: true });
	writeFileSync(scene.workspace, text.slice(0, 20_000));
	expect(await scene.say()).toContain(`denied: the workspace's policy is invalid`);
	expect(scene.t.runtime.trust.policies.problem).toBeUndefined();
	expect(
		scene.t.log.records.find(({ message }) => message === "a policy is not valid")?.fields,
	).toMatchObject({ reason: expect.stringContaining(reason) });
	rmSync(scene.workspace);
	expect(await scene.say()).toBe("ran");
});

test("an approval under other rules is invalid", async () => {
	await using scene = await Scene.open(1, []);
	await scene.t.send(scene.session, "go");
	const { prompt } = await scene.log.next("prompt.requested");
	scene.write([{ effect: "ask", tool: "git" }]);
	await scene.t.runtime.answer(unkeyed(), prompt.token, { value: true });
	expect(await scene.log.next("tool.failed", "tool.completed")).toMatchObject({
		type: "tool.failed",
		error: expect.stringContaining("changed since"),
	});
});

test("an approval for the session ends with the rules under which it was given", async () => {
	await using scene = await Scene.open(4, []);
	expect(await scene.say({ value: "session" })).toBe("asked, ran");
	expect(await scene.say()).toBe("ran");
	scene.write([{ effect: "ask", tool: "git" }]);
	expect(await scene.say()).toBe("asked, ran");
	scene.write([]);
	expect(await scene.say()).toBe("ran");
});

test("listeners receive changes, and the audit records them", async () => {
	await using scene = await Scene.open(0, []);
	const { policies } = scene.t.runtime.trust;
	let changes = 0;
	const stop = policies.onChange(() => {
		changes += 1;
	});
	const before = policies.version;
	expect(policies.version).toBe(before);
	scene.write([{ effect: "deny", tool: "git" }]);
	expect(policies.version).not.toBe(before);
	writeFileSync(scene.file, "{");
	expect(policies.problem).toContain("close brace expected");
	stop();
	scene.write([]);
	expect(policies.version).toBe(before);
	expect(changes).toBe(2);
	const rows = await scene.t.store.commit((tx) =>
		tx
			.selectFrom("audit")
			.select(["action", "decision", "object"])
			.where("action", "like", "policy.%")
			.orderBy("seq")
			.execute(),
	);
	expect(rows).toEqual([
		{ action: "policy.load", decision: "loaded", object: scene.file },
		{ action: "policy.change", decision: "loaded", object: scene.file },
		{ action: "policy.change", decision: "broken", object: scene.file },
		{ action: "policy.change", decision: "loaded", object: scene.file },
	]);
});

test("a policy test judges a call like a session, without an effect", async () => {
	await using scene = await Scene.open(0, [{ effect: "deny", when: { command: ["rm"] }, reason: "no rm" }]);
	const { policies } = scene.t.runtime.trust;
	const judge = (cmd: string, more: object = {}) =>
		policies.test(operator, { tool: "run_command", arguments: { cmd }, ...more });
	expect(await judge("rm x")).toEqual({
		effect: "deny",
		floor: false,
		reason: "no rm",
		classes: ["exec-unsandboxed"],
		sandbox: "off",
		policyVersion: expect.stringMatching(`^${policyVersion}-[0-9a-f]{16}$`),
		rules: [{ layer: "operator", source: `${scene.file}:1`, effect: "deny", reason: "no rm", decides: true }],
	});
	expect(await judge("ls; crontab -e")).toMatchObject({
		effect: "ask",
		floor: true,
		classes: ["exec-unsandboxed", "control"],
	});
	await scene.t.runtime.acceptAll(unkeyed(), scene.session);
	expect(await judge("ls", { sessionId: scene.session })).toMatchObject({ effect: "allow" });
	expect(await policies.test(operator, { tool: "no_tool", arguments: {} })).toMatchObject({
		effect: "deny",
		reason: expect.stringContaining('the tool "no_tool" does not exist'),
		rules: [],
	});
	await expect(judge("ls", { sessionId: "sess_none" })).rejects.toMatchObject({ code: "not_found" });
	await expect(judge("ls", { agent: "nobody" })).rejects.toMatchObject({ code: "invalid_argument" });
	const connector = { id: "connector:x", kind: "connector", platform: "x" } as const;
	await expect(policies.test(connector, { tool: "look", arguments: {} })).rejects.toMatchObject({
		code: "permission_denied",
	});
});

test("the active rules are listed, and those without effect too", async () => {
	await using scene = await Scene.open(0, [{ effect: "ask", tool: "git", when: { path: "a/**" } }]);
	scene.write([{ effect: "allow", when: { command: ["ls"] } }], scene.workspace);
	const { policies } = scene.t.runtime.trust;
	const listing = await policies.list(operator, {});
	expect(listing.rules[0]).toMatchObject({ layer: "built-in", classes: ["read"], floor: false });
	expect(listing.rules.filter(({ layer }) => layer !== "built-in")).toEqual([
		{
			...{
				layer: "operator",
				source: `${scene.file}:1`,
				effect: "ask",
				reason: "a rule of the operator, policy.jsonc:1",
			},
			tools: ["git"],
			paths: ["a/**"],
			floor: false,
			ignored: false,
		},
		{
			...{ layer: "workspace", source: `${scene.workspace}:1`, effect: "allow", commands: [["ls"]] },
			reason: "ignored: rules of a workspace can only ask or deny; move the rule to the operator's policy",
			floor: false,
			ignored: true,
		},
	]);
});

test("a call in a channel is judged by the rules and paths of the channel's own directory", async () => {
	await using scene = await Scene.open(0);
	await using directory = await createDirectory();
	const root = directory.path;
	writeFileSync(join(root, "notes.txt"), "x");
	const place = "discord:guild:general";
	await scene.t.runtime.trust.places.set(unkeyed(), place, { root });
	const read = (path: string) =>
		scene.t.runtime.trust.policies.test(operator, { tool: "read_file", arguments: { path }, place });
	expect(await read(join(root, "notes.txt"))).toMatchObject({ effect: "allow", classes: ["read"] });
	expect((await read(join(scene.t.directory, "work"))).effect).not.toBe("allow");
	const file = join(root, ".parley", "policy.jsonc");
	scene.write([{ effect: "deny", tool: "read_file" }], file);
	const { rules } = await scene.t.runtime.trust.policies.list(operator, { place });
	expect(rules).toContainEqual(expect.objectContaining({ layer: "workspace", source: `${file}:1` }));
	expect((await read(join(root, "notes.txt"))).effect).toBe("deny");
});

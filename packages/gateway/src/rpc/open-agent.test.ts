import { existsSync } from "node:fs";
import { access, mkdir, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import { builtInInstructions } from "@parley/core";
import { calls, type ScriptedReply, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { AgentPlace } from "../testing/agent-place.ts";
import { openAgent } from "./open-agent.ts";
import type { RpcFlags } from "./rpc-flags.ts";

const run = (command: string) => [calls("c1", "bash", { command })];

test("a session without --session leaves no file", async () => {
	await using place = await AgentPlace.make();
	const { say, opened } = await place.open({}, [says("1")]);
	await say("one");
	expect(await opened.agent.transcript()).toHaveLength(2);
	await opened.close();
	await expect(access(place.path("data"))).rejects.toThrow("ENOENT");
});

test("a long result is read from a file, which is removed at the end", async () => {
	await using place = await AgentPlace.make();
	const read: ScriptedReply = async function* ({ messages }) {
		const [, name = ""] =
			/(output_\w+) contains the complete result: read it with read …/.exec(JSON.stringify(messages)) ?? [];
		names.push(name);
		yield* [calls("c2", "read", { path: name, offset: 8_999 }), ending];
	};
	const names: string[] = [];
	const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const ending = { type: "end", stop: "tool_use", usage, model: "scripted" } as const;
	const { say, opened, results } = await place.open({}, run("seq 1 9000"), read, [says("ok")]);
	await say("go");
	expect(results[1]).toBe("8999\n9000\n");
	const stored = async () => {
		const directories = (await readdir(tmpdir())).filter((name) => name.startsWith("parley-rpc"));
		const paths = directories.map((name) => join(tmpdir(), name, "files", names[0] ?? ""));
		return paths.filter((path) => existsSync(path)).length;
	};
	expect(await stored()).toBe(1);
	await opened.close();
	expect(await stored()).toBe(0);
});

test("--session continues the conversation with its model", async () => {
	await using place = await AgentPlace.make();
	const flags = { session: "../kept" };
	const before = await place.open(flags, [says("1")]);
	await before.say("one");
	await before.opened.close();
	const after = await place.open(flags, [says("2")]);
	expect(await after.opened.agent.transcript()).toHaveLength(2);
	await after.say("two");
	expect(after.model.requests[0]?.messages).toHaveLength(3);
	await after.opened.agent.clear();
	await after.opened.close();
	const cleared = await place.open(flags);
	expect(await cleared.opened.agent.transcript()).toEqual([]);
});

test("a session is used by one process at a time", async () => {
	await using place = await AgentPlace.make();
	const flags = { session: "../kept" };
	const first = await place.open(flags, [says("1")]);
	await expect(place.open(flags)).rejects.toMatchObject({ code: "failed_precondition" });
	await first.say("one");
	expect(await first.opened.agent.transcript()).toHaveLength(2);
	await first.opened.close();
	await expect(place.open(flags)).resolves.toBeDefined();
});

test("unfinished work of an ended process does not continue", async () => {
	await using place = await AgentPlace.make();
	const flags = { session: "../kept" };
	const before = await place.open(flags, stuck("half"));
	await before.begin("one");
	while (before.model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
	await before.opened.close();
	const after = await place.open(flags, [says("2")]);
	await after.say("two");
	expect(after.model.requests).toHaveLength(1);
	expect(after.model.requests[0]?.messages.at(-1)).toMatchObject({ content: [{ text: "two" }] });
});

test("the operator's deny rules apply under the names of these tools", async () => {
	await using place = await AgentPlace.make();
	await mkdir(place.path("data"));
	await writeFile(
		place.path("data", "policy.jsonc"),
		`{"rules":[
			{"effect":"deny","tool":"run_command","when":{"command":["git","push"]},"reason":"people push"},
			{"effect":"deny","tool":"write_file","when":{"path":"docs/**"},"reason":"no docs"},
		]}`,
	);
	const write = [calls("c2", "write", { path: "docs/a.md", content: "a" })];
	const { say, results } = await place.open({}, run("git push"), write, run("echo hi"), [says("ok")]);
	await say("go");
	expect(results[0]).toContain("people push");
	expect(results[1]).toContain("no docs");
	expect(results[2]).toContain("hi");
});

test.each(["before", "after"])(
	"the tools cannot reach the operator's data that was created %s the start",
	async (when) => {
		await using place = await AgentPlace.make();
		const secret = place.path("data", "secret-key");
		const make = async (): Promise<void> => {
			await mkdir(place.path("data"));
			await writeFile(secret, "TOP");
		};
		if (when === "before") await make();
		const { say, results } = await place.open(
			{ cwd: ".." },
			...[
				[calls("c1", "read", { path: secret })],
				[calls("c2", "read", { path: "data/secret-key" })],
				[calls("c3", "write", { path: secret, content: "x" })],
				[calls("c4", "edit", { path: secret, edits: [{ oldText: "TOP", newText: "x" }] })],
				[says("ok")],
			],
		);
		if (when === "after") await make();
		await say("go");
		expect(results).toHaveLength(4);
		for (const result of results) {
			expect(result).toMatch(/^failed: /);
			expect(result).not.toContain("TOP");
		}
	},
);

test("without a key no agent starts, unless the server may not need one", async () => {
	await using place = await AgentPlace.make();
	const options = {
		flags: {},
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		redactor: new Redactor(),
		currentDirectory: place.path("work"),
	};
	const opening = openAgent({ ...options, config: place.config(undefined) });
	await expect(opening).rejects.toThrow(/no credential for anthropic; set ANTHROPIC_API_KEY/);
});

test.each<[RpcFlags, (system: string) => unknown]>([
	[{}, (system) => expect(system).toContain(builtInInstructions({ questions: false }).trim())],
	[{ systemPrompt: "You are Ada." }, (system) => expect(system).toContain("You are Ada.")],
	[
		{ systemPrompt: "" },
		(system) => expect(system).not.toContain(builtInInstructions({ questions: false }).trim()),
	],
	[
		{ systemPrompt: "One.", appendSystemPrompt: ["Two.", "", "Three."] },
		(system) => expect(system).toContain("One.\n\nTwo.\n\nThree."),
	],
	[{ systemPrompt: "", appendSystemPrompt: ["Two."] }, (system) => expect(system).toContain("Two.")],
])(
	"with %j the system prompt has the role from the flags, and always the directory",
	async (flags, check) => {
		await using place = await AgentPlace.make();
		const { say, model } = await place.open(flags, [says("ok")]);
		await say("hi");
		const system = model.requests[0]?.system ?? "";
		check(system);
		expect(system).toContain(place.path("work"));
	},
);

test("with a server and a name the active model is listed, with known or assumed facts", async () => {
	await using place = await AgentPlace.make();
	const { agent } = await place.start({ session: "../kept", baseUrl: "http://127.0.0.1:9", model: "llama" });
	const assumed = { provider: "anthropic", contextWindow: 32_768, maxOutput: 8_192, reasoning: "none" };
	expect(agent.models()).toMatchObject([{ id: "llama", ...assumed }]);
	await agent.setModel("claude-opus-4-5");
	expect(agent.models()).toMatchObject([{ id: "claude-opus-4-5", contextWindow: 200_000 }]);
	await agent.setModel("gemma");
	expect(agent.models()).toMatchObject([{ id: "gemma", ...assumed }]);
});

test.each<[RpcFlags["tools"], readonly string[]]>([
	[undefined, ["bash", "edit", "read", "write"]],
	["bash,read", ["bash", "read"]],
	[false, []],
])("--tools %j gives the model %j, and no other runs", async (tools, expected) => {
	await using place = await AgentPlace.make();
	const { say, model, results } = await place.open(
		{ tools },
		[calls("c1", "write", { path: "a", content: "x" })],
		[says("ok")],
	);
	await say("hi");
	expect(model.requests[0]?.tools.map(({ name }) => name).sort()).toEqual(expected);
	expect(results[0]?.startsWith("failed: ")).toBe(!expected.includes("write"));
});

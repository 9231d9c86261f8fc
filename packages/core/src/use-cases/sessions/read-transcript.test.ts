import { readFile } from "node:fs/promises";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { databaseIn, TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import type { Message } from "../../vocabulary/message.ts";
import { operator } from "../../vocabulary/principal.ts";

async function open(model: ScriptedModel, options: Partial<TestRuntimeOptions> = {}) {
	const t = await TestRuntime.open({ model, ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

function transcript({ t, session }: { readonly t: TestRuntime; readonly session: string }) {
	return t.runtime.transcript(operator, session);
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const agent = (text: string): Message => ({
	role: "assistant",
	model: "scripted",
	content: [{ type: "text", text }],
});

test("an empty session has an empty transcript", async () => {
	await using opened = await open(new ScriptedModel());
	await expect(transcript(opened)).resolves.toEqual([]);
});

test("each message has its time, also during a run with tools", async () => {
	const gate = Promise.withResolvers<string>();
	let began: (() => void) | undefined;
	const working = new Promise<void>((resolve) => {
		began = resolve;
	});
	const slow = probeTool("slow", {
		run: () => {
			began?.();
			return gate.promise;
		},
	});
	const model = new ScriptedModel(
		[says("hello")],
		[says("look"), calls("c1", "slow", { a: 1 })],
		[says("done")],
	);
	await using opened = await open(model, { tools: [slow] });
	const { t, session, log } = opened;
	await t.send(session, "hi");
	await log.next("assistant.message");
	t.clock.advance(1_000);
	await t.send(session, "go");
	await working;
	const replied: Message = {
		role: "assistant",
		model: "scripted",
		content: [
			{ type: "text", text: "look" },
			{ type: "call", id: "c1", name: "slow", arguments: { a: 1 } },
		],
	};
	const start = t.clock.now() - 1_000;
	const soFar = [
		{ message: user("hi"), at: start },
		{ message: agent("hello"), at: start },
		{ message: user("go"), at: start + 1_000 },
		{ message: replied, at: start + 1_000 },
	];
	await expect(transcript(opened)).resolves.toEqual(soFar);
	t.clock.advance(1_000);
	await t.runtime.steer(unkeyed(), session, { content: "and hurry" });
	t.clock.advance(1_000);
	gate.resolve("found");
	await log.next("assistant.message");
	const result = { type: "result", callId: "c1", text: "found", failed: false } as const;
	await expect(transcript(opened)).resolves.toEqual([
		...soFar,
		{ message: { role: "tool", content: [result] }, at: start + 3_000 },
		{ message: user("and hurry"), at: start + 3_000 },
		{ message: agent("done"), at: start + 3_000 },
	]);
	const sent = model.requests.at(-1)?.messages;
	expect((await transcript(opened)).slice(0, -1).map(({ message }) => message)).toEqual(sent);
});

test("a queued message is not part of the transcript", async () => {
	await using opened = await open(new ScriptedModel(stuck("hm")));
	const { t, session, log } = opened;
	await t.send(session, "one");
	await log.next("text.delta");
	await t.send(session, "two");
	expect((await transcript(opened)).map(({ message }) => message)).toEqual([user("one")]);
	await t.runtime.cancel(unkeyed(), session, { queued: true });
	await log.next("assistant.message");
	await log.next("assistant.message");
});

test("a summary replaces its messages, with its own time", async () => {
	const model = new ScriptedModel([says("one")], [says("It began.")], [says("two")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "hi");
	await log.next("assistant.message");
	t.clock.advance(1_000);
	const compacted = await t.runtime.compact(unkeyed(), session, { signal: new AbortController().signal });
	t.clock.advance(1_000);
	await t.send(session, "go on");
	await log.next("assistant.message");
	const now = t.clock.now();
	await expect(transcript(opened)).resolves.toEqual([
		{ message: user(compacted?.summary ?? ""), at: now - 1_000 },
		{ message: user("go on"), at: now },
		{ message: agent("two"), at: now },
	]);
});

test("a repeated reply appears once, with its later time", async () => {
	await using opened = await open(new ScriptedModel([says("bad")], [says("good")]));
	const { t, session, log } = opened;
	await t.send(session, "hi");
	await log.next("assistant.message");
	t.clock.advance(1_000);
	await t.runtime.retry(unkeyed(), session);
	await log.next("assistant.message");
	const now = t.clock.now();
	await expect(transcript(opened)).resolves.toEqual([
		{ message: user("hi"), at: now - 1_000 },
		{ message: agent("good"), at: now },
	]);
});

test("the transcript is the same after a restart", async () => {
	const model = new ScriptedModel([says("look"), calls("c1", "probe")], [says("done")], [says("A start.")]);
	const tools = [probeTool("probe")];
	const before = await open(model, { tools });
	await before.t.send(before.session, "hi");
	await before.log.next("assistant.message");
	const shown = await transcript(before);
	expect(shown).toHaveLength(4);
	const { session } = before;
	const { directory, clock } = before.t;
	await before.t.stop();
	expect(await readFile(databaseIn(directory))).not.toHaveLength(0);
	await using t = await TestRuntime.open({ model, tools, directory, clock });
	await expect(transcript({ t, session })).resolves.toEqual(shown);
	await t.runtime.compact(unkeyed(), session, { signal: new AbortController().signal });
	await expect(transcript({ t, session })).resolves.toHaveLength(1);
});

test("arguments and thinking contain no secrets", async () => {
	const secret = "correct-horse-battery";
	const redactor = new Redactor();
	redactor.add(secret);
	const thought = { type: "thinking", text: `aha ${secret}`, signature: "sig" } as const;
	const model = new ScriptedModel([thought, calls("c1", "probe", { at: secret })], [says("done")]);
	await using opened = await open(model, { redactor, tools: [probeTool("probe")] });
	const { t, session, log } = opened;
	await t.send(session, "hi");
	await log.next("assistant.message");
	const shown = JSON.stringify(await transcript(opened));
	expect(shown).not.toContain(secret);
	expect(shown).toContain("aha [redacted]");
});

test("a principal without the right to read gets no content", async () => {
	await using opened = await open(new ScriptedModel([says("hello")]));
	const { t, session, log } = opened;
	await t.send(session, "hi");
	await log.next("assistant.message");
	const stranger = { id: "connector:x", kind: "connector" } as const;
	await expect(t.runtime.transcript(stranger, session)).rejects.toMatchObject({ code: "not_found" });
	const request = unkeyed(stranger);
	const ending = { signal: new AbortController().signal };
	await expect(t.runtime.compact(request, session, ending)).rejects.toMatchObject({ code: "not_found" });
});

import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

test("the reply to a message is streamed, and then sent once completely", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hel"), says("lo")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const runId = await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "hello", error: "" });
	log.check();
	const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
	expect(log.events.map(({ event }) => event)).toEqual([
		{ type: "session.created" },
		{ type: "user.message", runId, content: "hi" },
		{ type: "model.calling", runId, model: "scripted", provider: "scripted", messages: 1 },
		{ type: "text.started", runId },
		{ type: "text.delta", runId, text: "hel" },
		{ type: "text.delta", runId, text: "lo" },
		{ type: "text.ended", runId },
		expect.objectContaining({ type: "context.updated", runId, total: 15 }),
		{ type: "model.replied", runId, content: [{ type: "text", text: "hello" }], stop: "end_turn" },
		{
			type: "model.called",
			runId,
			model: "scripted-1",
			provider: "scripted",
			messages: 1,
			usage,
			cost: 0,
			durationMs: 0,
			error: "",
		},
		{ type: "usage.updated", runId, run: { ...usage, cost: 0 }, session: { ...usage, cost: 0 } },
		{ type: "assistant.message", runId, content: "hello", error: "", model: "scripted-1", usage, cost: 0 },
	]);
});

test("an empty reply is an empty message without streamed text", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "", error: "" });
	log.check();
	expect(log.events.filter(({ event }) => event.type.startsWith("text."))).toEqual([]);
});

test.each([
	["the last reply's text", [says("one"), calls("c1", "probe")], [says("two")], "two"],
	["the text of all replies if the last reply has no text", [says("one"), calls("c1", "probe")], [], "one"],
	[
		"the text of all replies if the last reply has only thinking",
		[says("one"), calls("c1", "probe")],
		[{ type: "thinking", text: "hm" }],
		"one",
	],
] as const)("the message of a run has %s", async (_, first, last, content) => {
	const model = new ScriptedModel(first, last);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content });
	log.check();
});

test("the texts of several replies are separate paragraphs if all of them are shown", async () => {
	const model = new ScriptedModel(
		[says("one"), calls("c1", "probe")],
		[says("two"), calls("c2", "probe")],
		[],
	);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "one\n\ntwo",
		usage: { inputTokens: 30, outputTokens: 15, cacheReadTokens: 0, cacheWriteTokens: 0 },
	});
	log.check();
});

test("a failure of the model ends the run with the text before it and the reason", async () => {
	async function* failing() {
		yield says("well");
		throw new Error("the key sk-ant-1 is wrong");
	}
	await using t = await TestRuntime.open({ model: new ScriptedModel(failing, [says("again")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	const ended = await log.next("assistant.message");
	expect(ended).toMatchObject({ content: "well", error: "internal error" });
	await t.send(session, "and now?");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "again", error: "" });
	log.check();
});

test("a reply that is interrupted repeatedly is an error, and its calls do not run", async () => {
	let ran = 0;
	const probe = probeTool("probe", { run: async () => `${++ran}` });
	async function* torn() {
		yield says("I will");
		yield calls("c1", "probe");
	}
	const model = new ScriptedModel(torn, torn, torn, torn);
	await using t = await TestRuntime.open({ model, tools: [probe] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	for (const ms of [1000, 2000, 4000]) {
		await log.next("run.retrying");
		await t.settle();
		t.clock.advance(ms);
	}
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "I will",
		error: "the model's reply was interrupted; try again later",
	});
	expect(ran).toBe(0);
	log.check();
});

test("the model sees the complete conversation, also after a restart", async () => {
	const thought = { type: "thinking", text: "hm", signature: "s1" } as const;
	const model = new ScriptedModel(
		[thought, says("let me look"), calls("c1", "probe", { a: 1 })],
		[says("done")],
		[says("bye")],
		[says("bye again")],
	);
	const tools = [probeTool("probe")];
	const t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "look");
	await log.next("assistant.message");
	await t.send(session, "thanks");
	await log.next("assistant.message");
	log.check();
	const [, , afterwards] = model.requests;
	expect(afterwards?.messages).toEqual([
		{ role: "user", content: [{ type: "text", text: "look" }] },
		{
			role: "assistant",
			model: "scripted",
			content: [
				thought,
				{ type: "text", text: "let me look" },
				{ type: "call", id: "c1", name: "probe", arguments: { a: 1 } },
			],
		},
		{ role: "tool", content: [{ type: "result", callId: "c1", text: 'probe {"a":1}', failed: false }] },
		{ role: "assistant", model: "scripted", content: [{ type: "text", text: "done" }] },
		{ role: "user", content: [{ type: "text", text: "thanks" }] },
	]);
	await t.stop();
	await using again = await TestRuntime.open({ model, tools, directory: t.directory, clock: t.clock });
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.send(session, "still there?");
	await second.next("assistant.message");
	await second.next("assistant.message");
	await second.next("assistant.message");
	expect(model.requests.at(-1)?.messages.slice(0, 5)).toEqual(afterwards?.messages);
	expect(model.requests.at(-1)?.system).toBe(afterwards?.system);
});

test("usage and messages are added to the session", async () => {
	const model = new ScriptedModel([calls("c1", "probe")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		usage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
	});
	const [listed] = await t.runtime.list({ id: "operator", kind: "operator" }, { limit: 10 });
	expect(listed).toMatchObject({
		id: session,
		messageCount: 2,
		usage: { inputTokens: 20, outputTokens: 10 },
		lastSeq: 8,
	});
});

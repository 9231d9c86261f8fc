import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { SessionEvent } from "../../vocabulary/event.ts";
import { operator } from "../../vocabulary/principal.ts";

test("missed events are sent first, from the requested number", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("a")], [says("b")]) });
	const session = await t.create();
	const fullLog = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "1");
	await fullLog.next("assistant.message");
	await t.send(session, "2");
	await fullLog.next("assistant.message");
	const recordedEvents = fullLog.events.filter(({ transient }) => !transient);
	for (let afterSeq = 0; afterSeq <= 5; afterSeq++) {
		const log = await EventLog.join(t.runtime, session, { afterSeq });
		expect(log.events).toEqual(recordedEvents.slice(afterSeq));
	}
	const live = await EventLog.join(t.runtime, session);
	expect(live.events).toEqual([]);
});

test("a follower gets the id, the newest event and the model of its session, and no content", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("a")]) });
	const session = await t.create();
	const follower = await t.runtime.follow(operator, session, {
		afterSeq: undefined,
		deliver: () => undefined,
		drained: () => Promise.resolve(),
	});
	expect(Object.keys(follower).sort()).toEqual(["id", "lastSeq"]);
	await t.send(session, "1");
	expect(follower).toMatchObject({ id: session, lastSeq: 1, model: undefined });
	expect(follower.seq).toBeGreaterThan(1);
	await follower.leave();
});

test("a future number is refused", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	await expect(EventLog.join(t.runtime, session, { afterSeq: 2 })).rejects.toMatchObject({
		code: "failed_precondition",
		message: "seq not available: 2",
	});
	const [listed] = await t.runtime.list(operator, { limit: 1 });
	expect(listed).toMatchObject({ lastSeq: 1, status: "active" });
});

test("a client that joins during a reply receives its text so far, then the rest", async () => {
	const more = Promise.withResolvers<void>();
	const model = new ScriptedModel(async function* () {
		yield says("once ");
		yield says("upon ");
		await more.promise;
		yield says("a time");
		yield {
			type: "end",
			stop: "end_turn",
			usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
			model: "m",
		};
	});
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const first = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const runId = await t.send(session, "tell me");
	await first.next("text.delta");
	await first.next("text.delta");
	const late = await EventLog.join(t.runtime, session);
	expect(late.events.map(({ event }) => event)).toEqual([
		{ type: "text.started", runId },
		{ type: "text.delta", runId, text: "once upon " },
	]);
	expect(late.events.map(({ seq }) => seq)).toEqual([2, 2]);
	more.resolve();
	await late.next("assistant.message");
	expect(late.streamed).toBe("once upon a time");
});

test("a long replay waits for its client, and later events follow it", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	const fullLog = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (let n = 0; n < 300; n++) await (await EventLog.join(t.runtime, await t.create())).leave();
	await t.send(session, "go");
	await fullLog.next("text.delta");
	await fullLog.leave();
	for (let n = 0; n < 300; n++) await (await EventLog.join(t.runtime, session)).leave();
	const gate = Promise.withResolvers<void>();
	const delivered: SessionEvent[] = [];
	const follower = await t.runtime.follow(operator, session, {
		afterSeq: 0,
		deliver: (event) => delivered.push(event),
		drained: () => gate.promise,
	});
	const begun = follower.begin();
	await t.settle();
	expect(delivered).toHaveLength(1);
	await t.send(session, "meanwhile");
	gate.resolve();
	await begun;
	const recordedEvents = delivered.filter(({ transient }) => !transient).map(({ seq }) => seq);
	expect(recordedEvents).toEqual(Array.from({ length: 304 }, (_, index) => index + 1));
	expect(delivered.slice(-2).map(({ event }) => event.type)).toEqual(["text.started", "text.delta"]);
	await follower.leave();
});

test("a client that leaves during the replay receives no further events", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	for (let n = 0; n < 300; n++) await (await EventLog.join(t.runtime, session)).leave();
	const gate = Promise.withResolvers<void>();
	let delivered = 0;
	const follower = await t.runtime.follow(operator, session, {
		afterSeq: 0,
		drained: () => gate.promise,
		deliver: () => {
			delivered += 1;
		},
	});
	const begun = follower.begin();
	await t.settle();
	await follower.leave();
	gate.resolve();
	await begun;
	expect(delivered).toBe(1);
});

test("open questions are shown again, and questions answered in the meantime are not", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], [says("done")], [says("that too")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { classes: ["write"] })] });
	const session = await t.create();
	const first = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await first.next("prompt.requested");
	const second = await EventLog.join(t.runtime, session);
	expect(second.events).toEqual([
		{ transient: true, sessionId: session, seq: 5, event: { type: "prompt.shown", prompt } },
	]);
	const replayed = await EventLog.join(t.runtime, session, { afterSeq: 4 });
	expect(replayed.recorded).toEqual(["prompt.requested"]);
	// The client joins while the question is open. The question is answered while the missed message is delivered, so
	// the question is not shown.
	await t.send(session, "and then this");
	const gate = Promise.withResolvers<void>();
	const delivered: SessionEvent[] = [];
	const follower = await t.runtime.follow(operator, session, {
		afterSeq: 5,
		deliver: (event) => delivered.push(event),
		drained: () => gate.promise,
	});
	const begun = follower.begin();
	await t.settle();
	await t.runtime.answer(unkeyed(), prompt.token, { value: false });
	await first.next("assistant.message");
	gate.resolve();
	await begun;
	const types = delivered.map(({ event }) => event.type);
	expect(types.slice(0, 2)).toEqual(["user.message", "prompt.answered"]);
	expect(types).not.toContain("prompt.shown");
	await follower.leave();
});

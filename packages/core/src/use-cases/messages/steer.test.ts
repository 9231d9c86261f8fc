import { expect, expectTypeOf, test } from "vitest";
import type { Runtime } from "../../runtime.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { ModelError } from "../../vocabulary/model-error.ts";

function gated() {
	const started = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	const tool = probeTool("probe", {
		effect: "none",
		async run({ signal }) {
			signal.addEventListener("abort", () => gate.resolve(), { once: true });
			started.resolve();
			await gate.promise;
			return "probed";
		},
	});
	return { tool, started: started.promise, go: gate.resolve };
}

test("a message to an active run is in its next model call, after the results", async () => {
	const { tool, started, go } = gated();
	const model = new ScriptedModel([calls("c1", "probe")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const runId = await t.send(session, "hi");
	await started;
	const steered = await t.runtime.steer(unkeyed(), session, { content: "be brief" });
	expect(steered).toEqual({ status: "steered", runId, queuedPosition: 0 });
	await t.runtime.steer(unkeyed(), session, { content: "and kind" });
	go();
	await log.next("assistant.message");
	log.check();
	expect(log.events.map(({ event }) => event)).toContainEqual({
		type: "user.message",
		runId,
		content: "be brief",
		steered: true,
	});
	expect(model.requests[1]?.messages.slice(-3)).toEqual([
		{ role: "tool", content: [{ type: "result", callId: "c1", text: "probed", failed: false }] },
		{ role: "user", content: [{ type: "text", text: "be brief" }] },
		{ role: "user", content: [{ type: "text", text: "and kind" }] },
	]);
});

test("a message to an active run has only a text, because images and read messages would be lost", () => {
	expectTypeOf<Parameters<Runtime["steer"]>[2]>().toEqualTypeOf<{ readonly content: string }>();
});

test("a message during the last reply is answered in the same run", async () => {
	const started = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	const model = new ScriptedModel(
		async function* () {
			yield says("one");
			started.resolve();
			await release.promise;
			yield {
				type: "end",
				stop: "end_turn",
				model: "scripted-1",
				usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
			};
		},
		[says("two")],
	);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await started.promise;
	await t.runtime.steer(unkeyed(), session, { content: "and two?" });
	release.resolve();
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "one\n\ntwo" });
	log.check();
	expect(log.recorded.filter((type) => type === "assistant.message")).toHaveLength(1);
	expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("without an active run the message is sent", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hello")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const steered = await t.runtime.steer(unkeyed(), session, { content: "hi" });
	expect(steered).toMatchObject({ status: "sent", queuedPosition: 0 });
	await expect(log.next("user.message")).resolves.toEqual({
		type: "user.message",
		runId: steered.runId,
		content: "hi",
	});
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "hello" });
});

test("a cancelled run keeps its messages for later runs", async () => {
	const model = new ScriptedModel(stuck("well"), [says("ok")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("text.delta");
	await t.runtime.steer(unkeyed(), session, { content: "green, please" });
	await t.runtime.cancel(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	await t.send(session, "go on");
	await log.next("assistant.message");
	const sentMessages = JSON.stringify(model.requests[1]?.messages);
	expect(sentMessages).toContain("green, please");
});

test("a message to a run survives a restart of the gateway", async () => {
	const { tool, started } = gated();
	const first = new ScriptedModel([calls("c1", "probe")]);
	await using t = await TestRuntime.open({ model: first, tools: [tool] });
	const session = await t.create();
	await t.send(session, "hi");
	await started;
	await t.runtime.steer(unkeyed(), session, { content: "be brief" });
	await t.stop();
	const { directory, clock } = t;
	const second = new ScriptedModel([says("done")]);
	await using again = await TestRuntime.open({
		model: second,
		tools: [probeTool("probe", { effect: "none" })],
		directory,
		clock,
	});
	const log = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.start();
	await log.next("assistant.message");
	expect(JSON.stringify(second.requests[0]?.messages.at(-1))).toContain("be brief");
});

test("a steering message with the same key is sent once", async () => {
	const model = new ScriptedModel(stuck("well"));
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("text.delta");
	const request = { ...unkeyed(), key: "k1" };
	const both = [1, 2].map(() => t.runtime.steer(request, session, { content: "be brief" }));
	const [one, two] = await Promise.all(both);
	expect(two).toEqual(one);
	expect(log.events.filter(({ event }) => event.type === "user.message")).toHaveLength(2);
	await t.runtime.cancel(unkeyed(), session);
});

test("a message during the wait after a failed call is in the next attempt", async () => {
	const model = new ScriptedModel(
		async function* () {
			yield says("");
			throw new ModelError("busy", { fault: "overloaded" });
		},
		[says("B, then")],
	);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "do A");
	await log.next("run.retrying");
	await t.runtime.steer(unkeyed(), session, { content: "no, do B" });
	await t.settle();
	t.clock.advance(1000);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "B, then" });
	expect(JSON.stringify(model.requests[1]?.messages)).toContain("no, do B");
	log.check();
});

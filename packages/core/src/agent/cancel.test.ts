import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";

test("cancelling an idle session is not an error", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	await expect(t.runtime.cancel(unkeyed(), session, { queued: true })).resolves.toEqual({ status: "idle" });
});

test("a cancel while the model writes saves the text so far, and later messages continue from there", async () => {
	const model = new ScriptedModel(stuck("so far"), [says("next")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("text.delta");
	await t.send(session, "then this");
	await expect(t.runtime.cancel(unkeyed(), session)).resolves.toEqual({ status: "cancelled" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "so far",
		error: "cancelled",
	});
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "next", error: "" });
	log.check();
	expect(model.requests[1]?.messages).toEqual([
		{ role: "user", content: [{ type: "text", text: "go" }] },
		{ role: "assistant", model: "scripted", content: [{ type: "text", text: "so far" }] },
		{ role: "user", content: [{ type: "text", text: "then this" }] },
	]);
});

test("a cancel during a question closes it and fails its call, and a later answer has no effect", async () => {
	let ran = 0;
	const tool = probeTool("edit", { classes: ["write"], run: async () => `${++ran}` });
	const model = new ScriptedModel([calls("c1", "edit"), calls("c2", "edit")], [says("ok")]);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.cancel(unkeyed(), session);
	await expect(log.next("tool.failed")).resolves.toMatchObject({ callId: "c1", error: "cancelled" });
	await expect(log.next("prompt.closed")).resolves.toMatchObject({
		token: prompt.token,
		reason: "cancelled",
	});
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	await expect(t.runtime.answer(unkeyed(), prompt.token, { value: true })).resolves.toBe(false);
	await t.send(session, "and now?");
	await log.next("assistant.message");
	log.check();
	expect(ran).toBe(0);
	expect(log.recorded).not.toContain("prompt.answered");
	expect(model.requests[1]?.messages[2]).toEqual({
		role: "tool",
		content: [
			{ type: "result", callId: "c1", text: "cancelled", failed: true },
			{ type: "result", callId: "c2", text: "cancelled", failed: true },
		],
	});
});

test("a cancel during a tool aborts its signal, and the other calls of the reply do not run", async () => {
	const ran: string[] = [];
	const slow = probeTool("slow", {
		run: ({ signal, callId }) => {
			ran.push(callId);
			return new Promise((resolve) => {
				signal.addEventListener("abort", () => resolve("half of it"), { once: true });
			});
		},
	});
	const model = new ScriptedModel([calls("c1", "slow"), calls("c2", "slow")]);
	await using t = await TestRuntime.open({ model, tools: [slow] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("tool.started");
	while (ran.length === 0) await new Promise(setImmediate);
	await t.runtime.cancel(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	log.check();
	expect(ran).toEqual(["c1"]);
	expect(log.recorded.filter((type) => type.startsWith("tool."))).toEqual([
		...["tool.started", "tool.started", "tool.completed", "tool.failed"],
	]);
});

test("a cancel with `queued` also ends the queued messages, each with its own message", async () => {
	const model = new ScriptedModel(stuck("so far"), [says("fresh")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const runs = [await t.send(session, "a"), await t.send(session, "b"), await t.send(session, "c")];
	await log.next("text.delta");
	await t.runtime.cancel(unkeyed(), session, { queued: true });
	const ended = [];
	for (const _ of runs) ended.push(await log.next("assistant.message"));
	expect(ended.map(({ error }) => error)).toEqual(["cancelled", "cancelled", "cancelled"]);
	expect(new Set(ended.map(({ runId }) => runId))).toEqual(new Set(runs));
	await t.send(session, "d");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "fresh" });
	log.check();
	expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
		[{ type: "text", text: "a" }],
		[{ type: "text", text: "so far" }],
		[{ type: "text", text: "d" }],
	]);
});

test("a cancel of a named run ends only that run, active or queued; an ended or unknown run is idle", async () => {
	const model = new ScriptedModel(stuck("so far"), [says("third")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const [first, second, third] = [
		await t.send(session, "a"),
		await t.send(session, "b"),
		await t.send(session, "c"),
	];
	await log.next("text.delta");
	const cancel = (runId: string) => t.runtime.cancel(unkeyed(), session, { queued: true, runId });
	await expect(cancel(second)).resolves.toEqual({ status: "cancelled" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: second, error: "cancelled" });
	for (const over of [second, "run_none"]) await expect(cancel(over)).resolves.toEqual({ status: "idle" });
	await expect(cancel(first)).resolves.toEqual({ status: "cancelled" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: first, content: "so far" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		runId: third,
		content: "third",
		error: "",
	});
	log.check();
});

test("a cancel in the same tick as the message gives an empty reply", async () => {
	const model = new ScriptedModel([says("too late")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const sent = t.send(session, "go");
	const cancelled = t.runtime.cancel(unkeyed(), session);
	await sent;
	await expect(cancelled).resolves.toEqual({ status: "cancelled" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	log.check();
});

test("a cancel at the moment when a queued message becomes active ends its run", async () => {
	const gate = Promise.withResolvers<void>();
	const reached = { cancel: (): void => undefined };
	const model = new ScriptedModel(async function* () {
		await gate.promise;
		yield {
			type: "end",
			stop: "end_turn",
			usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
			model: "m",
		};
	}, stuck("so far"));
	// Cancels just after the reply of the first run, so that one transaction contains the end of the first run and the
	// cancellation.
	const failpoints = { reach: (name: string) => (name === "model-done" ? reached.cancel() : undefined) };
	await using t = await TestRuntime.open({ model, failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "a");
	const second = await t.send(session, "b");
	const cancelled = Promise.withResolvers<unknown>();
	reached.cancel = () => process.nextTick(() => cancelled.resolve(t.runtime.cancel(unkeyed(), session)));
	gate.resolve();
	await expect(cancelled.promise).resolves.toEqual({ status: "cancelled" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId: second, error: "cancelled" });
	log.check();
});

test("a cancel survives a restart, with the person who requested it", async () => {
	const model = new ScriptedModel(stuck("so far"), stuck("so far"));
	const t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("text.delta");
	const requested = { cancel_requested: 1, cancelled_by: "discord:1:2" };
	await t.store.commit((tx) => tx.updateTable("runs").set(requested).execute());
	await t.stop();
	await using again = await TestRuntime.open({ model, directory: t.directory, clock: t.clock });
	await again.runtime.start();
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	const end = { error: "cancelled", stoppedBy: "discord:1:2" };
	await expect(second.next("assistant.message")).resolves.toMatchObject(end);
	expect(model.requests).toHaveLength(1);
});

import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";

test("messages run one after another, in the order of their arrival", async () => {
	const contents = ["a", "b", "c", "d"];
	const model = new ScriptedModel(...contents.map((content) => [says(`on ${content}`)]));
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const accepted = await Promise.all(
		contents.map((content) => t.runtime.send(unkeyed(), session, { content })),
	);
	expect(accepted.map(({ queuedPosition }) => queuedPosition)).toEqual([0, 1, 2, 3]);
	const answers = [];
	for (const _ of contents) answers.push(await log.next("assistant.message"));
	log.check();
	expect(answers.map(({ content }) => content)).toEqual(["on a", "on b", "on c", "on d"]);
	expect(answers.map(({ runId }) => runId)).toEqual(accepted.map(({ runId }) => runId));
	expect(log.recorded.slice(1, 5)).toEqual(contents.map(() => "user.message"));
});

test("32 messages may wait, and the next one is refused and not stored", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "active");
	await Promise.all(Array.from({ length: 31 }, (_, n) => t.send(session, `waiting ${n}`)));
	const [last, tooMany, empty] = await Promise.allSettled([
		t.send(session, "the last"),
		t.send(session, "one too many"),
		t.runtime.history.messages({ id: "operator", kind: "operator" }, session, { limit: 1 }),
	]);
	expect(last.status).toBe("fulfilled");
	expect(empty.status).toBe("fulfilled");
	expect(tooMany).toMatchObject({
		status: "rejected",
		reason: {
			code: "resource_exhausted",
			message:
				"session busy: the message was not queued, because 32 messages are already waiting; try again later",
		},
	});
	expect(log.recorded).toEqual(["session.created", ...Array.from({ length: 33 }, () => "user.message")]);
	await t.runtime.cancel(unkeyed(), session, { queued: true });
	for (let n = 0; n < 33; n++) await log.next("assistant.message");
	log.check();
});

test("an active session does not delay another one", async () => {
	const model = new ScriptedModel(stuck("..."), [says("done")]);
	await using t = await TestRuntime.open({ model });
	const [busy, free] = [await t.create(), await t.create()];
	const slow = await EventLog.join(t.runtime, busy, { afterSeq: 0 });
	const log = await EventLog.join(t.runtime, free, { afterSeq: 0 });
	await t.send(busy, "work");
	await slow.next("text.delta");
	await t.send(free, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done" });
});

test("a gateway that drains accepts no new messages and finishes active runs", async () => {
	const gate = Promise.withResolvers<void>();
	const model = new ScriptedModel(async function* () {
		yield says("slow");
		await gate.promise;
		yield {
			type: "end",
			stop: "end_turn",
			usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
			model: "m",
		};
	});
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "one");
	await t.send(session, "two");
	await log.next("text.delta");
	const drained = t.runtime.drain(30_000);
	await expect(t.send(session, "three")).rejects.toMatchObject({ code: "unavailable", message: "draining" });
	await expect(t.create()).rejects.toMatchObject({ message: "draining" });
	gate.resolve();
	await drained;
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "slow", error: "" });
	expect(model.requests).toHaveLength(1);
	expect(t.clock.pending).toBe(0);
});

test("a gateway that drains does not wait for people, and cancels work that does not end", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], stuck("..."));
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { classes: ["write"] })] });
	const waiting = await t.create();
	const log = await EventLog.join(t.runtime, waiting, { afterSeq: 0 });
	await t.send(waiting, "go");
	await log.next("prompt.requested");
	const working = await t.create();
	const other = await EventLog.join(t.runtime, working, { afterSeq: 0 });
	await t.send(working, "go");
	await other.next("text.delta");
	const drained = t.runtime.drain(30_000);
	await t.settle();
	t.clock.advance(30_000);
	await drained;
	expect(log.recorded.at(-1)).toBe("prompt.requested");
	expect(other.recorded.at(-1)).toBe("user.message");
});

test("a run that needs a person while the gateway stops waits for the next start", async () => {
	const gate = Promise.withResolvers<void>();
	async function* asks() {
		yield says("slow");
		await gate.promise;
		yield calls("c1", "edit");
		yield {
			type: "end",
			stop: "tool_use",
			usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
			model: "m",
		} as const;
	}
	const model = new ScriptedModel(asks);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { classes: ["write"] })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("text.delta");
	const drained = t.runtime.drain(30_000);
	gate.resolve();
	await drained;
	expect(log.recorded.at(-1)).toBe("prompt.requested");
	expect(t.clock.pending).toBe(0);
});

test("a run whose next call requires an approval does not delay a gateway that stops", async () => {
	const gate = Promise.withResolvers<void>();
	const running = Promise.withResolvers<void>();
	const slow = probeTool("slow", {
		run: async () => {
			running.resolve();
			await gate.promise;
			return "done";
		},
	});
	const model = new ScriptedModel([calls("c1", "slow"), calls("c2", "edit")]);
	await using t = await TestRuntime.open({ model, tools: [slow, probeTool("edit", { classes: ["write"] })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("prompt.requested");
	await running.promise;
	const drained = t.runtime.drain(30_000);
	await t.settle();
	gate.resolve();
	await drained;
	expect(log.recorded.at(-1)).toBe("tool.completed");
	expect(t.clock.pending).toBe(0);
});

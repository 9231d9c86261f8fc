import { expect, test } from "vitest";
import { ModelTable } from "../models/table/model-table.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { ModelError, type ModelFault } from "../vocabulary/model-error.ts";

function fails(fault: ModelFault, text = "", retryAfterMs?: number): ScriptedReply {
	return async function* () {
		yield says(text);
		throw new ModelError(`the model is ${fault}`, { fault, retryAfterMs });
	};
}

async function open(t: TestRuntime): Promise<{ session: string; log: EventLog }> {
	const session = await t.create();
	return { session, log: await EventLog.join(t.runtime, session, { afterSeq: 0 }) };
}

async function pass(t: TestRuntime, ms: number): Promise<void> {
	await t.settle();
	t.clock.advance(ms);
}

test("an interrupted reply is requested again after a wait, and clients see the reason", async () => {
	const model = new ScriptedModel(fails("interrupted", "hal"), [says("hello")]);
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	const runId = await t.send(session, "hi");
	await expect(log.next("run.retrying")).resolves.toEqual({
		type: "run.retrying",
		runId,
		reason: "the model is interrupted",
		inMs: 1000,
		attempt: 1,
		model: "scripted",
	});
	await pass(t, 1000);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "hello", error: "" });
	log.check();
	const seen = log.events.map(({ event }) => event.type).filter((type) => type.startsWith("text."));
	expect(seen).toEqual([
		...["text.started", "text.delta", "text.ended"],
		...["text.started", "text.delta", "text.ended"],
	]);
	expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
});

test("calls of an interrupted reply never run", async () => {
	const probe = probeTool("probe");
	const model = new ScriptedModel(
		async function* () {
			yield calls("c1", "probe");
			throw new ModelError("cut", { fault: "interrupted" });
		},
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: [probe] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("run.retrying");
	await pass(t, 1000);
	await log.next("assistant.message");
	expect(log.recorded).not.toContain("tool.started");
});

test("if a model stays unavailable the fallback answers under its own name", async () => {
	const away = [1, 2, 3, 4].map(() => fails("overloaded"));
	const model = new ScriptedModel(...away, [says("hello")]);
	await using t = await TestRuntime.open({ model, fallback: ["second"] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	for (const ms of [1000, 2000, 4000]) {
		await log.next("run.retrying");
		await pass(t, ms);
	}
	await expect(log.next("run.retrying")).resolves.toMatchObject({ inMs: 0, model: "second", attempt: 4 });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "hello", error: "" });
	expect(model.requests.map((request) => request.model)).toEqual([
		...["scripted", "scripted", "scripted", "scripted", "second"],
	]);
});

test("without a fallback the last failure ends the run, and the next message is answered", async () => {
	const model = new ScriptedModel(...[1, 2, 3, 4].map(() => fails("overloaded", "a")), [says("back")]);
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	for (const ms of [1000, 2000, 4000]) {
		await log.next("run.retrying");
		await pass(t, ms);
	}
	const error = "the model is overloaded; try again later";
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "a", error });
	await t.send(session, "again");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "back", error: "" });
	log.check();
});

test.each<ModelFault>(["rejected", "unauthenticated"])("a %s request is not repeated", async (fault) => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(fails(fault)), fallback: ["second"] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: `the model is ${fault}` });
	expect(log.recorded).not.toContain("run.retrying");
});

test("a run that waits for its next attempt can be cancelled", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(fails("overloaded")) });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("run.retrying");
	await t.runtime.cancel(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	log.check();
	// The attempt after the pause never began.
	expect(log.recorded.filter((type) => type === "model.called")).toHaveLength(1);
});

test("a wait for a model does not count as working time", async () => {
	const model = new ScriptedModel(fails("rate-limited", "", 3_600_000), [says("hello")]);
	await using t = await TestRuntime.open({ model, limits: { workingMs: 60_000 } });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await expect(log.next("run.retrying")).resolves.toMatchObject({ inMs: 120_000 });
	await pass(t, 120_000);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "hello", error: "" });
});

test("a gateway that stops while a run waits repeats the attempt after the restart", async () => {
	await using first = await TestRuntime.open({ model: new ScriptedModel(fails("overloaded", "hal")) });
	const { session, log } = await open(first);
	await first.send(session, "hi");
	await log.next("run.retrying");
	await first.stop();
	const { directory, clock } = first;
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hello")]), directory, clock });
	const again = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.start();
	await expect(again.next("assistant.message")).resolves.toMatchObject({ content: "hello" });
	again.check();
});

test.each([
	[
		"max_tokens",
		"the reply reached its length limit or ended without a reason; ask the agent to continue, or for a shorter answer",
	],
	["refusal", "the model refused to answer this message: rephrase the message, or choose another model"],
] as const)("a reply that ends by %s reports it, and none of its calls runs", async (stop, error) => {
	const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const end = { type: "end", stop, usage, model: "scripted-1" } as const;
	// The reply has a call only for `refusal`: a run continues after a cut call (see longest-reply.test.ts).
	const called = stop === "refusal" ? [calls("c1", "probe")] : [];
	const model = new ScriptedModel([says("well"), ...called, end], [says("ok")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "well", error });
	expect(log.recorded).not.toContain("tool.started");
	await t.send(session, "and now?");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "ok" });
	const roles = model.requests[1]?.messages.map(({ role }) => role);
	expect(roles).toEqual(stop === "refusal" ? ["user", "user"] : ["user", "assistant", "user"]);
});

test("every attempt is recorded, and the end of the run has their total", async () => {
	const usage = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 30 };
	const model = new ScriptedModel(
		async function* () {
			yield { type: "usage", usage, model: "scripted-1" };
			throw new ModelError("cut", { fault: "interrupted" });
		},
		[says("hello")],
	);
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	const runId = await t.send(session, "hi");
	const failed = await log.next("model.called");
	expect(failed).toMatchObject({ runId, usage, error: "cut", provider: "scripted", messages: 1 });
	await log.next("run.retrying");
	await pass(t, 1000);
	await expect(log.next("model.called")).resolves.toMatchObject({ error: "", model: "scripted-1" });
	const total = { inputTokens: 110, outputTokens: 12, cacheReadTokens: 60, cacheWriteTokens: 30, cost: 0 };
	await expect(log.next("usage.updated")).resolves.toMatchObject({ runId, run: total, session: total });
	const { cost: _, ...spent } = total;
	await expect(log.next("assistant.message")).resolves.toMatchObject({ usage: spent });
});

test("attempts count against the limit of model calls", async () => {
	const model = new ScriptedModel(...[1, 2, 3, 4].map(() => fails("overloaded")), [says("never")]);
	await using t = await TestRuntime.open({ model, fallback: ["second"], limits: { modelCalls: 2 } });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("run.retrying");
	await pass(t, 1000);
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringMatching(/^stopped after 2 model calls/),
	});
	expect(model.requests).toHaveLength(2);
});

const priced = new ModelTable([
	{
		id: "scripted",
		provider: "scripted",
		contextWindow: 100_000,
		maxOutput: 1_000,
		reasoning: "none",
		sampling: true,
		images: false,
		prices: { input: 1000, output: 1000, cacheRead: 1000, cacheWrite: 1000 },
	},
]);

test("a budget that a failed attempt has spent ends the run before the next attempt", async () => {
	const usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const dear: ScriptedReply = async function* () {
		yield { type: "usage", usage, model: "scripted" };
		throw new ModelError("cut", { fault: "interrupted" });
	};
	const model = new ScriptedModel(dear, dear);
	const budgets = { gateway: { day: 1_000_000_000 }, session: {} };
	await using t = await TestRuntime.open({ model, table: priced, budgets });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringMatching(/^the gateway's budget for this day is spent/),
	});
	expect(model.requests).toHaveLength(1);
});

test("with a budget, a model without a price is not called", async () => {
	const model = new ScriptedModel([says("never")]);
	const budgets = { gateway: {}, session: { month: 1_000_000_000 } };
	await using t = await TestRuntime.open({ model, budgets });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringMatching(/scripted has no price; .*models\.json/),
	});
	expect(model.requests).toHaveLength(0);
});

test("after a switch the fallback answers for the rest of the run", async () => {
	const away = [1, 2, 3, 4].map(() => fails("overloaded"));
	const model = new ScriptedModel(...away, [calls("c1", "probe")], [says("done")]);
	const tools = [probeTool("probe")];
	await using t = await TestRuntime.open({ model, tools, fallback: ["second"] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	for (const ms of [1000, 2000, 4000]) {
		await log.next("run.retrying");
		await pass(t, ms);
	}
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done" });
	expect(model.requests.map((request) => request.model).slice(4)).toEqual(["second", "second"]);
});

test("a gateway that stops does not wait for the next attempt of a run", async () => {
	const model = new ScriptedModel(fails("rate-limited", "", 120_000));
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("run.retrying");
	await t.settle();
	// The clock does not advance, so the grace period of an active run would never end.
	await t.runtime.drain(25_000);
	expect(t.clock.pending).toBe(0);
});

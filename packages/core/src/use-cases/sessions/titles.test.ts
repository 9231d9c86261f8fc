import { Redactor, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { createOfflineModel } from "../../models/offline/offline-model.ts";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import type { Model, ModelEvent } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { operator } from "../../vocabulary/principal.ts";
import { billionths } from "../../vocabulary/usage.ts";

const limits = { provider: "scripted", contextWindow: 100_000, maxOutput: 1_000 };
const able = { reasoning: "none", sampling: true, images: false } as const;
const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const table = new ModelTable([
	{ id: "scripted", ...limits, ...able, prices, tier: "standard" },
	{ id: "quick", ...limits, ...able, prices, tier: "fast" },
]);

async function open(
	model: Model,
	options: Partial<TestRuntimeOptions> = {},
): Promise<{ t: TestRuntime; session: string; log: EventLog } & AsyncDisposable> {
	const t = await TestRuntime.open({ model, titles: true, ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

async function titleOf(t: TestRuntime, id: string): Promise<string | undefined> {
	const sessions = await t.runtime.list(operator, { limit: 10 });
	return sessions.find((session) => session.id === id)?.title;
}

const overloaded: ScriptedReply = async function* (): AsyncGenerator<ModelEvent> {
	yield* [];
	throw new ModelError("too much to do", { fault: "overloaded" });
};

test("the fast model names a session after its first run; its usage is recorded, and it ends before the session", async () => {
	const model = new ScriptedModel([says("Hello, Ada.")], [says('"Plans for\u001b a garden."\nor not')], []);
	await using opened = await open(model, { table });
	const { t, session, log } = opened;
	await t.send(session, "Help me plan a garden");
	const renamed = await log.next("session.renamed");
	expect(renamed).toMatchObject({ title: "Plans for a garden", by: "model" });
	expect(log.recorded.slice(-4)).toEqual([
		...["usage.updated", "assistant.message", "model.called", "session.renamed"],
	]);
	log.check();
	expect(await titleOf(t, session)).toBe("Plans for a garden");
	const [, titleRequest] = model.requests;
	expect(titleRequest).toMatchObject({ model: "quick", tools: [], reasoning: "off" });
	expect(JSON.stringify(titleRequest?.messages)).toMatch(/Help me plan a garden.*Hello, Ada\./);
	const report = await t.runtime.usage(operator, { sessionId: session, by: "session" });
	expect(report.rows).toMatchObject([{ calls: 2, usage: { inputTokens: 20, outputTokens: 10 } }]);

	await t.send(session, "again");
	await log.next("assistant.message");
	await t.settle();
	expect(model.requests).toHaveLength(3);
});

test("the next message does not wait for a title, and a title from a person is preserved", async () => {
	const model = new ScriptedModel(
		[says("one")],
		async function* (_request, signal) {
			yield* stuckUntil(released.promise, signal);
			yield says("of the model");
			yield { type: "end", stop: "end_turn", usage: noTokens, model: "scripted" };
		},
		[says("two")],
	);
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "first");
	await log.next("assistant.message");
	await t.settle();
	expect(model.requests).toHaveLength(2);
	await t.send(session, "second");
	expect(await log.next("assistant.message")).toMatchObject({ content: "two" });
	await t.runtime.rename(unkeyed(), session, "Mine");
	released.resolve();
	await log.next("model.called");
	await t.settle();
	expect(await titleOf(t, session)).toBe("Mine");
	expect(log.recorded.filter((type) => type === "session.renamed")).toHaveLength(1);
});

const released = Promise.withResolvers<void>();
const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

async function* stuckUntil(promise: Promise<void>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
	yield* [];
	await promise;
	signal.throwIfAborted();
}

test("a failed title is retried once, then after the next run, without an error to people", async () => {
	const model = new ScriptedModel([says("one")], overloaded, overloaded, [says("two")], [says("Named")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "first");
	await log.next("assistant.message");
	await log.next("model.called");
	await t.settle();
	t.clock.advance(2_000);
	await log.next("model.called");
	await t.settle();
	t.clock.advance(60_000);
	await t.settle();
	expect(model.requests).toHaveLength(3);
	expect(t.log.records.filter(({ message }) => message === "no title could be created")).toHaveLength(1);
	await t.send(session, "second");
	expect(await log.next("session.renamed")).toMatchObject({ title: "Named" });
	log.check();
});

test("after three failed runs no further title is requested, unless a person requests one", async () => {
	const refuses: ScriptedReply = () => {
		throw new ModelError("no such model", { fault: "rejected" });
	};
	const failing = ["one", "two", "three"].flatMap((text) => [[says(text)], refuses]);
	const model = new ScriptedModel(...failing, [says("four")], [says("five")], [says("Named")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	const talk = async (text: string): Promise<void> => {
		await t.send(session, text);
		await log.next("assistant.message");
		await t.settle();
	};
	for (const text of ["a", "b", "c", "d"]) await talk(text);
	expect(model.requests).toHaveLength(7);
	expect(t.log.records.filter(({ message }) => message === "no title could be created")).toHaveLength(3);
	await t.runtime.rename(unkeyed(), session, "");
	await talk("e");
	expect(await titleOf(t, session)).toBe("Named");
});

test("a title is not retried if a person sets one in the pause", async () => {
	const model = new ScriptedModel([says("one")], overloaded, [says("Too late")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "first");
	await log.next("model.called");
	await t.settle();
	await t.runtime.rename(unkeyed(), session, "Mine");
	t.clock.advance(2_000);
	await t.settle();
	expect(model.requests).toHaveLength(2);
	expect(t.log.records.some(({ message }) => message === "title made")).toBe(false);
});

test("the log line of a failed title contains no password of the session", async () => {
	const password = "correct-horse-9";
	const model = new ScriptedModel(
		[calls("c1", "ask_user", { type: "password", label: "Key?" })],
		[says("one")],
		() => {
			throw new ModelError(`${password} is no key`, { fault: "rejected" });
		},
	);
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "first");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: password });
	await log.next("assistant.message");
	await t.settle();
	const warnings = t.log.records.filter(({ message }) => message === "no title could be created");
	const text = JSON.stringify(new Redactor().redactFields(warnings));
	expect(text).toContain("[redacted] is no key");
	expect(text).not.toContain(password);
});

test("no title is requested after a failed run, or if a budget is spent or unknown", async () => {
	const failed = new ScriptedModel(async function* (): AsyncGenerator<ModelEvent> {
		yield* [];
		throw new ModelError("no", { fault: "rejected" });
	});
	await using bad = await open(failed);
	await bad.t.send(bad.session, "first");
	await bad.log.next("assistant.message");
	await bad.t.settle();
	expect(failed.requests).toHaveLength(1);

	const model = new ScriptedModel([says("one")]);
	const budgets = { gateway: { day: billionths(0.000001) }, session: {} };
	await using spent = await open(model, { table, budgets });
	await spent.t.send(spent.session, "first");
	await spent.log.next("assistant.message");
	await spent.t.settle();
	expect(model.requests).toHaveLength(1);
	expect(spent.t.log.records.some(({ message }) => message === "no title could be created")).toBe(true);
});

test("a secret in the text of the model is not in the title", async () => {
	const model = new ScriptedModel(
		[says("one")],
		[says("Key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789")],
	);
	await using opened = await open(model);
	await opened.t.send(opened.session, "first");
	expect((await opened.log.next("session.renamed")).title).not.toContain("abcdefghijklmnop");
});

test("a stop of the gateway cancels a title, and the next run creates it", async () => {
	const model = new ScriptedModel([says("one")], stuck("never"), [says("two")], [says("At last")]);
	const first = await open(model);
	await first.t.send(first.session, "first");
	await first.log.next("assistant.message");
	await first.t.settle();
	expect(model.requests).toHaveLength(2);
	await first.t.stop();
	const { directory } = first.t;
	await using t = await TestRuntime.open({ model, titles: true, directory });
	const log = await EventLog.join(t.runtime, first.session, { afterSeq: 0 });
	await t.send(first.session, "second");
	expect((await log.next("session.renamed")).title).toBe("At last");
});

test("a session that is deleted during the title request leaves no data and no log line", async () => {
	const done = Promise.withResolvers<void>();
	const model = new ScriptedModel([says("one")], async function* (_request, signal) {
		yield* stuckUntil(done.promise, signal);
		yield says("Too late");
	});
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "first");
	await log.next("assistant.message");
	await t.settle();
	await t.runtime.remove(unkeyed(), session, false);
	done.resolve();
	await t.settle();
	expect(model.requests).toHaveLength(2);
	expect(await t.store.read((db) => db.selectFrom("events").selectAll().execute())).toEqual([]);
	expect(t.log.records.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
});

test("without a model the first line of the first message is the title, also after an empty title", async () => {
	await using opened = await open(createOfflineModel({ clock: systemClock }));
	const { t, session, log } = opened;
	await t.send(session, "say: hello\nsay: you");
	expect((await log.next("session.renamed")).title).toBe("say: hello");
	await t.runtime.rename(unkeyed(), session, "");
	expect(await log.next("session.renamed")).toMatchObject({ title: "", by: "person" });
	await t.send(session, "say: more");
	expect(await log.next("session.renamed")).toMatchObject({ title: "say: hello", by: "model" });
	log.check();
});

test("sessions with a title, and gateways without automatic titles, are not changed", async () => {
	const model = new ScriptedModel([says("one")], [says("two")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "first");
	await log.next("assistant.message");
	await t.settle();
	expect(model.requests).toHaveLength(1);
	const named = new ScriptedModel([says("one")]);
	await using other = await TestRuntime.open({ model: named, titles: true });
	const { id } = await other.runtime.create(unkeyed(), { title: "Mine" });
	const second = await EventLog.join(other.runtime, id);
	await other.send(id, "first");
	await second.next("assistant.message");
	await other.settle();
	expect(named.requests).toHaveLength(1);
});

import { StoreError } from "@parley/base";
import { ManualClock, storeWith } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import { ModelTable } from "../models/table/model-table.ts";
import { EventLog } from "../testing/event-log.ts";
import { ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";
import type { Model } from "../vocabulary/model.ts";
import { ModelError } from "../vocabulary/model-error.ts";
import { operator } from "../vocabulary/principal.ts";
import { billionths, noUsage } from "../vocabulary/usage.ts";

const able = { reasoning: "none", sampling: true, images: false } as const;
const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const limits = { contextWindow: 100_000, maxOutput: 1_000 };
const table = new ModelTable([
	{ id: "scripted", provider: "scripted", ...limits, ...able, prices },
	{ id: "other", provider: "scripted", ...limits, ...able, prices },
]);

interface Opened extends AsyncDisposable {
	readonly t: TestRuntime;
	readonly session: string;
	readonly log: EventLog;
}

async function open(model: Model, options: Partial<TestRuntimeOptions> = {}): Promise<Opened> {
	const t = await TestRuntime.open({ model, table, ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "Plan a garden.");
	await log.next("assistant.message");
	return { t, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

const never = new AbortController().signal;

function compact({ t, session }: Pick<Opened, "t" | "session">, signal = never) {
	return t.runtime.compact(unkeyed(), session, { signal });
}

const overloaded: ScriptedReply = async function* () {
	yield* [];
	throw new ModelError("too much to do", { fault: "overloaded" });
};

test("a summary replaces the complete conversation, and the next run continues with it", async () => {
	const model = new ScriptedModel([says("Roses?")], [says("They plan a garden.")], [says("Tulips then.")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	const compacted = await compact(opened);
	expect(compacted).toMatchObject({ messagesBefore: 2, messagesAfter: 1 });
	expect(compacted?.summary).toContain("They plan a garden.");
	await expect(log.next("context.compacted")).resolves.toMatchObject({ runId: "", level: "summary" });
	await t.send(session, "No roses.");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "Tulips then." });
	log.check();
	const messages = model.requests.at(-1)?.messages ?? [];
	expect(messages).toHaveLength(2);
	expect(JSON.stringify(messages[0])).toContain("They plan a garden.");
	expect(JSON.stringify(messages)).not.toContain("Roses?");
});

test("without a message since the last summary a compaction has no effect", async () => {
	const model = new ScriptedModel([says("Roses?")], [says("They plan a garden.")]);
	await using opened = await open(model);
	const { t } = opened;
	await compact(opened);
	await expect(compact(opened)).resolves.toBeUndefined();
	await expect(compact({ t, session: await t.create() })).resolves.toBeUndefined();
	expect(model.requests).toHaveLength(2);
});

test("the summary of the offline model is accepted", async () => {
	await using opened = await open(createOfflineModel({ clock: new ManualClock() }));
	await expect(compact(opened)).resolves.toMatchObject({
		summary: expect.stringContaining("A conversation of"),
	});
});

test("the cost of the summary belongs to the session and to no run", async () => {
	const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const end = { type: "end", stop: "end_turn", usage, model: "scripted" } as const;
	await using opened = await open(new ScriptedModel([says("Roses?"), end], [says("A garden."), end]));
	const { t, session, log } = opened;
	await compact(opened);
	const called = await log.next("model.called");
	expect(called).toMatchObject({ runId: "", usage, cost: billionths(0.00012), error: "" });
	const { total } = await t.runtime.usage(operator, { sessionId: session, by: "model" });
	expect(total).toMatchObject({ calls: 2, usage: { inputTokens: 200, outputTokens: 40 } });
	const [listed] = await t.runtime.list(operator, { limit: 1 });
	expect(listed?.usage).toEqual({ inputTokens: 200, outputTokens: 40 });
});

test("a compaction uses the session's own model and its fallbacks", async () => {
	const model = new ScriptedModel([says("Roses?")], overloaded, overloaded, overloaded, overloaded, [
		says("A garden."),
	]);
	await using opened = await open(model, { fallback: ["scripted"] });
	const { t, session } = opened;
	await t.runtime.setModel(unkeyed(), session, "other");
	const compacting = compact(opened);
	for (let wait = 0; wait < 4; wait++) {
		await t.settle();
		t.clock.advance(10_000);
	}
	await expect(compacting).resolves.toMatchObject({ summary: expect.stringContaining("A garden.") });
	expect(model.requests.slice(1).map(({ model: requestedModel }) => requestedModel)).toEqual([
		...["other", "other", "other", "other", "scripted"],
	]);
});

test("a call with a temporary error is retried, and every attempt is recorded", async () => {
	const model = new ScriptedModel([says("Roses?")], overloaded, [says("A garden.")]);
	await using opened = await open(model);
	const { t, log } = opened;
	const compacting = compact(opened);
	await expect(log.next("model.called")).resolves.toMatchObject({ runId: "", error: "too much to do" });
	await t.settle();
	expect(model.requests).toHaveLength(2);
	t.clock.advance(1_000);
	await expect(compacting).resolves.toMatchObject({ messagesAfter: 1 });
	await expect(log.next("model.called")).resolves.toMatchObject({ error: "" });
	log.check();
});

test("an error of the model is thrown, and the session stays unchanged", async () => {
	const rejected: ScriptedReply = async function* () {
		yield* [];
		throw new ModelError("no such model", { fault: "rejected" });
	};
	const refuses: ScriptedReply = [
		says("I will not."),
		{ type: "end", stop: "refusal", model: "scripted", usage: noUsage },
	];
	await using opened = await open(new ScriptedModel([says("Roses?")], rejected, refuses, []));
	const { t, session, log } = opened;
	await expect(compact(opened)).rejects.toThrow("no such model");
	await expect(compact(opened)).rejects.toThrow("cannot be used as a summary: the model refused");
	await expect(compact(opened)).rejects.toThrow("cannot be used as a summary: it has no text");
	expect(await t.runtime.transcript(operator, session)).toHaveLength(2);
	expect(log.recorded).not.toContain("context.compacted");
});

test("a compaction is refused during a run or another compaction", async () => {
	const model = new ScriptedModel([says("Roses?")], stuck("hm"), stuck("hm"));
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "Well?");
	await log.next("text.delta");
	const busy = { code: "failed_precondition", message: expect.stringMatching(/^session busy/) };
	await expect(compact(opened)).rejects.toMatchObject(busy);
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	const ending = new AbortController();
	const first = compact(opened, ending.signal);
	await expect(compact(opened)).rejects.toMatchObject(busy);
	ending.abort();
	await expect(first).rejects.toMatchObject({ code: "cancelled" });
});

test("a compaction right after a run waits until the history of that run is in memory", async () => {
	const model = new ScriptedModel(...["a", "s1", "b", "s2", "c", "s3"].map((text) => [says(text)]));
	await using opened = await open(model);
	const { t, session, log } = opened;
	for (const summary of ["s1", "s2"]) {
		expect((await compact(opened))?.summary).toContain(summary);
		await t.send(session, "more");
		await log.next("assistant.message");
	}
});

test("a message during a compaction waits for the summary, and its run starts with it", async () => {
	const gate = Promise.withResolvers<void>();
	const slow: ScriptedReply = async function* () {
		await gate.promise;
		yield says("A garden.");
		yield { type: "end", stop: "end_turn", model: "scripted", usage: noUsage };
	};
	const model = new ScriptedModel([says("Roses?")], slow, [says("Tulips.")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	const compacting = compact(opened);
	await t.settle();
	await t.send(session, "No roses.");
	await t.settle();
	expect(model.requests).toHaveLength(2);
	gate.resolve();
	await compacting;
	await log.next("assistant.message");
	expect(JSON.stringify(model.requests[2]?.messages)).toContain("A garden.");
	expect(model.requests[2]?.messages).toHaveLength(2);
	log.check();
});

test("a stopped compaction changes nothing, but its cost is recorded", async () => {
	const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const begun: ScriptedReply = async function* (request, signal) {
		yield { type: "usage", usage, model: "scripted" };
		const waiting = stuck("The summ");
		if (typeof waiting === "function") yield* waiting(request, signal);
	};
	await using opened = await open(new ScriptedModel([says("Roses?")], begun));
	const { t, session, log } = opened;
	const before = await t.runtime.transcript(operator, session);
	const ending = new AbortController();
	const compacting = compact(opened, ending.signal);
	await t.settle();
	ending.abort();
	await expect(compacting).rejects.toMatchObject({ code: "cancelled", message: "cancelled" });
	await expect(log.next("model.called")).resolves.toMatchObject({
		runId: "",
		usage,
		cost: billionths(0.0001),
	});
	expect(await t.runtime.transcript(operator, session)).toEqual(before);
	expect(log.recorded).not.toContain("context.compacted");
	await expect(compact(opened, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
});

test("a compaction after a restart uses the recorded conversation", async () => {
	const model = new ScriptedModel([says("Roses?")], [says("A garden.")], [says("Tulips.")]);
	const opened = await open(model);
	const { session, t: before } = opened;
	await before.stop();
	await using t = await TestRuntime.open({ model, table, directory: before.directory, clock: before.clock });
	await expect(compact({ t, session })).resolves.toMatchObject({ messagesBefore: 2, messagesAfter: 1 });
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "No roses.");
	await log.next("assistant.message");
	expect(model.requests.at(-1)?.messages).toHaveLength(2);
});

test("a compaction with the same key happens once", async () => {
	const model = new ScriptedModel([says("Roses?")], [says("A garden.")]);
	await using opened = await open(model);
	const { t, session } = opened;
	const request = { ...unkeyed(), key: "once" };
	const first = await t.runtime.compact(request, session, { signal: never });
	expect(first).toBeDefined();
	await expect(t.runtime.compact(request, session, { signal: never })).resolves.toEqual(first);
	const other = { ...request, key: "again" };
	await expect(t.runtime.compact(other, session, { signal: never })).resolves.toBeUndefined();
	await expect(t.runtime.compact(other, session, { signal: never })).resolves.toBeUndefined();
});

test("a compaction ends if the gateway stops or the session is deleted", async () => {
	const opened = await open(new ScriptedModel([says("Roses?")], stuck("hm"), stuck("hm")));
	const { t, session } = opened;
	const first = expect(compact(opened)).rejects.toMatchObject({ code: "cancelled" });
	await t.settle();
	await t.runtime.remove(unkeyed(), session, true);
	await first;
	await opened[Symbol.asyncDispose]();

	const next = await open(new ScriptedModel([says("Roses?")], stuck("hm")));
	const second = expect(compact(next)).rejects.toMatchObject({ code: "cancelled" });
	await next.t.settle();
	await next.t.stop();
	await second;
});

test("a spent budget prevents the call of the model", async () => {
	const model = new ScriptedModel([says("Roses?")]);
	await using opened = await open(model);
	const { t, session } = opened;
	await t.runtime.setBudget(unkeyed(), { scope: "session", sessionId: session, period: "day", limit: 1 });
	await expect(compact(opened)).rejects.toMatchObject({ code: "resource_exhausted" });
	expect(model.requests).toHaveLength(1);
});

test("a started compaction resolves at once, and its end is an event with the sizes", async () => {
	const model = new ScriptedModel([says("Roses?")], [says("A garden.")]);
	await using opened = await open(model);
	const { t, session, log } = opened;
	const request = { ...unkeyed(), key: "k1" };
	await t.runtime.startCompaction(request, session);
	const ended = await log.next("compaction.ended");
	expect(ended).toMatchObject({ status: "compacted", error: "" });
	expect(ended.tokensAfter).toBeGreaterThan(0);
	// A repeated request starts nothing.
	await t.runtime.startCompaction(request, session);
	await t.runtime.startCompaction(unkeyed(), session);
	expect(await log.next("compaction.ended")).toMatchObject({ status: "unchanged", tokensBefore: 0 });
	expect(model.requests).toHaveLength(2);
	log.check();
});

test("a started compaction is refused while a run works or waits, and while another one works", async () => {
	const model = new ScriptedModel([says("Roses?")], stuck("half"), stuck("summary"));
	await using opened = await open(model);
	const { t, session, log } = opened;
	await t.send(session, "More.");
	const busy = "session busy: a run or a tool is active";
	await expect(t.runtime.startCompaction(unkeyed(), session)).rejects.toThrow(busy);
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	await t.runtime.startCompaction(unkeyed(), session);
	await expect(t.runtime.startCompaction(unkeyed(), session)).rejects.toThrow(busy);
	expect(await t.runtime.cancel(unkeyed(), session)).toEqual({ status: "cancelled" });
	expect(await log.next("compaction.ended")).toMatchObject({ status: "cancelled", error: "" });
	expect(await t.runtime.cancel(unkeyed(), session)).toEqual({ status: "idle" });
	log.check();
});

test("a started compaction that fails ends with its error, and a message that arrived meanwhile is answered", async () => {
	const failing = Promise.withResolvers<void>();
	const rejected: ScriptedReply = async function* () {
		yield* [];
		await failing.promise;
		throw new ModelError("no such model", { fault: "rejected" });
	};
	await using opened = await open(new ScriptedModel([says("Roses?")], rejected, [says("Tulips.")]));
	const { t, session, log } = opened;
	await t.runtime.startCompaction(unkeyed(), session);
	await t.send(session, "More.");
	failing.resolve();
	expect(await log.next("compaction.ended")).toMatchObject({ status: "failed", error: "no such model" });
	expect(await log.next("assistant.message")).toMatchObject({ content: "Tulips." });
});

test("a stop of the gateway ends a started compaction, and the session is unchanged", async () => {
	const model = new ScriptedModel([says("Roses?")], stuck("summary"));
	const { t, session, log } = await open(model);
	await t.runtime.startCompaction(unkeyed(), session);
	const ended = log.next("compaction.ended");
	await t.settle();
	await t.stop();
	expect(await ended).toMatchObject({ status: "cancelled" });
});

test("a start of the gateway records the end of a compaction that a crash has interrupted", async () => {
	const model = new ScriptedModel([says("Roses?")], stuck("summary"), [says("A garden.")]);
	let crashed = false;
	const wrap: TestRuntimeOptions["wrap"] = (store) =>
		storeWith(store, {
			commit: async (command) => {
				if (crashed) throw new StoreError("the process was killed");
				return await store.commit(command);
			},
		});
	const { t: before, session } = await open(model, { wrap });
	await before.runtime.startCompaction({ ...unkeyed(), key: "k1" }, session);
	await before.settle();
	crashed = true;
	await before.stop();
	const { directory, clock } = before;
	const between = await TestRuntime.open({ model, table, directory, clock });
	await between.runtime.start();
	await between.stop();
	await using t = await TestRuntime.open({ model, table, directory, clock });
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	expect(await log.next("compaction.ended")).toMatchObject({ status: "cancelled", error: "" });
	await t.runtime.startCompaction(unkeyed(), session);
	expect(await log.next("compaction.ended")).toMatchObject({ status: "compacted" });
	expect(log.recorded.filter((type) => type === "compaction.ended")).toHaveLength(2);
	log.check();
});

test("a guest cannot start a compaction", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create(testConnector("guest"));
	await expect(t.runtime.startCompaction(unkeyed(testConnector("guest")), session)).rejects.toMatchObject({
		code: "permission_denied",
	});
});

import { expect, test } from "vitest";
import { ModelTable } from "../../models/table/model-table.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { noUsage } from "../../vocabulary/usage.ts";

const contextWindow = 4_000;
const table = new ModelTable([
	{
		id: "scripted",
		provider: "scripted",
		contextWindow,
		maxOutput: 500,
		reasoning: "none",
		sampling: true,
		images: false,
	},
]);
const tools = [probeTool("look", { effect: "none", run: async () => "found it" })];

function took(inputTokens: number, outputTokens: number, stop: "end_turn" | "tool_use" = "end_turn") {
	const usage = { ...noUsage, inputTokens, outputTokens };
	return { type: "end", stop, usage, model: "scripted" } as const;
}

async function open(model: ScriptedModel, options: Partial<TestRuntimeOptions> = {}) {
	const t = await TestRuntime.open({ model, table, tools, ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, session, log };
}

test("each reply is followed by a snapshot with the provider's counts, which separates the history from the run", async () => {
	const model = new ScriptedModel(
		[says("Let me see."), calls("c1", "look"), took(300, 20, "tool_use")],
		[says("Found."), took(350, 7)],
		[says("Welcome."), took(400, 9)],
	);
	const { t, session, log } = await open(model);
	await using _ = t;
	const runId = await t.send(session, "find it");
	const first = await log.next("context.updated");
	expect(first).toMatchObject({ runId, model: "scripted", window: contextWindow, total: 320, history: 0 });
	expect(first.messages.map(({ role, source }) => [role, source])).toEqual([
		["user", "run"],
		["assistant", "run"],
	]);
	expect(first.messages.at(-1)?.tokens).toBe(20);
	expect(first.tools).toBeGreaterThan(0);
	expect(first.remaining).toBe(contextWindow - 320);
	expect(first.reserved).toBe(500);
	const second = await log.next("context.updated");
	expect(second).toMatchObject({ runId, total: 357, history: 0, compacted: [] });
	expect(second.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
	await log.next("assistant.message");
	await t.send(session, "thanks");
	const third = await log.next("context.updated");
	expect(third.messages.map(({ source }) => source)).toEqual([
		...["history", "history", "history", "history"],
		...["run", "run"],
	]);
	expect(third.system + third.tools + third.history + third.run).toBe(409);
	await log.next("assistant.message");
	log.check();
	const emitted = log.events.filter(({ event }) => /^(context\.updated|model\.replied)$/.test(event.type));
	const pair = ["context.updated", "model.replied"];
	expect(emitted.map(({ event }) => event.type)).toEqual([...pair, ...pair, ...pair]);
});

test("an estimate is used if the provider sends no count, and a count above the window increases it", async () => {
	const model = new ScriptedModel([says("one"), took(0, 0)], [says("two"), took(contextWindow + 100, 10)]);
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.send(session, "hi");
	const estimated = await log.next("context.updated");
	expect(estimated.total).toBeGreaterThan(50);
	expect(estimated.total).toBeLessThan(500);
	await log.next("assistant.message");
	await t.send(session, "and?");
	const widened = await log.next("context.updated");
	expect(widened).toMatchObject({
		window: contextWindow + 110,
		total: contextWindow + 110,
		remaining: 0,
		reserved: 0,
	});
});

test("a failed call has no snapshot, and its repetition has one", async () => {
	const overloaded: ScriptedReply = async function* () {
		yield says("I");
		throw new ModelError("too much to do", { fault: "overloaded" });
	};
	const { t, session, log } = await open(new ScriptedModel(overloaded, [says("Yes."), took(200, 3)]));
	await using _ = t;
	await t.send(session, "hi");
	await log.next("run.retrying");
	await t.settle();
	t.clock.advance(60_000);
	await log.next("assistant.message");
	expect(log.events.filter(({ event }) => event.type === "context.updated")).toHaveLength(1);
});

test("a compaction is listed once, by the next snapshot, with its summary", async () => {
	const long = "word ".repeat(6_000);
	const model = new ScriptedModel(
		[says(long), took(200, 3_000)],
		[says("They greeted each other.")],
		[says("Yes."), took(400, 3)],
		[says("Still."), took(420, 3)],
	);
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.send(session, "hi");
	await log.next("assistant.message");
	await t.send(session, "and?");
	const recorded = await log.next("context.compacted");
	const { compacted } = await log.next("context.updated");
	const { tokensBefore, tokensAfter } = recorded;
	expect(compacted).toMatchObject([
		{ level: "summary", messagesBefore: 3, messagesAfter: 2, tokensBefore, tokensAfter },
	]);
	expect(compacted[0]?.summary).toContain("They greeted each other.");
	await log.next("assistant.message");
	await t.send(session, "still?");
	expect((await log.next("context.updated")).compacted).toEqual([]);
});

test("after a compaction of an idle session a snapshot shows the remaining context", async () => {
	const model = new ScriptedModel([says("Roses?"), took(200, 5)], [says("They plan a garden.")]);
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.send(session, "Plan a garden.");
	await log.next("assistant.message");
	await t.runtime.compact(unkeyed(), session, { signal: new AbortController().signal });
	const snapshot = await log.next("context.updated");
	expect(snapshot).toMatchObject({ runId: "", run: 0, window: contextWindow });
	expect(snapshot.compacted).toMatchObject([{ level: "summary", messagesBefore: 2, messagesAfter: 1 }]);
	expect(snapshot.messages).toEqual([{ role: "user", source: "history", tokens: snapshot.history }]);
	log.check();
});

test("after a restart the next reply has its snapshot with the complete history", async () => {
	const model = new ScriptedModel([says("Hello."), took(200, 5)], [says("Again."), took(230, 5)]);
	const { t, session, log } = await open(model);
	await t.send(session, "hi");
	await log.next("assistant.message");
	await t.stop();
	await using again = await TestRuntime.open({ model, table, tools, directory: t.directory, clock: t.clock });
	await again.runtime.start();
	const later = await EventLog.join(again.runtime, session);
	await again.send(session, "hi again");
	const { total, messages } = await later.next("context.updated");
	expect(total).toBe(235);
	expect(messages.map(({ source }) => source)).toEqual(["history", "history", "run", "run"]);
});

/** Counts each character as a token, and records the counted texts. */
class CountingModel extends ScriptedModel {
	readonly tokenized: string[] = [];
	isMute = false;
	/** Resolves when the model receives a request that it does not answer. */
	readonly unanswered = Promise.withResolvers<void>();

	async countTexts(
		_model: string,
		texts: readonly string[],
		signal: AbortSignal,
	): Promise<readonly number[]> {
		if (this.isMute) {
			this.unanswered.resolve();
			await new Promise((_, reject) =>
				signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
			);
		}
		this.tokenized.push(...texts);
		return texts.map((text) => text.length);
	}
}

test("the parts follow the tokenizer of the model, which counts each part once", async () => {
	const model = new CountingModel([says("one"), took(0, 3)], [says("two"), took(2_000, 3)]);
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.send(session, "x".repeat(100));
	const first = await log.next("context.updated");
	const [system = "", list = "", message = ""] = model.tokenized;
	expect(first).toMatchObject({ basis: "tokenizer" });
	// The provider did not count the complete request, so the total is the sum of the counts of the parts.
	expect(Math.abs(first.system - system.length)).toBeLessThanOrEqual(2);
	expect(Math.abs(first.tools - list.length)).toBeLessThanOrEqual(2);
	expect(first.messages[0]?.tokens).toBeGreaterThanOrEqual(message.length);
	await log.next("assistant.message");
	await t.send(session, "y");
	const second = await log.next("context.updated");
	expect(second).toMatchObject({ basis: "tokenizer", total: 2_003 });
	expect(second.system + second.tools + second.history + second.run).toBe(second.total);
	// Only the reply and the new message are counted, because the other counts are known.
	expect(model.tokenized.slice(3)).toEqual(["one", expect.stringContaining("y")]);
});

test("a tokenizer that does not answer delays a snapshot by two seconds once, and the snapshot is marked as an estimate", async () => {
	const model = new CountingModel(
		[says("one"), took(300, 3)],
		[says("two"), took(400, 3)],
		[says("3"), took(500, 3)],
	);
	model.isMute = true;
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.send(session, "hi");
	await model.unanswered.promise;
	t.clock.advance(2_000);
	expect(await log.next("context.updated")).toMatchObject({ basis: "estimate", total: 303 });
	await log.next("assistant.message");
	await t.send(session, "again");
	expect(await log.next("context.updated")).toMatchObject({ basis: "estimate", total: 403 });
	await log.next("assistant.message");
	model.isMute = false;
	t.clock.advance(60_000);
	await t.send(session, "now");
	expect(await log.next("context.updated")).toMatchObject({ basis: "tokenizer", total: 503 });
});

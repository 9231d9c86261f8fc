import { ParleyError, type Store } from "@parley/base";
import { storeWith } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { Tables } from "../journal/tables.ts";
import type { ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { ModelInfo } from "../models/table/model-info.ts";
import { ModelTable } from "../models/table/model-table.ts";
import { operator } from "../principal.ts";
import { EventLog } from "../testing/event-log.ts";
import { ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";

/** Holds back what is to be committed, once told to. */
class Disk {
	#holds = false;
	readonly #held: ((error?: ParleyError) => void)[] = [];

	readonly wrap = (store: Store<Tables>): Store<Tables> =>
		storeWith(store, {
			commit: async (command) => {
				if (this.#holds) {
					const { promise, resolve } = Promise.withResolvers<ParleyError | undefined>();
					this.#held.push(resolve);
					const error = await promise;
					if (error) throw error;
				}
				return store.commit(command);
			},
		});

	hold(): void {
		this.#holds = true;
	}

	/** Lets the newest through, which others were before. */
	letLast(): void {
		this.#held.pop()?.();
	}

	go(error?: ParleyError): void {
		this.#holds = false;
		for (const resolve of this.#held.splice(0)) resolve(error);
	}
}

function info(id: string, tier: "fast" | "standard"): ModelInfo {
	const limits = { contextWindow: 100_000, maxOutput: 10_000 };
	return { id, provider: "scripted", ...limits, reasoning: "none", sampling: true, images: true, tier };
}

const table = new ModelTable([info("quick-2", "fast"), info("solid-2", "standard")]);

/** Replies with what was asked, when `before` lets it, and keeps the signals of its calls. */
function echoing(before: (asked: string) => Promise<void> = async () => undefined) {
	const signals: AbortSignal[] = [];
	const calls = { open: 0 };
	const reply: ScriptedReply = async function* (request, signal) {
		signals.push(signal);
		calls.open += 1;
		try {
			await before(lastText(request));
			yield says(`to ${lastText(request)}`);
			const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
			yield { type: "end", stop: "end_turn", usage, model: request.model };
		} finally {
			calls.open -= 1;
		}
	};
	return { signals, calls, model: new ScriptedModel(...Array.from({ length: 9 }, () => reply)) };
}

function lastText(request: ModelRequest | undefined): string {
	const block = request?.messages.at(-1)?.content.at(-1);
	return block?.type === "text" ? block.text : "";
}

/** A session in which something was said before, at a disk that can be held. */
async function talking(stack: AsyncDisposableStack, options: Partial<TestRuntimeOptions> = {}) {
	const disk = new Disk();
	const { signals, calls, model: echo } = echoing();
	const t = stack.use(
		await TestRuntime.open({ model: echo, table, modelName: "standard", wrap: disk.wrap, ...options }),
	);
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "one");
	await log.next("assistant.message");
	await t.settle();
	return { t, disk, log, session, signals, calls, asked: echo.requests };
}

test("the model is asked while the message is being written down, once, and nobody hears of it before", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, disk, log, session, asked } = await talking(stack);
	const before = log.events.length;
	disk.hold();
	const sending = t.send(session, "two");
	await t.settle();
	expect(asked.map(lastText)).toEqual(["one", "two"]);
	expect(log.events.length).toBe(before);
	t.clock.advance(70);
	disk.go();
	await sending;
	await expect(log.next("model.called")).resolves.toMatchObject({ durationMs: 70 });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to two", error: "" });
	expect(asked).toHaveLength(2);
	expect(asked[1]?.messages).toHaveLength(3);
	await t.settle();
	await t.send(session, "three");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to three" });
	expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
	log.check();
});

test("a message that cannot be written down ends what was asked for it", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, disk, log, session, signals, calls, asked } = await talking(stack);
	disk.hold();
	const sending = t.send(session, "two");
	await t.settle();
	expect([signals[1]?.aborted, calls.open]).toEqual([false, 1]);
	disk.go(new ParleyError("the disk is full", { code: "unavailable" }));
	await expect(sending).rejects.toThrow("the disk is full");
	await t.settle();
	expect([signals[1]?.aborted, calls.open]).toEqual([true, 0]);
	await t.send(session, "three");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to three" });
	expect(asked[2]?.messages).toHaveLength(3);
	expect(t.log.records.filter(({ message }) => message.includes("begun early"))).toHaveLength(1);
	log.check();
});

test("where a model was chosen meanwhile, that one is asked and the other call is ended", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, disk, log, session, signals, asked } = await talking(stack);
	disk.hold();
	const sending = t.send(session, "two");
	await t.settle();
	const choosing = t.runtime.setModel(unkeyed(), session, "fast");
	await t.settle();
	disk.letLast();
	await choosing;
	disk.go();
	await sending;
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "to two",
		model: "quick-2",
	});
	expect(asked.map(({ model }) => model)).toEqual(["solid-2", "solid-2", "quick-2"]);
	expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false]);
});

test("of two messages at once the first alone is asked about, and the other when it is over", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, disk, log, session, asked } = await talking(stack);
	disk.hold();
	const sending = [t.send(session, "two"), t.send(session, "three")];
	await t.settle();
	expect(asked.map(lastText)).toEqual(["one", "two"]);
	disk.go();
	await Promise.all(sending);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to two" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to three" });
	expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
});

test("what was sent before under the same key is not asked again", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, log, session, asked } = await talking(stack);
	const keyed = { principal: operator, key: "k1", method: "send_message", params: { content: "two" } };
	const first = await t.runtime.send(keyed, session, { content: "two" });
	await log.next("assistant.message");
	await t.settle();
	await expect(t.runtime.send(keyed, session, { content: "two" })).resolves.toEqual(first);
	await t.settle();
	expect(asked).toHaveLength(2);
});

test("a run that is cancelled ends the call that was begun for it", async () => {
	await using stack = new AsyncDisposableStack();
	const signals: AbortSignal[] = [];
	const waits: ScriptedReply = async function* (_request, signal) {
		signals.push(signal);
		await new Promise((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
		yield says("never");
	};
	const model = new ScriptedModel([says("to one")], waits);
	const { t, log, session } = await talking(stack, { model });
	await t.send(session, "two");
	await t.settle();
	await t.runtime.cancel(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
	expect(model.requests).toHaveLength(2);
});

test("a message that is cancelled in its own breath leaves no call behind", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, log, session, calls, asked } = await talking(stack);
	const sending = t.send(session, "two");
	await Promise.all([sending, t.runtime.cancel(unkeyed(), session)]);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	await t.settle();
	expect(calls.open).toBe(0);
	expect(asked.length).toBeLessThanOrEqual(2);
});

test("what became of the call is the run's: it is tried again like any other", async () => {
	await using stack = new AsyncDisposableStack();
	const overloaded: ScriptedReply = async function* () {
		yield says("");
		throw new ModelError("too busy", { fault: "overloaded" });
	};
	const model = new ScriptedModel([says("to one")], overloaded, [says("to two")]);
	const { t, disk, log, session } = await talking(stack, { model });
	disk.hold();
	const sending = t.send(session, "two");
	await t.settle();
	expect(model.requests).toHaveLength(2);
	disk.go();
	await sending;
	await expect(log.next("run.retrying")).resolves.toMatchObject({ reason: "too busy", attempt: 1 });
	t.clock.advance(1_000);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "to two", error: "" });
	log.check();
});

test("nothing is asked for what a budget forbids, and for a message with files only when they are there", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, disk, session, asked } = await talking(stack);
	const picture = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
	disk.hold();
	const sending = t.runtime.send(unkeyed(), session, { content: "two", images: [picture] });
	await t.settle();
	expect(asked).toHaveLength(1);
	disk.go();
	await sending;
	await t.settle();
	await t.runtime.setBudget(unkeyed(), { scope: "session", sessionId: session, period: "day", limit: 0 });
	disk.hold();
	const refused = t.send(session, "three");
	await t.settle();
	expect(asked).toHaveLength(2);
	disk.go();
	await refused;
});

test("the message behind one that was cancelled while it waited is asked about once", async () => {
	await using stack = new AsyncDisposableStack();
	const gate = Promise.withResolvers<void>();
	const { model, signals } = echoing(async (asked) => (asked === "two" ? gate.promise : undefined));
	const { t, log, session } = await talking(stack, { model });
	await t.send(session, "two");
	const runId = await t.send(session, "three");
	await t.runtime.cancel(unkeyed(), session, { runId });
	gate.resolve();
	await t.settle();
	for (const content of ["four", "five"]) {
		await t.send(session, content);
		await t.settle();
	}
	expect(log.events.at(-1)?.event).toMatchObject({ type: "assistant.message", content: "to five" });
	expect(model.requests.map(lastText)).toEqual(["one", "two", "four", "five"]);
	expect(signals.some(({ aborted }) => aborted)).toBe(false);
});

import { getEventListeners } from "node:events";
import { type Store, StoreError } from "@parley/base";
import { ManualClock, storeWith } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createOfflineModel } from "../models/offline/offline-model.ts";
import type { Tables } from "../store/tables.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { noUsage } from "../vocabulary/usage.ts";
import { runEndTexts } from "./texts.ts";

const message = "tool: strike {}\n& tool: look {}\nsay: the end";

/** Refuses the nth commit after a call of `arm`. */
class Refusal {
	refused = false;
	#left: number;
	#armed = false;

	constructor(nth: number) {
		this.#left = nth;
	}

	arm(armed = true): void {
		this.#armed = armed;
	}

	readonly wrap = (store: Store<Tables>): Store<Tables> =>
		storeWith(store, {
			commit: async (command) => {
				if (this.#armed) this.#left -= 1;
				if (this.#left !== 0 || this.refused) return store.commit(command);
				this.refused = true;
				throw new StoreError("the disk is full");
			},
		});
}

async function retryOnce(request: () => Promise<unknown>): Promise<void> {
	await request().catch(request);
}

async function outlast<T>(t: TestRuntime, promise: Promise<T>): Promise<T> {
	let done = false;
	let passed = 0;
	void promise.then(() => {
		done = true;
	});
	while (!done) {
		await t.settle();
		const failed = t.log.records.filter(({ level }) => level === "error").length;
		if (failed === passed) continue;
		passed = failed;
		t.clock.advance(500);
	}
	return promise;
}

async function talkToEnd(nth: number) {
	const refusal = new Refusal(nth);
	let strikes = 0;
	const tools = [
		probeTool("look", { effect: "none" }),
		probeTool("strike", { classes: ["write"], run: async () => `${++strikes}` }),
	];
	const model = createOfflineModel({ clock: new ManualClock() });
	await using t = await TestRuntime.open({ model, tools, wrap: refusal.wrap });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	refusal.arm();
	await retryOnce(() => t.send(session, message));
	let ended: { readonly error: string };
	for (;;) {
		const event = await outlast(t, log.next("prompt.requested", "assistant.message"));
		ended = event.type === "assistant.message" ? event : { error: "" };
		if (event.type === "assistant.message") break;
		await retryOnce(() => t.runtime.answer(unkeyed(), event.prompt.token, { value: true }));
	}
	refusal.arm(false);
	await t.settle();
	log.check();
	const recorded = [...log.recorded];
	const failure = log.events.find(({ event }) => event.type === "tool.failed")?.event;
	await t.send(session, "say: still here");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "[offline] still here",
		error: "",
	});
	log.check();
	expect(t.clock.pending).toBe(0);
	return { refused: refusal.refused, recorded, failure, error: ended.error, strikes };
}

test("any failed commit of a run is retried, and the run ends once without repeated effects", async () => {
	const complete = await talkToEnd(Number.POSITIVE_INFINITY);
	expect(complete).toMatchObject({ refused: false, error: "", failure: undefined, strikes: 1 });
	const outcomes = new Set<string>();
	for (let nth = 1; ; nth++) {
		const now = await talkToEnd(nth);
		if (!now.refused) {
			expect(nth).toBeGreaterThan(9);
			break;
		}
		expect(now.strikes).toBeLessThanOrEqual(1);
		expect(now.error).toBe("");
		if (now.failure) {
			expect(now.failure).toMatchObject({ error: expect.stringMatching(/^interrupted, outcome unknown/) });
			outcomes.add("interrupted");
		} else {
			expect(now.recorded).toEqual(complete.recorded);
			outcomes.add("whole");
		}
	}
	expect([...outcomes].sort()).toEqual(["interrupted", "whole"]);
});

test("a run whose end could not be recorded is retried after half a second, not before", async () => {
	const refusal = new Refusal(1);
	const model = createOfflineModel({ clock: new ManualClock() });
	await using t = await TestRuntime.open({ model, wrap: refusal.wrap });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "say: one");
	await log.next("assistant.message");
	await t.send(session, "say: two");
	// The next commit is the last of the run, because no question and no tool call follows.
	refusal.arm();
	await log.next("text.ended");
	await expect.poll(() => refusal.refused).toBe(true);
	await t.settle();
	t.clock.advance(499);
	await t.settle();
	expect(log.recorded.at(-1)).toBe("user.message");
	t.clock.advance(1);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "[offline] two", error: "" });
	log.check();
	expect(log.recorded.filter((type) => type === "assistant.message")).toHaveLength(2);
});

test("a run that waits for its store adds no listener to its signal at each retry", async () => {
	let isBroken = false;
	let { signal } = new AbortController();
	const fail = (): Promise<never> => Promise.reject(new StoreError("the disk is full"));
	const wrap = (store: Store<Tables>): Store<Tables> =>
		storeWith(store, {
			read: (query) => (isBroken ? fail() : store.read(query)),
			commit: (command) => (isBroken ? fail() : store.commit(command)),
		});
	const model = new ScriptedModel(
		async function* (_, ofRun) {
			signal = ofRun;
			yield says("one");
			isBroken = true;
			yield { type: "end", stop: "end_turn", usage: noUsage, model: "scripted-1" };
		},
		[says("two")],
	);
	await using t = await TestRuntime.open({ model, wrap });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	const listeners: number[] = [];
	for (let failures = 1; failures <= 4; failures++) {
		await expect
			.poll(() => t.log.records.filter(({ message }) => message === runEndTexts.notRecorded).length)
			.toBe(failures);
		listeners.push(getEventListeners(signal, "abort").length);
		if (failures === 4) isBroken = false;
		t.clock.advance(30_000);
	}
	expect(listeners).toEqual([1, 1, 1, 1]);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "two", error: "" });
	log.check();
});

import { type Clock, ParleyError, systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { CallBlock, Message } from "../../vocabulary/message.ts";
import type { ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { charactersOf, createOfflineModel } from "./offline-model.ts";

const tools = [{ name: "run_command", description: "runs", parameters: { type: "object" } }];

function requestOf(...messages: Message[]): ModelRequest {
	return { model: "offline", system: "You help.", messages, tools };
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

function stream(request: ModelRequest, signal = new AbortController().signal, clock: Clock = systemClock) {
	return createOfflineModel({ clock }).stream(request, signal);
}

function textOf(events: readonly ModelEvent[]): string {
	return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

async function converse(message: string, run: (call: CallBlock) => { text: string; failed: boolean }) {
	const messages = [user(message)];
	const texts: string[] = [];
	const calls: CallBlock[] = [];
	for (;;) {
		const events = await Array.fromAsync(stream(requestOf(...messages)));
		const now = events.filter((event) => event.type === "call");
		texts.push(textOf(events));
		calls.push(...now);
		if (now.length === 0) return { texts, calls, end: events.at(-1) };
		messages.push({ role: "assistant", content: [{ type: "text", text: textOf(events) }, ...now] });
		const results = now.map((call) => ({ type: "result" as const, callId: call.id, ...run(call) }));
		messages.push({ role: "tool", content: results });
	}
}

test("one command returns a call, then a final reply with its output", async () => {
	const { texts, calls, end } = await converse("run: echo hi", () => ({ text: "hi\n", failed: false }));
	expect(calls).toEqual([
		{ type: "call", index: 0, id: "call_1_0", name: "run_command", arguments: { cmd: "echo hi" } },
	]);
	expect(texts).toEqual(["", "[offline] run_command returned:\nhi"]);
	expect(end).toMatchObject({ type: "end", stop: "end_turn", model: "offline" });
});

test("a conversation has several steps: some parallel, some failing, one unknown", async () => {
	const message = [
		"Please do this:",
		"say: looking around",
		"read: a.txt",
		"& read: b.txt",
		"run: make",
		'tool: teleport {"to": "Mars"}',
		"say: that is all",
	].join("\n");
	const { texts, calls } = await converse(message, (call) => {
		if (call.name === "teleport") return { text: 'there is no tool "teleport"', failed: true };
		if (call.name === "run_command") return { text: "denied: not now", failed: true };
		return { text: `text of ${JSON.stringify(call.arguments)}`, failed: false };
	});
	expect(texts).toEqual([
		"[offline] looking around",
		'[offline] read_file returned:\ntext of {"path":"a.txt"}\n\nread_file returned:\ntext of {"path":"b.txt"}',
		"[offline] run_command failed:\ndenied: not now",
		'[offline] teleport failed:\nthere is no tool "teleport"\n\nthat is all',
	]);
	expect(calls.map(({ id }) => id)).toEqual(["call_1_0", "call_1_1", "call_3_0", "call_5_0"]);
});

test("the same request gives the same events", async () => {
	const request = requestOf(user("think: hm\nsay: a b c\nrun: x\n& run: y"));
	const events = await Array.fromAsync(stream(request));
	expect(events.map(({ type }) => type)).toEqual([
		..."started thinking text text text text".split(" "),
		..."call.started call.delta call.ended call call.started call.delta call.ended call end".split(" "),
	]);
	expect(await Array.fromAsync(stream(request))).toEqual(events);
});

test("text streams word by word, without loss", async () => {
	const events = await Array.fromAsync(stream(requestOf(user("say: one  two three"))));
	expect(events.flatMap((event) => (event.type === "text" ? [event.text] : []))).toEqual([
		"[offline] ",
		"one  ",
		"two ",
		"three",
	]);
});

test("a long text streams in a bounded number of deltas", async () => {
	const text = "word\tand ".repeat(20_000).trim();
	const events = await Array.fromAsync(stream(requestOf(user(`say: ${text}`))));
	expect(textOf(events)).toBe(`[offline] ${text}`);
	expect(events.length).toBeGreaterThan(100);
	expect(events.length).toBeLessThan(260);
});

test("usage is a quarter of the characters in and out, rounded up", async () => {
	const messages: Message[] = [
		user("run: 1"),
		{
			role: "assistant",
			content: [
				{ type: "thinking", text: "hm" },
				{ type: "call", id: "c", name: "run_command", arguments: { cmd: "1" } },
			],
		},
		{ role: "tool", content: [{ type: "result", callId: "c", text: "hi", failed: false }] },
	];
	const events = await Array.fromAsync(stream(requestOf(...messages)));
	const described = "run_command".length + "runs".length + '{"type":"object"}'.length;
	const characters =
		"run: 1".length + "hm".length + "run_command".length + '{"cmd":"1"}'.length + "hi".length;
	expect(events.at(-1)).toEqual({
		type: "end",
		stop: "end_turn",
		usage: {
			inputTokens: Math.ceil(("You help.".length + described + characters) / 4),
			outputTokens: Math.ceil("[offline] run_command returned:\nhi".length / 4),
			cacheReadTokens: 0,
			cacheWriteTokens: 0,
		},
		model: "offline",
	});
	const calling = await Array.fromAsync(stream(requestOf(user("run: 1"))));
	expect(calling.at(-1)).toMatchObject({
		stop: "tool_use",
		usage: { outputTokens: Math.ceil('run_command{"cmd":"1"}'.length / 4) },
	});
});

test("an image counts as a page of text, with any size", async () => {
	const usageWith = async (...shown: string[]) => {
		const images = shown.map((data) => ({ type: "image", mediaType: "image/png", data }) as const);
		const message: Message = { role: "user", content: [...images, { type: "text", text: "say: a" }] };
		const events = await Array.fromAsync(stream(requestOf(message)));
		const end = events.at(-1);
		return end?.type === "end" ? end.usage.inputTokens : 0;
	};
	expect(await usageWith("x")).toBe((await usageWith()) + 1_024);
	expect(await usageWith("x".repeat(100_000), "y")).toBe((await usageWith()) + 2_048);
	const image = { type: "image", mediaType: "image/png", data: "x" } as const;
	const result = { type: "result", callId: "c", text: "12345678", failed: false } as const;
	expect(charactersOf({ ...result, pictures: [image] })).toBe(8 + 4 * 1_024);
});

test("fail interrupts the reply after its text, with the reason", async () => {
	const events: ModelEvent[] = [];
	const failing = async (): Promise<void> => {
		for await (const event of stream(requestOf(user("say: well\nfail: out of ideas\nsay: never")))) {
			events.push(event);
		}
	};
	await expect(failing()).rejects.toMatchObject({ code: "unavailable", message: "out of ideas" });
	expect(textOf(events)).toBe("[offline] well");
});

test("long without a pace counts to the end without blocking other work", async () => {
	let turns = 0;
	let running = true;
	const count = (): void => {
		turns++;
		if (running) setImmediate(count);
	};
	setImmediate(count);
	const events = await Array.fromAsync(stream(requestOf(user("long: 5000 tokens"))));
	running = false;
	const words = Array.from({ length: 5000 }, (_, index) => `t${index + 1}`);
	expect(textOf(events)).toBe(`[offline] ${words.join(" ")}`);
	expect(turns).toBeGreaterThan(50);
});

test("long keeps the pace of the clock, with each word at its own time", async () => {
	const clock = new ManualClock();
	const replies = stream(requestOf(user("long: 3 tokens at 4 per second")), undefined, clock);
	const events = replies[Symbol.asyncIterator]();
	expect((await events.next()).value).toEqual({ type: "started" });
	expect((await events.next()).value).toEqual({ type: "text", text: "[offline] " });
	expect((await events.next()).value).toEqual({ type: "text", text: "t1" });
	let arrived = false;
	const second = events.next().then((next) => {
		arrived = true;
		return next;
	});
	clock.advance(249);
	await new Promise(setImmediate);
	expect(arrived).toBe(false);
	clock.advance(1);
	expect((await second).value).toEqual({ type: "text", text: " t2" });
	clock.advance(250);
	expect((await events.next()).value).toEqual({ type: "text", text: " t3" });
	expect((await events.next()).value).toMatchObject({ type: "end" });
});

test("a cancel ends the wait for the next word at once", async () => {
	const cancel = new AbortController();
	const events = stream(requestOf(user("long: 9 tokens at 1 per second")), cancel.signal, new ManualClock())[
		Symbol.asyncIterator
	]();
	await events.next();
	await events.next();
	const waiting = events.next();
	cancel.abort();
	await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
	await expect(events.next()).resolves.toEqual({ done: true, value: undefined });
});

test.each(["long: 1000000 tokens", "say: a b c", "fail: x"])(
	"%j returns no text after a cancellation",
	async (message) => {
		const cancel = new AbortController();
		const events = stream(requestOf(user(message)), cancel.signal)[Symbol.asyncIterator]();
		if (!message.startsWith("fail")) await events.next();
		cancel.abort(new Error("away"));
		const next = events.next();
		await expect(next).rejects.toBeInstanceOf(ParleyError);
		await expect(next).rejects.toMatchObject({ code: "cancelled" });
	},
);

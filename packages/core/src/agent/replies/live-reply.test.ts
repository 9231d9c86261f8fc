import { setImmediate as turn } from "node:timers/promises";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime } from "../../testing/test-runtime.ts";
import type { ModelEvent } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import type { TransientEvent } from "../../vocabulary/transient-event.ts";

const secret = "k3y-0123456789abcdef";
/**
 * Pattern of the text that replaces the secret. The redactor withholds a possible beginning of the secret or of
 * its encodings. So other texts of these tests do not end with k, a, s, r or 6.
 */
const shown = /^\[redacted\]$/;

const think = (text: string): ModelEvent => ({ type: "thinking", text });

function written(index: number, id: string, ...pieces: readonly string[]): ModelEvent[] {
	return [
		{ type: "call.started", index, id, name: "probe" },
		...pieces.map((json): ModelEvent => ({ type: "call.delta", index, json })),
		{ type: "call.ended", index },
		{ ...calls(id, "probe"), index } as ModelEvent,
	];
}

/** Returns a reply. The events of the reply arrive in successive turns of the event loop. */
function slowly(...events: readonly ModelEvent[]): ScriptedReply {
	return async function* () {
		for (const event of events) {
			yield event;
			await turn();
		}
	};
}

const end: ModelEvent = {
	type: "end",
	stop: "tool_use",
	model: "scripted-1",
	usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

async function passed(...replies: readonly ScriptedReply[]) {
	const redactor = new Redactor();
	redactor.add(secret);
	const model = new ScriptedModel(...replies);
	await using t = await TestRuntime.open({ model, redactor, tools: [probeTool("probe")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	for (;;) {
		const { type } = await log.next("assistant.message", "run.retrying");
		if (type === "assistant.message") break;
		await t.settle();
		t.clock.advance(1_000);
	}
	log.check();
	const passing = log.events.flatMap(({ event }) => (isLive(event) ? [event] : []));
	const text = (of: "thinking.delta" | "arguments.delta"): string =>
		passing.map((event) => (event.type === of ? textOf(event) : "")).join("");
	return { log, passing, types: passing.map(({ type }) => type), text };
}

function isLive(event: { readonly type: string }): event is TransientEvent {
	return /^(response|thinking|arguments|text)\./.test(event.type);
}

function textOf(event: TransientEvent): string {
	if (event.type === "arguments.delta") return event.json;
	return event.type === "thinking.delta" ? event.text : "";
}

test("thinking, calls and the start of a reply are sent as they arrive, in their order", async () => {
	const { passing, types, log } = await passed(
		slowly(
			{ type: "started" },
			think("First "),
			think("this."),
			says("Look:"),
			...written(0, "c1", '{"q', '":1}'),
			end,
		),
		[says("done")],
	);
	expect(types).toEqual([
		...["response.started", "thinking.delta", "thinking.delta", "text.started", "text.delta"],
		...["arguments.started", "arguments.delta", "arguments.delta", "arguments.ended", "text.ended"],
		...["text.started", "text.delta", "text.ended"],
	]);
	const { runId } = await new Promise<{ runId: string }>((resolve) => {
		for (const { event } of log.events) if (event.type === "user.message") resolve(event);
	});
	const call = { runId, index: 0, callId: "c1", name: "probe" };
	expect(passing.filter(({ type }) => type.startsWith("arguments."))).toEqual([
		{ type: "arguments.started", ...call },
		{ type: "arguments.delta", ...call, json: '{"q', offset: 0 },
		{ type: "arguments.delta", ...call, json: '":1}', offset: 3 },
		{ type: "arguments.ended", ...call, length: 7 },
	]);
	const started = log.events.find(({ event }) => event.type === "tool.started");
	expect(started?.event).toMatchObject({ callId: "c1" });
});

test("thinking and arguments that arrive faster than the event loop are joined to one event per tick", async () => {
	const many = Array.from({ length: 10_000 }, () => "x");
	const { types, text } = await passed(
		[...many.map(think), ...written(0, "c1", ...many), end],
		[says("done")],
	);
	expect(types.filter((type) => type === "thinking.delta").length).toBeLessThan(20);
	expect(types.filter((type) => type === "arguments.delta").length).toBeLessThan(20);
	expect(text("thinking.delta")).toBe(many.join(""));
	expect(text("arguments.delta")).toBe(many.join(""));
});

test("no thinking or arguments contain a secret, at any cut or with escapes", async () => {
	const escaped = [...secret].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
	const thoughts = [...secret].map(think);
	const plain = await passed(
		slowly(think("is "), ...thoughts, think(" it"), ...written(0, "c1", '{"a":"', ...secret, '"}'), end),
		slowly(...thoughts, ...written(0, "c2", '{"a":"', ...escaped.join(""), '"}'), end),
		[...thoughts, ...written(0, "c3", '{"a":"', ...secret.slice(0, 12)), end],
		[says("done")],
	);
	expect(JSON.stringify(plain.log.events)).not.toContain(secret.slice(0, 4));
	for (const of of ["thinking.delta", "arguments.delta"] as const) {
		expect(plain.text(of)).not.toContain(secret.slice(4, 12));
		expect(plain.text(of).match(/\[redacted\]/g)).toHaveLength(3);
	}
	expect(plain.text("thinking.delta")).toMatch(/^is \[redacted\] it/);
	const [first = ""] = plain.text("arguments.delta").split('"}');
	expect(first.slice('{"a":"'.length)).toMatch(shown);
});

test("after an interruption every started part of a reply ends, and the call starts again", async () => {
	const broken: ScriptedReply = async function* () {
		yield* written(0, "c1", '{"q').slice(0, 2);
		await turn();
		throw new ModelError("it broke off", { fault: "interrupted" });
	};
	const { types } = await passed(broken, slowly(...written(0, "c1", "{}"), end), [says("done")]);
	const call = ["arguments.started", "arguments.delta", "arguments.ended"];
	expect(types).toEqual([...call, ...call, "text.started", "text.delta", "text.ended"]);
});

test("a call has its final id from its first event on, also if a provider uses an id twice", async () => {
	const { passing, log } = await passed(
		slowly(...written(0, "c1", "{}"), ...written(1, "c1", "{}"), ...written(2, "", "{}"), end),
		slowly(...written(0, "c1", "{}"), end),
		[says("done")],
	);
	const ids = passing.flatMap((event) => (event.type === "arguments.started" ? [event.callId] : []));
	const ran = log.events.flatMap(({ event }) => (event.type === "tool.started" ? [event.callId] : []));
	expect(new Set(ids).size).toBe(4);
	expect(ids[0]).toBe("c1");
	expect(ran).toEqual(ids);
});

test("no piece of thinking or of arguments has half a character", async () => {
	const { text, passing } = await passed(
		slowly(
			think("a\ud83d"),
			think("\ude00b"),
			...written(0, "c1", '{"a":"\ud83d', '\ude00"', "}"),
			...written(1, "c2", '{"a":"\ud83d'),
			end,
		),
		[says("done")],
	);
	expect(text("thinking.delta")).toBe("a😀b");
	expect(text("arguments.delta")).toBe('{"a":"😀"}{"a":"\ufffd');
	expect(passing.every((event) => textOf(event).isWellFormed())).toBe(true);
});

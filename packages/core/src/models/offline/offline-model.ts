import { setImmediate } from "node:timers/promises";
import { type Clock, delay, ParleyError } from "@parley/base";
import type { Model, ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { nextReply } from "./conversation.ts";
import type { OfflineCommand } from "./grammar.ts";
import { charactersIn, charactersOf, tokensOf } from "./offline-usage.ts";

/** A text streams word by word, and in larger pieces where that would be more deltas than this. */
const MAX_DELTAS = 256;

/** A reply without pauses lets everybody else have a turn after so many events. */
const EVENTS_AT_ONCE = 64;

/**
 * A deterministic assistant inside the process that carries out written commands (see grammar.ts) and says so: the
 * text of every reply begins with `[offline]`. Needs no key and no network; time passes only between paced words.
 */
export function createOfflineModel({ clock }: { readonly clock: Clock }): Model {
	return {
		provider: "offline",
		defaultModel: "offline",
		stream: (request, signal) => streamReply(request, clock, signal),
	};
}

async function* streamReply(
	request: ModelRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	let events = 0;
	let calls = 0;
	let characters = 0;
	try {
		signal.throwIfAborted();
		yield { type: "started" };
		for await (const event of perform(request, clock, signal)) {
			if (++events % EVENTS_AT_ONCE === 0) await setImmediate();
			signal.throwIfAborted();
			if (event.type === "call") calls++;
			characters += charactersOf(event);
			yield event;
		}
		signal.throwIfAborted();
	} catch (cause) {
		if (!signal.aborted) throw cause;
		throw new ParleyError("the model call was cancelled", { code: "cancelled", cause });
	}
	const inputTokens = tokensOf(charactersIn(request));
	const usage = { ...noUsage, inputTokens, outputTokens: tokensOf(characters) };
	yield { type: "end", stop: calls > 0 ? "tool_use" : "end_turn", usage, model: "offline" };
}

async function* perform(
	request: ModelRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	let calls = 0;
	for (const command of nextReply(request)) {
		switch (command.kind) {
			case "say":
				for (const text of deltas(command.text)) yield { type: "text", text };
				break;
			case "think":
				for (const text of deltas(command.text)) yield { type: "thinking", text };
				break;
			case "long":
				yield* pacedWords(command, clock, signal);
				break;
			case "call": {
				// The transcript grows between two replies, so that no other reply of the session counts as many messages.
				const index = calls++;
				yield* written(index, `call_${request.messages.length}_${index}`, command);
				break;
			}
			case "fail":
				throw new ParleyError(command.reason, { code: "unavailable" });
		}
	}
}

/** A call as a provider sends it: piece by piece, then whole. */
function* written(
	index: number,
	id: string,
	{ name, arguments: args }: Extract<OfflineCommand, { kind: "call" }>,
): Generator<ModelEvent> {
	yield { type: "call.started", index, id, name };
	for (const json of deltas(JSON.stringify(args))) yield { type: "call.delta", index, json };
	yield { type: "call.ended", index };
	yield { type: "call", index, id, name, arguments: args };
}

/** Whole words with the space behind them, a few of them together in a long text. */
function* deltas(text: string): Generator<string> {
	const atLeast = text.length / MAX_DELTAS;
	let start = 0;
	for (const { 0: space, index } of text.matchAll(/\s+/g)) {
		const end = index + space.length;
		if (end - start < atLeast) continue;
		yield text.slice(start, end);
		start = end;
	}
	if (start < text.length) yield text.slice(start);
}

/** `t1 t2 t3 …`, so that a word which gets lost is missed. Each has its own time, so that delays do not add up. */
async function* pacedWords(
	{ tokens, perSecond }: Extract<OfflineCommand, { kind: "long" }>,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const start = clock.monotonic();
	for (let token = 0; token < tokens; token++) {
		const wait = start + (token * 1000) / perSecond - clock.monotonic();
		if (wait > 0) await delay(clock, wait, signal);
		yield { type: "text", text: token === 0 ? "t1" : ` t${token + 1}` };
	}
}

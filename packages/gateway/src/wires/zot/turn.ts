import { noUsage, type Recorded, type SessionEvent, type TransientEvent, type Usage } from "@parley/core";
import { encodeCounts, encodeReply, encodeResult, encodeStop } from "./codec.ts";
import { ResultOrder } from "./result-order.ts";
import type { Block, Counts, Notice } from "./schema.ts";

type Replied = Extract<TransientEvent, { type: "model.replied" }>;
type Called = Extract<Recorded["event"], { type: "model.called" }>;

/** What a model call was for, and whether it came to anything: not every provider counts what it has answered. */
interface Counted {
	readonly auxiliary: boolean;
	readonly replied: boolean;
}

/** Adds up what all model calls of the process took. */
export class Tally {
	#usage: Usage = noUsage;
	/** Billionths of a US dollar. */
	#cost = 0;

	get counts(): Counts {
		return encodeCounts(this.#usage, this.#cost);
	}

	/** What one call took, and all until now; nothing for a call that never reached the model: `replied` if anything came. */
	add({ usage, cost, runId }: Called, { auxiliary, replied }: Counted): Notice[] {
		if (!replied && usage.inputTokens === 0 && usage.outputTokens === 0) return [];
		this.#usage = sum(this.#usage, usage);
		this.#cost += cost;
		const own = encodeCounts(usage, cost);
		const further = auxiliary || runId === "";
		return [{ type: "usage", ...own, cumulative: this.counts, ...(further && { auxiliary: true as const }) }];
	}
}

function sum(a: Usage, b: Usage): Usage {
	return {
		inputTokens: a.inputTokens + b.inputTokens,
		outputTokens: a.outputTokens + b.outputTokens,
		cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
		cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
	};
}

/**
 * Tells one prompt's events in the order of the document: of each model call `turn_start`, `assistant_start`, deltas and
 * `tool_use_*`, `usage`, `assistant_message`, calls, `turn_end`; then what the calls do; at the end `error`, if any, and `done`.
 */
export class PromptLines {
	readonly #tally: Tally;
	readonly #results = new ResultOrder();
	#steps = 0;
	/** Between `turn_start` and `turn_end`. */
	#open = false;
	#speaking = false;
	#replied: Replied | undefined;
	#cut = false;
	/** Whether the last `turn_end` was an abort's. */
	#aborted = false;
	readonly #abort: AbortSignal;

	/** `abort` is aborted where the client wants the prompt to end. */
	constructor(tally: Tally, abort: AbortSignal) {
		this.#tally = tally;
		this.#abort = abort;
	}

	/** Whether a delta would be told by itself, with nothing before it. */
	get speaking(): boolean {
		return this.#speaking;
	}

	take(happened: SessionEvent): Notice[] {
		const { event } = happened;
		switch (event.type) {
			case "model.calling":
				return event.auxiliary ? [] : this.#begin();
			case "response.started":
			case "text.started":
				return this.#speak();
			case "thinking.delta":
				return this.#say({ type: "thinking_delta", delta: event.text });
			case "text.delta":
				return this.#say({ type: "text_delta", delta: event.text });
			case "arguments.started":
				return this.#say({ type: "tool_use_start", id: event.callId, name: event.name });
			case "arguments.delta":
				return this.#say({ type: "tool_use_args", id: event.callId, delta: event.json });
			case "arguments.ended":
				return this.#say({ type: "tool_use_end", id: event.callId });
			case "model.replied":
				this.#replied = event;
				return [];
			case "model.called":
				return this.#called(event, happened.transient ? 0 : happened.at);
			case "tool.progress":
				return [{ type: "tool_progress", id: event.callId, text: event.text }];
			case "tool.completed":
				return this.#results.take(result(event.callId, encodeResult(event), false));
			case "tool.failed":
				return this.#results.take(result(event.callId, encodeResult({ result: event.error }), true));
			case "assistant.message":
				return this.#end(event.error);
			default:
				return [];
		}
	}

	#begin(): Notice[] {
		this.#open = true;
		this.#speaking = false;
		this.#replied = undefined;
		this.#steps += 1;
		return [{ type: "turn_start", step: this.#steps }];
	}

	#say(delta: Notice): Notice[] {
		return this.#speaking ? [delta] : [...this.#speak(), delta];
	}

	#speak(): Notice[] {
		if (this.#speaking) return [];
		this.#speaking = true;
		return [{ type: "assistant_start" }];
	}

	/** A call without a reply of its own was made for a summary. */
	#called(called: Called, at: number): Notice[] {
		const replied = this.#replied;
		this.#replied = undefined;
		if (!replied) return this.#tally.add(called, { auxiliary: true, replied: called.error === "" });
		this.#open = false;
		const { error } = called;
		const stop = encodeStop(replied.stop, replied.content, error);
		this.#cut = stop === "length";
		this.#aborted = stop === "aborted";
		const calls = replied.content.flatMap((block) => (block.type === "call" ? [block.id] : []));
		// Those of a reply that broke off are not told.
		this.#results.expect(stop === "aborted" || stop === "error" ? [] : calls);
		const refused = replied.stop === "refusal" ? "the model refused to answer this" : error;
		const told = stop === "aborted" ? "" : refused;
		return [
			...(replied.content.length > 0 ? this.#speak() : []),
			...this.#tally.add(called, { auxiliary: false, replied: hasReply(replied) }),
			...encodeReply(replied.content, { stop, error: told, at }),
		];
	}

	/** A reply that was cut off is told by its `turn_end`, and an abort by whoever wanted it. */
	#end(error: string): Notice[] {
		// Where no call of the model was left the run ends by that, whatever the client wanted.
		const cancelled = error === "cancelled" || (error !== "" && !this.#cut && this.#abort.aborted);
		const broken = { type: "turn_end", stop: "error", error } as const;
		const left: Notice[] = this.#open && !cancelled ? [broken] : [];
		const unrun = this.#results.end((call) =>
			result(call, encodeResult({ result: `not run: ${error || "the prompt has ended"}` }), true),
		);
		const failed = error !== "" && !cancelled && !this.#cut;
		return [
			...left,
			...unrun,
			...(cancelled ? this.#endAborted() : []),
			...(failed ? [{ type: "error", message: error } as const] : []),
			{ type: "done" },
		];
	}

	/** Clients learn of an abort from a `turn_end`: between two turns one more begins, for that alone. */
	#endAborted(): Notice[] {
		if (this.#aborted) return [];
		return [...(this.#open ? [] : this.#begin()), { type: "turn_end", stop: "aborted" }];
	}
}

function hasReply({ content, stop }: Replied): boolean {
	return stop !== undefined || content.length > 0;
}

function result(id: string, content: readonly Block[], is_error: boolean) {
	return { type: "tool_result" as const, id, is_error, content };
}

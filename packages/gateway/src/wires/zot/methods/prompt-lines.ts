import { noUsage, type Recorded, type SessionEvent, type Usage } from "@parley/core";
import { zotErrorTexts } from "../../../texts/wires/zot.ts";
import { type Reply, type TurnEvent, Turns } from "../../view/turns.ts";
import { encodeCounts, encodeResult, encodeStop, encodeZotReply } from "../codec.ts";
import type { Counts, Notice } from "../schema.ts";

type Called = Extract<Recorded["event"], { type: "model.called" }>;

/**
 * Kind of a counted model call. `replied`: whether the model completed the reply or sent content. Token counts do not
 * show this, because some providers report no counts.
 */
interface Counted {
	readonly auxiliary: boolean;
	readonly replied: boolean;
}

/** Sum of the usage of all model calls in the process. */
export class Tally {
	#usage: Usage = noUsage;
	/** Cost in billionths of a US dollar. */
	#cost = 0;

	get counts(): Counts {
		return encodeCounts(this.#usage, this.#cost);
	}

	/**
	 * Adds a call, and returns its usage line with the sum of all calls. Returns an empty list for a call without a
	 * reply and without tokens.
	 */
	add({ usage, cost, runId }: Called, { auxiliary, replied }: Counted): Notice[] {
		if (!replied && usage.inputTokens === 0 && usage.outputTokens === 0) return [];
		this.#usage = sum(this.#usage, usage);
		this.#cost += cost;
		const own = encodeCounts(usage, cost);
		const usageLine = { type: "usage", ...own, cumulative: this.counts } as const;
		return [auxiliary || runId === "" ? { ...usageLine, auxiliary: true } : usageLine];
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
 * Lines of one prompt in the order of the zot document. Each turn has `turn_start`, `assistant_start`, deltas and
 * `tool_use_*`, `usage`, `assistant_message`, calls and `turn_end`. The results of the calls follow. The last lines are
 * `error`, if any, and `done`.
 */
export class PromptLines {
	readonly #tally: Tally;
	readonly #turns = new Turns();
	#cut = false;
	/** Whether the last `turn_end` reported an abort. */
	#aborted = false;
	readonly #abort: AbortSignal;

	constructor(tally: Tally, abort: AbortSignal) {
		this.#tally = tally;
		this.#abort = abort;
	}

	/** Whether the next delta needs no `assistant_start` before it. */
	get isInText(): boolean {
		return this.#turns.isInText;
	}

	receive(happened: SessionEvent): Notice[] {
		return this.#turns.receive(happened).flatMap((event) => this.#encode(event));
	}

	#encode(event: TurnEvent): Notice[] {
		switch (event.type) {
			case "turn.started":
				return [{ type: "turn_start", step: event.step }];
			case "reply.started":
				return [{ type: "assistant_start" }];
			case "thinking.delta":
				return [{ type: "thinking_delta", delta: event.text }];
			case "text.delta":
				return [{ type: "text_delta", delta: event.text }];
			case "arguments.started":
				return [{ type: "tool_use_start", id: event.callId, name: event.name }];
			case "arguments.delta":
				return [{ type: "tool_use_args", id: event.callId, delta: event.json }];
			case "arguments.ended":
				return [{ type: "tool_use_end", id: event.callId }];
			case "turn.replied":
				return this.#replied(event.reply);
			case "model.called":
				return this.#tally.add(event.called, { auxiliary: true, replied: event.called.error === "" });
			case "tool.progress":
				return [{ type: "tool_progress", id: event.callId, text: event.text }];
			case "call.ended":
				return [encodeOutcome(event)];
			case "calls.ended":
				return [];
			case "run.ended":
				return this.#end(event);
		}
	}

	#replied({ content, stop: stopped, called, at }: Reply): Notice[] {
		const { error } = called;
		const stop = encodeStop(stopped, content, error);
		this.#cut = stop === "length";
		this.#aborted = stop === "aborted";
		const refused = stopped === "refusal" ? zotErrorTexts.refusedByModel : error;
		const shown = stop === "aborted" ? "" : refused;
		const replied = stopped !== undefined || content.length > 0;
		return [
			...this.#tally.add(called, { auxiliary: false, replied }),
			...encodeZotReply(content, { stop, error: shown, at }),
		];
	}

	/** Returns the last lines of a run. An abort is not an error. */
	#end({ error, open }: Extract<TurnEvent, { type: "run.ended" }>): Notice[] {
		// If a run reaches its limit of model calls while the client aborts it, the run ends with the error of the
		// limit.
		const cancelled = error === "cancelled" || (error !== "" && !this.#cut && this.#abort.aborted);
		// The `turn_end` of an interrupted reply already has its error.
		const failed = error !== "" && !cancelled && !this.#cut;
		const lines: Notice[] = cancelled ? this.#endAborted(open) : [];
		if (open && !cancelled) lines.push({ type: "turn_end", stop: "error", error });
		if (failed) lines.push({ type: "error", message: error });
		return [...lines, { type: "done" }];
	}

	#endAborted(open: boolean): Notice[] {
		if (this.#aborted) return [];
		const end: Notice = { type: "turn_end", stop: "aborted" };
		// An abort between two turns gets its own turn, because only a `turn_end` can report an abort.
		return open ? [end] : [{ type: "turn_start", step: this.#turns.step + 1 }, end];
	}
}

function encodeOutcome({ callId: id, outcome }: Extract<TurnEvent, { type: "call.ended" }>): Notice {
	switch (outcome.type) {
		case "tool.completed":
			return {
				type: "tool_result",
				id,
				is_error: false,
				content: encodeResult(outcome.result, outcome.pictures),
			};
		case "tool.failed":
			return { type: "tool_result", id, is_error: true, content: encodeResult(outcome.error) };
		case "tool.not_run": {
			const result = zotErrorTexts.notRun({ reason: outcome.error });
			return { type: "tool_result", id, is_error: true, content: encodeResult(result) };
		}
	}
}

import type { AssistantMessage, Recorded, SessionEvent, StopReason, TransientEvent } from "@parley/core";

type EventOf<Type extends SessionEvent["event"]["type"]> = Extract<
	Recorded["event"] | TransientEvent,
	{ type: Type }
>;

type Called = EventOf<"model.called">;
type Outcome = EventOf<"tool.completed" | "tool.failed">;

/** Outcome of a call that was not executed before its run ended. `error` is the error of the run; may be empty. */
interface NotRun {
	readonly type: "tool.not_run";
	readonly error: string;
}

export interface Reply {
	readonly content: AssistantMessage["content"];
	/** Reason why the model stopped; undefined if the reply was interrupted. */
	readonly stop: StopReason | undefined;
	readonly called: Called;
	/** Time at which the model call ended, in milliseconds since the epoch; 0 for a transient event. */
	readonly at: number;
}

/** An event of a run, grouped by turn. A turn is one reply of the model with the results of its calls. */
export type TurnEvent =
	| { readonly type: "turn.started"; readonly step: number }
	/** The start of a reply. It is sent at most once in each turn, before the first part. */
	| { readonly type: "reply.started" }
	| EventOf<"thinking.delta" | "text.delta" | "arguments.started" | "arguments.delta" | "arguments.ended">
	/** The end of a complete or interrupted reply. The results of the reply's calls follow. */
	| { readonly type: "turn.replied"; readonly reply: Reply }
	/** A model call without a reply for the conversation, for example for a summary. */
	| { readonly type: "model.called"; readonly called: Called }
	| EventOf<"tool.progress">
	/** Result of a call. The results for one reply are in the order of the reply's calls. */
	| { readonly type: "call.ended"; readonly callId: string; readonly outcome: Outcome | NotRun }
	| { readonly type: "calls.ended" }
	/** The end of the run. `open`: whether the last turn has no `turn.replied`. */
	| { readonly type: "run.ended"; readonly error: string; readonly open: boolean };

/** Groups the events of one run by turn. Pass the events of the run in order. */
export class Turns {
	readonly #results = new ResultOrder();
	#step = 0;
	#open = false;
	#isInText = false;
	#replied: EventOf<"model.replied"> | undefined;

	get step(): number {
		return this.#step;
	}

	/** Whether the next delta needs no `reply.started` before it. */
	get isInText(): boolean {
		return this.#isInText;
	}

	receive(happened: SessionEvent): TurnEvent[] {
		const { event } = happened;
		switch (event.type) {
			case "model.calling":
				return event.auxiliary ? [] : this.#begin();
			case "response.started":
			case "text.started":
				return this.#startText();
			case "thinking.delta":
			case "text.delta":
			case "arguments.started":
			case "arguments.delta":
			case "arguments.ended":
				return [...this.#startText(), event];
			case "model.replied":
				this.#replied = event;
				return [];
			case "model.called":
				return this.#called(event, happened.transient ? 0 : happened.at);
			case "tool.progress":
				return [event];
			case "tool.completed":
			case "tool.failed":
				return this.#results.receive(event);
			case "assistant.message":
				return this.#end(event.error);
			default:
				return [];
		}
	}

	#begin(): TurnEvent[] {
		this.#open = true;
		this.#isInText = false;
		this.#replied = undefined;
		this.#step += 1;
		return [{ type: "turn.started", step: this.#step }];
	}

	#startText(): TurnEvent[] {
		if (this.#isInText) return [];
		this.#isInText = true;
		return [{ type: "reply.started" }];
	}

	#called(called: Called, at: number): TurnEvent[] {
		const replied = this.#replied;
		this.#replied = undefined;
		if (!replied) return [{ type: "model.called", called }];
		this.#open = false;
		const { content, stop } = replied;
		this.#results.expect(isComplete(stop, called.error) ? callsOf(content) : []);
		return [
			...(content.length > 0 ? this.#startText() : []),
			{ type: "turn.replied", reply: { content, stop, called, at } },
		];
	}

	#end(error: string): TurnEvent[] {
		const open = this.#open;
		this.#open = false;
		return [...this.#results.end(error), { type: "run.ended", error, open }];
	}
}

/** Whether the calls of a reply are executed. Calls of an interrupted, failed or refused reply are not executed. */
function isComplete(stop: StopReason | undefined, error: string): boolean {
	return error === "" && stop !== undefined && stop !== "refusal";
}

function callsOf(content: AssistantMessage["content"]): string[] {
	return content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

/**
 * Puts results in the order of the calls. For example, a denied call can have its result before earlier
 * calls.
 */
class ResultOrder {
	#calls: readonly string[] = [];
	readonly #ready = new Map<string, Outcome>();

	expect(calls: readonly string[]): void {
		this.#calls = calls;
		this.#ready.clear();
	}

	receive(outcome: Outcome): TurnEvent[] {
		const { callId } = outcome;
		// The call does not belong to the current reply. For example, it belongs to an earlier process that was
		// interrupted.
		if (!this.#calls.includes(callId)) return [{ type: "call.ended", callId, outcome }];
		this.#ready.set(callId, outcome);
		const missing = this.#calls.findIndex((id) => !this.#ready.has(id));
		const next = missing < 0 ? this.#calls : this.#calls.slice(0, missing);
		this.#calls = this.#calls.slice(next.length);
		const ended = next.map((id): TurnEvent => this.#ended(id));
		return this.#calls.length === 0 ? [...ended, { type: "calls.ended" }] : ended;
	}

	end(error: string): TurnEvent[] {
		const left = this.#calls.map((id): TurnEvent => this.#ended(id, error));
		this.#calls = [];
		return left.length === 0 ? [] : [...left, { type: "calls.ended" }];
	}

	#ended(callId: string, error = ""): TurnEvent {
		const outcome = this.#ready.get(callId) ?? { type: "tool.not_run", error };
		this.#ready.delete(callId);
		return { type: "call.ended", callId, outcome };
	}
}

import type { ZotFrame, ZotType } from "./zot-frame.ts";

/**
 * The type of the last event, or an additional state:
 *
 * - `rest`: before the first command
 * - `start`: after the response to a `prompt` or `compact` command
 * - `aborted`: after an aborted turn
 */
type Place = ZotType | "start" | "rest" | "aborted";

const turn = ["assistant_start", "usage", "turn_end"] as const;
const ends = ["error", "done"] as const;
const tools = ["tool_progress", "tool_result", "ask"] as const;
const speaking = [
	"thinking_delta",
	"text_delta",
	"tool_use_start",
	"tool_use_args",
	"tool_use_end",
	"usage",
	"assistant_message",
	"turn_end",
] as const;
const next: { readonly [From in Place]: readonly Place[] } = {
	rest: ["start"],
	// The events of a compaction may start with the usage of the summary.
	start: ["user_message", "usage", "compact_done", ...ends],
	user_message: ["turn_start", "usage", ...ends],
	turn_start: turn,
	assistant_start: speaking,
	thinking_delta: speaking,
	text_delta: speaking,
	tool_use_start: speaking,
	tool_use_args: speaking,
	tool_use_end: speaking,
	usage: ["usage", "assistant_message", "turn_start", "turn_end", "compact_done", ...ends],
	assistant_message: ["tool_call", "turn_end"],
	tool_call: ["tool_call", "turn_end"],
	turn_end: [...tools, "turn_start", "usage", ...ends],
	tool_progress: tools,
	ask: tools,
	tool_result: [...tools, "turn_start", "usage", ...ends],
	aborted: ["done"],
	error: ["done"],
	compact_done: ["done"],
	done: ["start"],
	response: [],
};

export class ZotOrder {
	#last: Place = "rest";
	#step = 0;
	#request: string | number | undefined;
	readonly #cumulative = { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_usd: 0 };
	readonly #calls = new Set<string>();
	/** Calls whose arguments are being streamed. */
	readonly #written = new Set<string>();

	/**
	 * Checks the next line. Throws if it violates the documented order, or contains a wrong request id, step or cumulative
	 * usage.
	 */
	receive(frame: ZotFrame): void {
		if (frame.type === "response") {
			if (!frame.success || (frame.command !== "prompt" && frame.command !== "compact")) return;
			this.#follow("start");
			this.#step = 0;
			this.#request = frame.id;
			return;
		}
		this.#follow(frame.type);
		if (frame.type === "turn_end" && frame.stop === "aborted") this.#last = "aborted";
		if (frame.request_id !== this.#request) {
			throw new Error(`${frame.type} belongs to ${frame.request_id}, and not to ${this.#request}`);
		}
		this.#count(frame);
		this.#pair(frame);
	}

	/** Whether no run is active. Otherwise the process must not exit. */
	get atRest(): boolean {
		return this.#last === "rest" || this.#last === "done";
	}

	#follow(place: Place): void {
		if (!next[this.#last].includes(place)) throw new Error(`${place} came behind ${this.#last}`);
		this.#last = place;
	}

	#count(frame: Exclude<ZotFrame, { type: "response" }>): void {
		if (frame.type === "turn_start") {
			this.#step += 1;
			if (frame.step !== this.#step) throw new Error(`step ${frame.step} came in the place of ${this.#step}`);
		}
		if (frame.type !== "usage") return;
		for (const key of ["input", "output", "cache_read", "cache_write", "cost_usd"] as const) {
			const sum = Number((this.#cumulative[key] + frame[key]).toFixed(9));
			if (frame.cumulative[key] !== sum) {
				throw new Error(`cumulative ${key} is ${frame.cumulative[key]}, and not ${sum}`);
			}
			this.#cumulative[key] = sum;
		}
	}

	/**
	 * Throws if the events of a tool call are out of order. Also throws unless each call has exactly one result before
	 * the next model call.
	 */
	#pair(frame: Exclude<ZotFrame, { type: "response" }>): void {
		if (frame.type === "tool_use_start") this.#written.add(frame.id);
		if (frame.type === "tool_use_args" && !this.#written.has(frame.id)) {
			throw new Error(`arguments of ${frame.id}, which is not being written`);
		}
		if (frame.type === "tool_use_end" && !this.#written.delete(frame.id)) {
			throw new Error(`the end of ${frame.id}, which is not being written`);
		}
		if (frame.type === "turn_end" && this.#written.size > 0) {
			throw new Error(`no end of ${[...this.#written].join(", ")}`);
		}
		if (frame.type === "tool_call") this.#calls.add(frame.id);
		if (frame.type === "tool_progress" && !this.#calls.has(frame.id)) {
			throw new Error(`progress of ${frame.id}, which is not at work`);
		}
		if (frame.type === "tool_result" && !this.#calls.delete(frame.id)) {
			throw new Error(`a result of ${frame.id}, which is not at work`);
		}
		const isEnd = frame.type === "turn_start" || frame.type === "done";
		if (isEnd && this.#calls.size > 0) throw new Error(`no result of ${[...this.#calls].join(", ")}`);
	}
}

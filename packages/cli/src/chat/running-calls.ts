import type { ToolCallPayload } from "@parley/protocol";
import { visibleProgress } from "../text/visible.ts";

interface RunningCall {
	readonly name: string;
	readonly arguments: unknown;
	/** Monotonic time in milliseconds at which the call started or its last question was answered. */
	readonly since: number;
	/** The last part of the call's output so far. */
	readonly output: string;
}

const maxOutputCharacters = 4_000;
const maxShownLines = 5;

/** Tool calls that have started and not ended, in the order of their starts. */
export class RunningCalls {
	readonly #calls = new Map<string, RunningCall>();

	get names(): readonly string[] {
		return Array.from(this.#calls.values(), ({ name }) => name);
	}

	start(
		{ call_id, name, arguments: args }: Extract<ToolCallPayload, { status: "started" }>,
		now: number,
	): void {
		this.#calls.set(call_id, { name, arguments: args, since: now, output: "" });
	}

	addOutput({ call_id: id, content }: { readonly call_id: string; readonly content: string }): void {
		const call = this.#calls.get(id);
		if (call) this.#calls.set(id, { ...call, output: (call.output + content).slice(-maxOutputCharacters) });
	}

	/** Returns the last lines of the output of all running calls, safe for a terminal. */
	get output(): readonly string[] {
		const text = Array.from(this.#calls.values(), ({ output }) => output).join("");
		return text === "" ? [] : visibleProgress(text).trimEnd().split("\n").slice(-maxShownLines);
	}

	/** Restarts the duration of a call after an answer to its question, because the wait is not part of the call. */
	approve(callId: string | undefined, now: number): void {
		const call = callId === undefined ? undefined : this.#calls.get(callId);
		if (callId !== undefined && call) this.#calls.set(callId, { ...call, since: now });
	}

	/**
	 * Removes a call, and returns its arguments and duration. For an unknown call, `arguments` is undefined and
	 * `durationMs` is 0.
	 */
	end(callId: string, now: number): { readonly arguments: unknown; readonly durationMs: number } {
		const call = this.#calls.get(callId);
		this.#calls.delete(callId);
		return { arguments: call?.arguments, durationMs: call ? Math.max(0, now - call.since) : 0 };
	}

	clear(): void {
		this.#calls.clear();
	}
}

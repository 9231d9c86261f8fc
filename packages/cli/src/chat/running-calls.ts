import type { ToolCallPayload } from "@parley/protocol";

interface RunningCall {
	readonly name: string;
	readonly arguments: unknown;
	/** Milliseconds. */
	readonly since: number;
}

/** Tool calls that have started and not ended, in their order. */
export class RunningCalls {
	readonly #calls = new Map<string, RunningCall>();

	get names(): readonly string[] {
		return Array.from(this.#calls.values(), ({ name }) => name);
	}

	start(
		{ call_id, name, arguments: args }: Extract<ToolCallPayload, { status: "started" }>,
		now: number,
	): void {
		this.#calls.set(call_id, { name, arguments: args, since: now });
	}

	/** The person has answered: the time before is not part of the call. */
	approve(callId: string | undefined, now: number): void {
		const call = callId === undefined ? undefined : this.#calls.get(callId);
		if (callId !== undefined && call) this.#calls.set(callId, { ...call, since: now });
	}

	/** Removes the call. */
	end(callId: string, now: number): { readonly arguments: unknown; readonly durationMs: number } {
		const call = this.#calls.get(callId);
		this.#calls.delete(callId);
		return { arguments: call?.arguments, durationMs: call ? Math.max(0, now - call.since) : 0 };
	}

	clear(): void {
		this.#calls.clear();
	}
}

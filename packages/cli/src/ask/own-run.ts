import type { MethodResult, OzzieEvent } from "@parley/protocol";

/**
 * Finds in a session's events those of one run. Runs take turns in the order in which their messages were accepted,
 * and each ends with one `assistant.message`; so many end before this one as were before it in the queue.
 */
export class OwnRun {
	readonly #runId: string;
	#before: number;
	#accepted = false;

	constructor({ run_id, queued_position = 0 }: MethodResult<"send_message">) {
		this.#runId = run_id;
		this.#before = queued_position;
	}

	/** How many other runs come first. */
	get before(): number {
		return this.#before;
	}

	/** Takes the next event, and tells whether it belongs to the run. */
	owns(event: OzzieEvent): boolean {
		if (event.event === "user.message" && event.payload.run_id === this.#runId) {
			this.#accepted = true;
			return this.#before === 0;
		}
		if (!this.#accepted) return false;
		if (this.#before === 0) return true;
		if (event.event === "assistant.message") this.#before -= 1;
		return false;
	}
}

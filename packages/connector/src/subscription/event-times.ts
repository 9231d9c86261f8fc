import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { GatewayHistory } from "../gateway/gateway-files.ts";

const waitMs = 2000;

interface EventTimesParts {
	readonly history: GatewayHistory;
	readonly clock: Clock;
	readonly log: Logger;
	readonly signal: AbortSignal;
}

/**
 * Times of the events of one session. A live event gets the present time. The gateway reports the times of
 * earlier events.
 */
export class EventTimes {
	readonly #parts: EventTimesParts;
	readonly #session: string;
	/** `seq` of the last event before the subscription; 0 if the gateway reports no later times. */
	#last: number;
	#page: ReadonlyMap<number, number> = new Map();

	constructor(parts: EventTimesParts, session: string, last: number) {
		this.#parts = parts;
		this.#session = session;
		this.#last = last;
	}

	/**
	 * Returns the time of an event in milliseconds since the epoch, or the present time if the gateway does not
	 * report it. Call `of` in the order of the events. Rejects if the signal aborts before the gateway answers.
	 */
	async of(seq: number): Promise<number> {
		const { clock } = this.#parts;
		if (seq > this.#last) return clock.now();
		if (!this.#page.has(seq)) this.#page = await this.#read(seq - 1);
		// An empty page means that the gateway reports no later times.
		if (this.#page.size === 0) this.#last = 0;
		return this.#page.get(seq) ?? clock.now();
	}

	async #read(after: number): Promise<ReadonlyMap<number, number>> {
		const { history, clock, log, signal } = this.#parts;
		for (;;) {
			try {
				return await history.moments(this.#session, after, signal);
			} catch (reason) {
				const error = ParleyError.from(reason);
				signal.throwIfAborted();
				log.warn("the gateway did not report the times of events", { session: this.#session, error });
				if (error.code !== "unavailable") return new Map();
			}
			await delay(clock, waitMs, signal);
		}
	}
}

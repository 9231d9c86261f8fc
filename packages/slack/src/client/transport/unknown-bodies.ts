import type { IncomingMessage } from "node:http";
import { type Clock, ParleyError } from "@parley/base";
import { readBounded } from "@parley/connector";

/** Slack's own are far smaller. */
const mostBytes = 1024 * 1024;
/** Slack gives up by then. */
const timeoutMs = 3000;
/** As many of the longest may be in memory. */
const mostAtOnce = 64;

/**
 * Reads bodies of which nobody knows yet who sends them. Where there are too many, that which takes longest is given up:
 * so whoever sends slowly, from however many addresses, does not keep Slack out.
 */
export class UnknownBodies {
	readonly #clock: Clock;
	/** The one that was begun first is the first. */
	readonly #reading = new Set<IncomingMessage>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Rejects with `resource_exhausted` where it is too long, and otherwise where it does not come whole and in time. */
	async read(request: IncomingMessage): Promise<Buffer> {
		for (const longest of this.#reading) {
			if (this.#reading.size < mostAtOnce) break;
			this.#giveUp(longest);
		}
		this.#reading.add(request);
		const late = this.#clock.after(timeoutMs, () => this.#giveUp(request));
		try {
			return await readBounded(request, mostBytes, "the request");
		} finally {
			late.cancel();
			this.#reading.delete(request);
		}
	}

	#giveUp(request: IncomingMessage): void {
		this.#reading.delete(request);
		request.destroy(new ParleyError("it takes too long", { code: "deadline_exceeded" }));
	}
}

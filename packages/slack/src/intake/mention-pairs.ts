import { type Clock, delay } from "@parley/base";
import type { Translated } from "./incoming.ts";

/**
 * Maximum milliseconds between a mention event and its message event. Slack sends both events together if the app
 * receives message events in the channel.
 */
const waitMs = 1000;
const maximum = 200;

/**
 * Pairs of events for messages that mention the agent: Slack sends a message event and a mention event, in any order.
 * The mention event may lack attachments (https://docs.slack.dev/reference/events/app_mention shows none), so the
 * result of the message event is used for both events.
 */
export class MentionPairs {
	readonly #clock: Clock;
	/** Results of message events, by the key of the message. Mention events wait for these results. */
	readonly #messages = new Map<string, PromiseWithResolvers<Translated>>();

	readonly #arrived = new Set<string>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Records the message event of a mention. */
	noteMessage(id: string, message: Promise<Translated>): void {
		const found = this.#find(id);
		this.#arrived.add(id);
		found.resolve(message);
		message.catch(() => {
			// The event failed. If Slack redelivers it, the redelivered event takes its place.
			if (this.#messages.get(id) === found) this.#forget(id);
		});
	}

	/**
	 * Returns the result of the message event. If that event does not arrive in time, returns the result of `alone`.
	 */
	async either(id: string, alone: () => Promise<Translated>): Promise<Translated> {
		const over = new AbortController();
		const found = this.#find(id);
		// A message event that has already arrived is awaited, because only it may have files.
		const late = delay(this.#clock, waitMs, over.signal).then(() =>
			this.#arrived.has(id) ? found.promise : alone(),
		);
		try {
			return await Promise.race([found.promise, late]);
		} finally {
			over.abort();
		}
	}

	#find(id: string): PromiseWithResolvers<Translated> {
		const found = this.#messages.get(id) ?? Promise.withResolvers<Translated>();
		this.#messages.set(id, found);
		// Waiting callers get the rejection.
		found.promise.catch(() => undefined);
		const [oldest] = this.#messages.keys();
		if (this.#messages.size > maximum && oldest !== undefined) this.#forget(oldest);
		return found;
	}

	#forget(id: string): void {
		this.#messages.delete(id);
		this.#arrived.delete(id);
	}
}

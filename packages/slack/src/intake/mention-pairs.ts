import { type Clock, delay } from "@parley/base";
import type { Translated } from "./incoming.ts";

/** Slack sends both events at once. A later message event is delayed, or the app does not get message events there. */
const waitMs = 1000;
const maximum = 200;

/**
 * Slack sends two events, in any order, for a message that mentions the agent. The mention event may lack attachments
 * (https://docs.slack.dev/reference/events/app_mention shows none), so it waits for the message event and then has the same
 * result.
 */
export class MentionPairs {
	readonly #clock: Clock;
	/** By message id. No cache, because events wait for these promises. */
	readonly #messages = new Map<string, PromiseWithResolvers<Translated>>();

	/** Message events that have arrived, with any result. */
	readonly #come = new Set<string>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Notes the message event of a mention. */
	noteMessage(id: string, message: Promise<Translated>): void {
		const found = this.#find(id);
		this.#come.add(id);
		found.resolve(message);
		message.catch(() => {
			// Slack will redeliver it.
			if (this.#messages.get(id) === found) this.#forget(id);
		});
	}

	/** Returns the result of the message event, or after a wait the result of `alone`. Rejects if the used result rejects. */
	async either(id: string, alone: () => Promise<Translated>): Promise<Translated> {
		const over = new AbortController();
		const found = this.#find(id);
		// A message event that has arrived is awaited, because only it may have files.
		const late = delay(this.#clock, waitMs, over.signal).then(() =>
			this.#come.has(id) ? found.promise : alone(),
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
		this.#come.delete(id);
	}
}

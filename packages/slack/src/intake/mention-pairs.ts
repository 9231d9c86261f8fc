import { type Clock, delay } from "@parley/base";
import type { Translated } from "./incoming.ts";

/** Slack sends both at once; a message that comes later is lost on its way for now, or the app is not told of messages there. */
const waitMs = 1000;
const most = 200;

/**
 * Of a message that mentions us Slack tells twice, in any order. The mention may come without what its message has
 * attached (https://docs.slack.dev/reference/events/app_mention shows nothing), so that it waits for it; then both come to the same.
 */
export class MentionPairs {
	readonly #clock: Clock;
	/** By the id of the message. No cache: the entries are promises that events wait for. */
	readonly #messages = new Map<string, PromiseWithResolvers<Translated>>();

	/** Messages that have come, whatever they come to. */
	readonly #come = new Set<string>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** A message that mentions us has come. */
	noteMessage(id: string, message: Promise<Translated>): void {
		const found = this.#find(id);
		this.#come.add(id);
		found.resolve(message);
		message.catch(() => {
			// It comes again.
			if (this.#messages.get(id) === found) this.#forget(id);
		});
	}

	/** What a message comes to, else what its mention says `alone`. Rejects as that one of them does. */
	async either(id: string, alone: () => Promise<Translated>): Promise<Translated> {
		const over = new AbortController();
		const found = this.#find(id);
		// A message that has come and takes its time is waited for: it alone may have files.
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
		// Whoever waits hears of it.
		found.promise.catch(() => undefined);
		const [oldest] = this.#messages.keys();
		if (this.#messages.size > most && oldest !== undefined) this.#forget(oldest);
		return found;
	}

	#forget(id: string): void {
		this.#messages.delete(id);
		this.#come.delete(id);
	}
}

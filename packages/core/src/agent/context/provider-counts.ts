import { createHash } from "node:crypto";
import { type Clock, type Logger, openKeyv, type Store } from "@parley/base";
import type { Tables } from "../../store/tables.ts";
import type { Model, ModelRequest } from "../../vocabulary/model.ts";

/** An estimate now is better than a count later. */
const deadlineMs = 5_000;
/** How long a provider that could not count is left in peace. */
const pauseMs = 5 * 60 * 1_000;
const keptMs = 7 * 24 * 60 * 60 * 1_000;
const keptInMemory = 500;

export interface ProviderCountsDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Asks providers how many tokens a request takes, and remembers what they said. */
export class ProviderCounts {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #kept: ReturnType<typeof openKeyv<number, Tables>>;
	readonly #known = new Map<string, number>();
	/** Providers that could not tell, with the time (monotonic) until which they are not asked again. */
	readonly #paused = new Map<string, number>();

	constructor({ store, clock, log }: ProviderCountsDeps) {
		this.#clock = clock;
		this.#log = log;
		this.#kept = openKeyv({ store, clock, namespace: "token-counts" });
	}

	/** Undefined where the provider cannot tell, or not soon. Throws only when `signal` aborts. */
	async count(model: Model, request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		if (!model.countTokens) return undefined;
		const key = keyOf(model, request);
		const known = this.#known.get(key) ?? (await this.#attempt(() => this.#kept.get(key)));
		if (known !== undefined) {
			this.#remember(key, known);
			return known;
		}
		if ((this.#paused.get(model.provider) ?? 0) > this.#clock.monotonic()) return undefined;
		const count = await this.#attempt(() => this.#ask(model, request, signal));
		signal.throwIfAborted();
		if (count === undefined || !Number.isSafeInteger(count) || count <= 0) {
			this.#paused.set(model.provider, this.#clock.monotonic() + pauseMs);
			return undefined;
		}
		this.#remember(key, count);
		await this.#attempt(() => this.#kept.set(key, count, keptMs));
		return count;
	}

	async #ask(model: Model, request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		const late = new AbortController();
		const timer = this.#clock.after(deadlineMs, () => late.abort());
		try {
			return await model.countTokens?.(request, AbortSignal.any([signal, late.signal]));
		} finally {
			timer.cancel();
		}
	}

	/** What fails here costs exactness and nothing else. */
	async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
		try {
			return await work();
		} catch (error) {
			this.#log.warn("tokens could not be counted and are estimated", { error });
			return undefined;
		}
	}

	#remember(key: string, count: number): void {
		this.#known.delete(key);
		this.#known.set(key, count);
		const [oldest] = this.#known.keys();
		if (this.#known.size > keptInMemory && oldest !== undefined) this.#known.delete(oldest);
	}
}

/** How a reply is drawn has no part in it: it does not change what is read. */
function keyOf({ provider }: Model, { model, system, tools, messages }: ModelRequest): string {
	const text = JSON.stringify([provider, model, system, tools, messages]);
	return createHash("sha256").update(text).digest("hex");
}

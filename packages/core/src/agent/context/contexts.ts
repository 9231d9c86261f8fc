import { createHash } from "node:crypto";
import { type Clock, type Failpoints, type Logger, openKeyv, type Store } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import { type Model, type ModelRequest, serverOf } from "../../vocabulary/model.ts";
import { Calibration, type EstimateError } from "./calibration.ts";
import { SessionContext } from "./session-context.ts";
import { TextCounts } from "./text-counts.ts";
import { tokenCountTexts } from "./texts.ts";

interface ContextsServices {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
	readonly failpoints: Failpoints;
}

/** Contexts of all sessions in one journal. The sessions share token counts and calibrations. */
export class Contexts {
	readonly counts: ProviderCounts;
	readonly texts: TextCounts;
	readonly #services: ContextsServices;
	readonly #calibrations = new Map<string, Calibration>();
	readonly #sessions = new WeakMap<Session, SessionContext>();

	constructor(services: ContextsServices) {
		const { journal, clock, log } = services;
		this.#services = services;
		this.counts = new ProviderCounts({ store: journal.store, clock, log });
		this.texts = new TextCounts({ clock, log });
	}

	calibration(provider: string, model: string): Calibration {
		const key = `${provider}/${model}`;
		const known = this.#calibrations.get(key) ?? new Calibration();
		this.#calibrations.set(key, known);
		return known;
	}

	/** Returns the errors of the estimates. Key: `provider/model`. */
	errors(): ReadonlyMap<string, EstimateError> {
		return new Map([...this.#calibrations].map(([key, calibration]) => [key, calibration.error]));
	}

	/** Returns the context of a session. The first call reads the context from the journal. */
	async of(session: Session): Promise<SessionContext> {
		const known = this.#sessions.get(session) ?? (await SessionContext.open(session, this.#services));
		this.#sessions.set(session, known);
		return known;
	}

	/** Frees the memory of a session. The next request of the session reads the journal again. */
	forget(session: Session): void {
		this.#sessions.delete(session);
	}

	known(session: Session): SessionContext | undefined {
		return this.#sessions.get(session);
	}
}

/** Maximum milliseconds for a provider to count tokens. An estimate is better than a late count. */
const deadlineMs = 5_000;
/** Pause in milliseconds after a provider failed to count. */
const pauseMs = 5 * 60 * 1_000;
const retentionMs = 7 * 24 * 60 * 60 * 1_000;
const maxInMemory = 500;

interface ProviderCountsDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Asks providers for token counts, and stores the counts across restarts. */
class ProviderCounts {
	readonly #clock: Clock;
	readonly #log: Logger;
	readonly #stored: ReturnType<typeof openKeyv<number, Tables>>;
	readonly #known = new Map<string, number>();
	/** Key: a provider that failed to count. Value: monotonic time at which the pause of the provider ends. */
	readonly #paused = new Map<string, number>();

	constructor({ store, clock, log }: ProviderCountsDeps) {
		this.#clock = clock;
		this.#log = log;
		this.#stored = openKeyv({ store, clock, namespace: "token-counts" });
	}

	/**
	 * Returns the tokens of a request. Undefined if the provider does not count, fails or answers too late, or failed
	 * recently. Throws only if `signal` aborts.
	 */
	async count(model: Model, request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		if (!model.countTokens) return undefined;
		const key = keyOf(model, request);
		const known = this.#known.get(key) ?? (await this.#attempt(() => this.#stored.get(key)));
		if (known !== undefined) {
			this.#remember(key, known);
			return known;
		}
		const { provider, countTokens } = serverOf(model, request.model);
		if (!countTokens || (this.#paused.get(provider) ?? 0) > this.#clock.monotonic()) return undefined;
		const count = await this.#attempt(() => this.#ask(model, request, signal));
		signal.throwIfAborted();
		if (count === undefined || !Number.isSafeInteger(count) || count <= 0) {
			this.#paused.set(provider, this.#clock.monotonic() + pauseMs);
			return undefined;
		}
		this.#remember(key, count);
		await this.#attempt(() => this.#stored.set(key, count, retentionMs));
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

	async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
		try {
			return await work();
		} catch (error) {
			// The failure only makes the estimates less exact, so it is not thrown.
			this.#log.warn(tokenCountTexts.estimated, { error });
			return undefined;
		}
	}

	#remember(key: string, count: number): void {
		this.#known.delete(key);
		this.#known.set(key, count);
		const [oldest] = this.#known.keys();
		if (this.#known.size > maxInMemory && oldest !== undefined) this.#known.delete(oldest);
	}
}

function keyOf(requested: Model, { model, system, tools, messages }: ModelRequest): string {
	const { provider } = serverOf(requested, model);
	// Sampling settings are omitted, because they do not change the input tokens.
	const text = JSON.stringify([provider, model, system, tools, messages]);
	return createHash("sha256").update(text).digest("hex");
}

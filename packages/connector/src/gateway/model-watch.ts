import type { Clock, Timer } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";

/** Maximum time in milliseconds for which a provider is treated as failing after its last failure. */
const failingMs = 10 * 60_000;
/** Number of failed attempts of a model call to ignore, because the first retry often succeeds. */
const usualFailures = 1;
/** Maximum number of sessions with a remembered failed call. If there are more, the oldest entries are removed. */
const maxSessions = 1000;

export interface ModelWatchParts {
	readonly clock: Clock;
	/** Reports that the first provider is treated as failing, or that no provider is treated as failing any longer. */
	readonly changed: (isFailing: boolean) => void;
}

/** Reports whether model calls are failing, according to the events of the sessions that the connector reads. */
export class ModelWatch {
	readonly #parts: ModelWatchParts;
	/** Provider of the last call, by session, if the call failed. */
	readonly #failed = new Map<string, string>();
	readonly #failing = new Map<string, Timer>();

	constructor(parts: ModelWatchParts) {
		this.#parts = parts;
	}

	/**
	 * Handles an event. Pass only events that the gateway recorded after the connector began to read the
	 * session.
	 */
	noteEvent(session: string, { event, payload }: OzzieEvent): void {
		if (event === "internal.llm.call" && payload.phase !== "start") {
			if (payload.error === "") this.#recover(session, payload.provider);
			else this.#note(session, payload.provider);
		}
		const provider = this.#failed.get(session);
		if (provider === undefined) return;
		if (event === "run.retrying" && payload.attempt > usualFailures) this.#fail(provider);
		if (event !== "assistant.message") return;
		if (payload.error !== "" && payload.error !== "cancelled") this.#fail(provider);
		this.#failed.delete(session);
	}

	stop(): void {
		for (const timer of this.#failing.values()) timer.cancel();
		this.#failing.clear();
	}

	#note(session: string, provider: string): void {
		this.#failed.set(session, provider);
		for (const oldest of this.#failed.keys()) {
			if (this.#failed.size <= maxSessions) break;
			this.#failed.delete(oldest);
		}
	}

	#fail(provider: string): void {
		const wasFailing = this.#failing.size > 0;
		this.#failing.get(provider)?.cancel();
		this.#failing.set(
			provider,
			this.#parts.clock.after(failingMs, () => this.#end(provider)),
		);
		if (!wasFailing) this.#parts.changed(true);
	}

	#recover(session: string, provider: string): void {
		this.#failed.delete(session);
		this.#end(provider);
	}

	#end(provider: string): void {
		this.#failing.get(provider)?.cancel();
		if (this.#failing.delete(provider) && this.#failing.size === 0) this.#parts.changed(false);
	}
}

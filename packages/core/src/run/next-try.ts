import { ModelError, type ModelFault } from "../model-error.ts";

/** What to do after a model call that failed in passing. */
export interface NextTry {
	/** The model to ask: the same, or the next of its fallbacks. */
	readonly model: string;
	/** Failed calls for this reply so far. */
	readonly attempt: number;
	/** Milliseconds to wait first. */
	readonly waitMs: number;
	/** For people. */
	readonly reason: string;
}

/** Calls of one model for one reply, all of them counted. */
const triesOf: Readonly<Record<ModelFault, number>> = {
	"rate-limited": 4,
	overloaded: 4,
	interrupted: 4,
	timeout: 4,
	unreachable: 3,
	rejected: 1,
	unauthenticated: 1,
};

const firstPauseMs = 1_000;
const longestWaitMs = 120_000;
/** Clients that failed together must not come back together. */
const jitterMs = 1_000;

/**
 * Tries for one reply: a model several times, depending on its failure, then its fallbacks. `random` returns a number
 * from 0 to 1. `most` limits the calls of all models together.
 */
export class Tries {
	readonly #names: readonly string[];
	readonly #random: () => number;
	readonly #most: number;
	#failedHere = 0;
	#failed = 0;
	#index = 0;

	constructor(names: readonly string[], random: () => number, most = Number.POSITIVE_INFINITY) {
		this.#names = names;
		this.#random = random;
		this.#most = most;
	}

	/** Undefined where another try makes no sense, or none is left. */
	after(failure: unknown): NextTry | undefined {
		if (!(failure instanceof ModelError) || triesOf[failure.fault] === 1) return undefined;
		this.#failedHere += 1;
		this.#failed += 1;
		const attempt = this.#failed;
		if (attempt >= this.#most) return undefined;
		if (this.#failedHere < triesOf[failure.fault]) {
			const model = this.#names[this.#index] ?? "";
			return { model, attempt, ...this.#wait(failure) };
		}
		this.#index += 1;
		this.#failedHere = 0;
		const model = this.#names[this.#index];
		if (model === undefined) return undefined;
		const reason = `${failure.message}; ${model} answers instead`;
		return { model, attempt, waitMs: 0, reason };
	}

	#wait(failure: ModelError): Pick<NextTry, "waitMs" | "reason"> {
		const asked = failure.fault === "rate-limited" ? failure.retryAfterMs : undefined;
		const { message } = failure;
		if (asked === undefined) {
			const backoff = firstPauseMs * 2 ** (this.#failedHere - 1);
			return { waitMs: Math.round(backoff * (1 + this.#random() / 4)), reason: message };
		}
		const waitMs = Math.min(asked, longestWaitMs) + Math.round(this.#random() * jitterMs);
		if (asked <= longestWaitMs) return { waitMs, reason: message };
		const reason = `${message}; it asks to wait ${Math.round(asked / 1000)} s, and is tried again before that`;
		return { waitMs, reason };
	}
}

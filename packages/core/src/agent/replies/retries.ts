import { delay } from "@parley/base";
import type { Reply } from "../../vocabulary/model.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { type Refusal, refusalOf, type SpendingPorts } from "../run/limits.ts";
import type { Run } from "../run/run.ts";
import { type Attempt, recordAttempt } from "./stream-reply.ts";
import { replyTexts } from "./texts.ts";

interface Wait {
	readonly waitMs: number;
	/** Description of the preceding failure, for people. */
	readonly reason: string;
}

/** A model call that repeats a failed call after a wait. */
interface NextTry extends Wait {
	/** Model of the next call: the model of the failed call, or the next fallback. */
	readonly model: string;
	/** Number of failed calls for this reply. */
	readonly attempt: number;
}

interface NextTryOptions {
	readonly spending: SpendingPorts;
	/** Returns an error if a complete reply is not usable. */
	readonly useless?: (reply: Reply) => ModelError | undefined;
}

/**
 * Records a failed call that may be repeated, including its cost, and waits until the next call may start. Returns the
 * model of the next call. If that call is not allowed, does not wait and returns the reason as `refused`. Returns
 * undefined if the attempt is final: the reply is usable, the failure is not transient, no attempt is left, or the run
 * is stopped. Throws if the run is stopped during the wait.
 */
export async function nextTry(
	run: Run,
	answer: Attempt,
	tries: Tries,
	{ spending, useless }: NextTryOptions,
): Promise<{ readonly model: string; readonly refused?: Refusal } | undefined> {
	const { signal } = run.control;
	const failure = answer.reply.failure ?? useless?.(answer.reply);
	const next = signal.aborted ? undefined : tries.after(failure);
	if (!next) return undefined;
	await run.commit((writing) => recordAttempt(run, answer, writing, spending));
	const { model, reason, waitMs, attempt } = next;
	const refused = await refusalOf(run, model, spending);
	if (refused) return { model, refused };
	await run.commit(async ({ record }) => {
		await record({ type: "run.retrying", runId: run.id, reason, inMs: waitMs, attempt, model });
	});
	// The wait is not included in the working time.
	run.control.working.stop();
	try {
		if (waitMs > 0) await delay(run.clock, waitMs, signal);
		signal.throwIfAborted();
	} finally {
		run.control.working.start();
	}
	run.asking = model;
	return next;
}

/**
 * Returns the attempts for the next reply of a run. After a switch to a fallback, the fallback also writes all later
 * replies of the run.
 */
export function triesOf(run: Run, random: () => number, first = run.asking, max?: number): Tries {
	const { names } = run.settings;
	const from = Math.max(0, first === undefined ? 0 : names.indexOf(first));
	return new Tries(names.slice(from), random, max);
}

/** Maximum calls of one model for one reply, by the fault of the last call. */
const maxTries: Readonly<Record<ModelFault, number>> = {
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
/**
 * Maximum random milliseconds that are added to a wait that the provider requested. Spreads the retries of runs that
 * failed at the same time.
 */
const jitterMs = 1_000;

/**
 * Chooses the attempts for one reply: several calls of one model, depending on the fault, then the fallbacks. `random`
 * returns a number from 0 up to, but not including, 1. `max` limits the calls of all models together.
 */
export class Tries {
	readonly #names: readonly string[];
	readonly #random: () => number;
	readonly #max: number;
	#failedHere = 0;
	#failed = 0;
	#index = 0;

	constructor(names: readonly string[], random: () => number, max = Number.POSITIVE_INFINITY) {
		this.#names = names;
		this.#random = random;
		this.#max = max;
	}

	get model(): string {
		return this.#names[this.#index] ?? "";
	}

	get failed(): number {
		return this.#failed;
	}

	/** Returns the attempt after `failure`, or undefined if no further attempt can succeed or is allowed. */
	after(failure: unknown): NextTry | undefined {
		if (!(failure instanceof ModelError) || maxTries[failure.fault] === 1) return undefined;
		this.#failedHere += 1;
		this.#failed += 1;
		const attempt = this.#failed;
		if (attempt >= this.#max) return undefined;
		if (this.#failedHere < maxTries[failure.fault]) {
			return { model: this.model, attempt, ...this.#wait(failure) };
		}
		const model = this.#names[this.#index + 1];
		if (model === undefined) return undefined;
		this.#index += 1;
		this.#failedHere = 0;
		const reason = replyTexts.otherModel(failure.message, model);
		return { model, attempt, waitMs: 0, reason };
	}

	#wait(failure: ModelError): Wait {
		const requestedMs = failure.fault === "rate-limited" ? failure.retryAfterMs : undefined;
		const { message } = failure;
		if (requestedMs === undefined) {
			const backoff = firstPauseMs * 2 ** (this.#failedHere - 1);
			return { waitMs: Math.round(backoff * (1 + this.#random() / 4)), reason: message };
		}
		const waitMs = Math.min(requestedMs, longestWaitMs) + Math.round(this.#random() * jitterMs);
		if (requestedMs <= longestWaitMs) return { waitMs, reason: message };
		const reason = replyTexts.retriesEarlier(message, Math.round(requestedMs / 1000));
		return { waitMs, reason };
	}
}

import { type Clock, delay } from "@parley/base";
import { setupTexts } from "../texts/setup.ts";

/** Result of a check. `fix` contains instructions for the status `warn` or `fail`. */
export interface Finding {
	/** Stable id of the check. Scripts may match this id. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}

/** A step of a setup: an instruction for a person, and a check of whether the step is done. */
export interface SetupStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	/**
	 * Checks whether the step is done: no finding then has the status `fail`. Never rejects. May be called
	 * repeatedly.
	 */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** Creates the last step of a setup, in which a person writes to the bot and gets an answer. */
export function answerStep(options: {
	readonly platform: string;
	readonly todo: string;
	/**
	 * Resolves when the running connector has answered a person for the first time. Rejects if this does not
	 * happen.
	 */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum wait for `answered`, in milliseconds. */
	readonly patienceMs: number;
	readonly clock: Clock;
}): SetupStep {
	const { platform, todo, answered, patienceMs, clock } = options;
	const id = `${platform}-answer`;
	return {
		id: "answer",
		title: setupTexts.answer.title,
		todo,
		async check(signal): Promise<readonly Finding[]> {
			const waiting = new AbortController();
			const either = AbortSignal.any([signal, waiting.signal]);
			const isAnswered = await Promise.race([
				answered(either).then(() => true),
				delay(clock, patienceMs, either).then(() => false),
			]).catch(() => false);
			waiting.abort();
			const { ok, fail, fix } = setupTexts.answer;
			if (isAnswered) return [{ id, status: "ok", what: ok }];
			return [{ id, status: "fail", what: fail, fix }];
		},
	};
}

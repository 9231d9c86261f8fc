import { type Clock, delay } from "@parley/base";
import { setupTexts } from "../texts/setup.ts";

/** Result of a check. `fix` has instructions, with a link if possible, for any status other than `ok`. */
export interface Finding {
	/** Id of the check. It never changes, because scripts may match it. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}

/** One step of a setup: an instruction for a person, with a check whether it is done. */
export interface SetupStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	/** Checks the step, which is done if no finding has the status `fail`. Never rejects. May be called repeatedly. */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** The last step of every setup: a person writes to the bot and gets an answer. */
export function answerStep(options: {
	readonly platform: string;
	/** Instruction that tells the person how to write to the bot. */
	readonly todo: string;
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum wait for the first answer, in milliseconds. */
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

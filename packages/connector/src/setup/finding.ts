import { type Clock, delay } from "@parley/base";

/** Result of a check. `fix` has instructions, with a link if possible, for any status other than `ok`. */
export interface Finding {
	/** Never changes, because scripts may match it. */
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
	/** Never rejects. The step is done if no finding has the status `fail`. May be called repeatedly. */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** The last step of every setup: a person writes to the bot and gets an answer. */
export function answerStep(options: {
	readonly platform: string;
	/** Instruction to get an answer. */
	readonly todo: string;
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum wait in milliseconds. */
	readonly patienceMs: number;
	readonly clock: Clock;
}): SetupStep {
	const { platform, todo, answered, patienceMs, clock } = options;
	const id = `${platform}-answer`;
	return {
		id: "answer",
		title: "Write to the bot",
		todo,
		async check(signal): Promise<readonly Finding[]> {
			const waiting = new AbortController();
			const either = AbortSignal.any([signal, waiting.signal]);
			const isAnswered = await Promise.race([
				answered(either).then(() => true),
				delay(clock, patienceMs, either).then(() => false),
			]).catch(() => false);
			waiting.abort();
			if (isAnswered) return [{ id, status: "ok", what: "the bot has answered" }];
			const fix =
				"mention it by its name in a channel that it is in; whom it does not know, it tells how to be let in";
			return [{ id, status: "fail", what: "the bot has not answered anybody yet", fix }];
		},
	};
}

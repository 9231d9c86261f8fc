import { type Clock, delay } from "@parley/base";

/** What a check found. `fix` says what to do, with a link where there is one, wherever something is not as it should be. */
export interface Finding {
	/** Never changes: scripts may look for it. */
	readonly id: string;
	readonly status: "ok" | "warn" | "fail";
	readonly what: string;
	readonly fix?: string;
}

/** One step of a setup: what a person is to do, and whether it is done. */
export interface SetupStep {
	readonly id: string;
	readonly title: string;
	readonly todo: string;
	/** Never rejects; done when no finding says `fail`. May be called again and again. */
	check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** The last step of every setup: somebody writes to the bot, and it answers. */
export function answerStep(options: {
	readonly platform: string;
	/** What a person does to be answered. */
	readonly todo: string;
	/** Resolves when the running connector has answered somebody for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** How long that is waited for, in milliseconds. */
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

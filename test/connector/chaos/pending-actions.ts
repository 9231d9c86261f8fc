import type { Clock } from "@parley/base";

/**
 * Milliseconds within which a response must arrive. Discord:
 * interactions/receiving-and-responding#responding-to-an-interaction. Slack:
 * https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response
 */
const answerMs = 3000;

interface PendingAction {
	readonly interaction: { readonly failed: boolean };
	readonly what: string;
	readonly at: number;
	isJudged: boolean;
}

/** Presses and commands that need a response within the time limit. */
export class PendingActions {
	/** Presses and commands without a timely response, although there was no fault. */
	readonly unanswered: string[] = [];
	readonly #clock: Clock;
	readonly #actions: PendingAction[] = [];
	/** Times of faults that may have prevented a response. */
	readonly #disturbances: number[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Adds a waiting press or command. `what` describes it in a fault report. */
	add(interaction: PendingAction["interaction"], what: string): void {
		this.#actions.push({ interaction, what, at: this.#clock.now(), isJudged: false });
	}

	/**
	 * Records a fault. Presses and commands that wait at this time, or follow within a second, may stay without a
	 * response.
	 */
	disturbed(): void {
		this.#disturbances.push(this.#clock.now());
	}

	/** Records each press and command without a response within the time limit, unless there was a fault. */
	judge(): void {
		const now = this.#clock.now();
		for (const action of this.#actions) {
			const { interaction, what, at } = action;
			if (action.isJudged || now < at + answerMs) continue;
			action.isJudged = true;
			const wasDisturbed = this.#disturbances.some((then) => then >= at - 1000 && then <= at + answerMs);
			if (interaction.failed && !wasDisturbed)
				this.unanswered.push(`${what} at ${new Date(at).toISOString()}`);
		}
	}
}

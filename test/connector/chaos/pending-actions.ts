import type { Clock } from "@parley/base";

/**
 * Milliseconds within which a response must arrive:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#responding-to-an-interaction and
 * https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response
 */
const answerMs = 3000;

interface PendingAction {
	readonly interaction: { readonly failed: boolean };
	readonly what: string;
	readonly at: number;
	isJudged: boolean;
}

export class PendingActions {
	/** Presses and commands without a response in time, except those that a fault may have affected. */
	readonly unanswered: string[] = [];
	readonly #clock: Clock;
	readonly #actions: PendingAction[] = [];
	/** Times of faults that may have prevented a response. */
	readonly #disturbances: number[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	add(interaction: PendingAction["interaction"], description: string): void {
		this.#actions.push({ interaction, what: description, at: this.#clock.now(), isJudged: false });
	}

	/** Records a fault. Presses and commands that are pending now, or follow within a second, need no response. */
	disturbed(): void {
		this.#disturbances.push(this.#clock.now());
	}

	judge(): void {
		const now = this.#clock.now();
		for (const action of this.#actions) {
			const { interaction, what: description, at } = action;
			if (action.isJudged || now < at + answerMs) continue;
			action.isJudged = true;
			const wasDisturbed = this.#disturbances.some((then) => then >= at - 1000 && then <= at + answerMs);
			if (interaction.failed && !wasDisturbed)
				this.unanswered.push(`${description} at ${new Date(at).toISOString()}`);
		}
	}
}

import type { Clock, Timer } from "@parley/base";

/** By then Slack has noticed that the sockets of a process that was killed are gone. */
const ghostMs = 60_000;

export interface RivalWatchParts {
	readonly clock: Clock;
	/** Has a socket replaced, of which the greeting tells how many there are. */
	readonly look: () => void;
	/** There is another process; called once. */
	readonly found: (connections: number) => void;
}

/**
 * Slack divides what people write among all sockets of an app, whoever holds them. Finds out from the greetings of our
 * own whether another process holds some: a count that is too high is looked at again before it is believed.
 */
export class RivalWatch {
	readonly #parts: RivalWatchParts;
	#looking: Timer | undefined;
	#isSecondLook = false;
	#isFound = false;

	constructor(parts: RivalWatchParts) {
		this.#parts = parts;
	}

	/** A socket was greeted: Slack counts `connections`, of which at most `own` are ours. */
	greeted(connections: number, own: number): void {
		if (connections <= own) {
			this.stop();
			this.#isSecondLook = false;
		} else if (this.#isFound) return;
		else if (this.#isSecondLook) {
			this.#isFound = true;
			this.#parts.found(connections);
		} else {
			this.#looking ??= this.#parts.clock.after(ghostMs, () => {
				this.#isSecondLook = true;
				this.#parts.look();
			});
		}
	}

	stop(): void {
		this.#looking?.cancel();
		this.#looking = undefined;
	}
}

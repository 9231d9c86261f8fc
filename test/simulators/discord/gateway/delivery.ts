import type { Clock, Timer } from "@parley/base";
import type { Dispatch, Session } from "./session.ts";

/** How often, from 0 to 1, events come twice, or after one that came later in another channel. */
export interface Disorder {
	readonly duplicate?: number;
	readonly reorder?: number;
}

/** For so long an event waits for one that overtakes it. */
const holdMs = 100;

interface Held {
	readonly dispatch: Dispatch;
	readonly timer: Timer;
}

function roomOf({ d }: Dispatch): unknown {
	return "channel_id" in d ? d.channel_id : undefined;
}

/** Carries events to who listens: in order and once, unless a test wants otherwise. */
export class Delivery {
	readonly #clock: Clock;
	readonly #chance: () => number;
	readonly #held = new Map<Session, Held>();
	#disorder: Disorder = {};

	constructor(clock: Clock, chance: () => number) {
		this.#clock = clock;
		this.#chance = chance;
	}

	set disorder(disorder: Disorder) {
		this.#disorder = disorder;
	}

	carry(session: Session, dispatch: Dispatch): void {
		const { duplicate = 0, reorder = 0 } = this.#disorder;
		const held = this.#held.get(session);
		if (held) {
			const overtakes = roomOf(held.dispatch) !== roomOf(dispatch);
			if (!overtakes) this.#release(session);
			this.#send(session, dispatch);
			if (overtakes) this.#release(session);
			return;
		}
		const room = roomOf(dispatch);
		if (reorder > 0 && room !== undefined && this.#chance() < reorder) {
			const timer = this.#clock.after(holdMs, () => this.#release(session));
			this.#held.set(session, { dispatch, timer });
			return;
		}
		this.#send(session, dispatch);
		if (duplicate > 0 && this.#chance() < duplicate) this.#send(session, dispatch);
	}

	/** What was held back for a connection that is gone comes with the replay. */
	forget(session: Session): void {
		this.#held.get(session)?.timer.cancel();
		this.#held.delete(session);
	}

	#release(session: Session): void {
		const held = this.#held.get(session);
		this.forget(session);
		if (held) this.#send(session, held.dispatch);
	}

	#send(session: Session, dispatch: Dispatch): void {
		const { sink } = session;
		// Not before what has caused it is over: an event never comes in the middle of the request that made it.
		queueMicrotask(() => {
			if (session.sink === sink) sink?.send(dispatch);
		});
	}
}

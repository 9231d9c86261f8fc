import type { Clock, Timer } from "@parley/base";
import { isPart } from "../blocks/block-text.ts";
import type { SimulatorEvent } from "../platform/state.ts";

/** Maximum delay of an event, in milliseconds. */
const delayMs = 100;

/** Delays one event at a time, so that the next event can overtake it. Slack guarantees no order. */
export class EventDelay {
	readonly #clock: Clock;
	readonly #deliver: (event: SimulatorEvent) => void;
	#delayed: { readonly event: SimulatorEvent; readonly timer: Timer } | undefined;

	constructor(clock: Clock, deliver: (event: SimulatorEvent) => void) {
		this.#clock = clock;
		this.#deliver = deliver;
	}

	carry(event: SimulatorEvent, wait: boolean): void {
		const delayed = this.#delayed;
		if (delayed) {
			const overtakes = mayOvertake(event, delayed.event);
			if (!overtakes) this.#release();
			this.#deliver(event);
			if (overtakes) this.#release();
		} else if (wait) {
			this.#delayed = { event, timer: this.#clock.after(delayMs, () => this.#release()) };
		} else this.#deliver(event);
	}

	forget(): void {
		this.#delayed?.timer.cancel();
		this.#delayed = undefined;
	}

	#release(): void {
		const delayed = this.#delayed;
		this.forget();
		if (delayed) this.#deliver(delayed.event);
	}
}

/** Whether `later` may arrive before `earlier`. Events of one type about one message stay in order. */
function mayOvertake({ body: later }: SimulatorEvent, { body: earlier }: SimulatorEvent): boolean {
	return messageOf(later) !== messageOf(earlier) || later["type"] !== earlier["type"];
}

function messageOf({ channel, ts, deleted_ts, message }: SimulatorEvent["body"]): string {
	return `${String(channel)}-${String(isPart(message) ? message["ts"] : (deleted_ts ?? ts))}`;
}

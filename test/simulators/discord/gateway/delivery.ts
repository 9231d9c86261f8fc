import type { Clock, Timer } from "@parley/base";
import type { SimulatorEvent } from "../platform/state.ts";

/**
 * Probabilities of disorder, from 0 to 1. A duplicated event arrives twice. A reordered event arrives after the
 * next event if `mayOvertake` allows it.
 */
export interface Disorder {
	readonly duplicate?: number;
	readonly reorder?: number;
}

/** Maximum delay of a reordered event, in milliseconds. */
const delayMs = 100;

/**
 * Delivers events, by default once and in order. Tests can set a disorder, because Discord does not guarantee
 * order or single delivery: https://discord.com/developers/docs/reference#consistency. The disorder applies
 * before events get their sequence numbers.
 */
export class Delivery {
	readonly #clock: Clock;
	readonly #chance: () => number;
	readonly #deliver: (event: SimulatorEvent) => void;
	#delayed: { readonly event: SimulatorEvent; readonly timer: Timer } | undefined;
	#disorder: Disorder = {};

	constructor(parts: {
		readonly clock: Clock;
		readonly chance: () => number;
		readonly deliver: (event: SimulatorEvent) => void;
	}) {
		this.#clock = parts.clock;
		this.#chance = parts.chance;
		this.#deliver = parts.deliver;
	}

	set disorder(disorder: Disorder) {
		this.#disorder = disorder;
	}

	carry(event: SimulatorEvent): void {
		const { duplicate = 0, reorder = 0 } = this.#disorder;
		const delayed = this.#delayed?.event;
		if (delayed) {
			const overtakes = mayOvertake(event, delayed);
			if (!overtakes) this.#release();
			this.#deliver(event);
			if (overtakes) this.#release();
			return;
		}
		if (reorder > 0 && channelOf(event) !== undefined && this.#chance() < reorder) {
			this.#delayed = { event, timer: this.#clock.after(delayMs, () => this.#release()) };
			return;
		}
		this.#deliver(event);
		if (duplicate > 0 && this.#chance() < duplicate) this.#deliver(event);
	}

	#release(): void {
		const delayed = this.#delayed;
		this.#delayed = undefined;
		delayed?.timer.cancel();
		if (delayed) this.#deliver(delayed.event);
	}
}

/**
 * Whether `later` may arrive before `earlier`. Events of one channel stay in order if they have the same type or are
 * about the same message.
 */
function mayOvertake(later: SimulatorEvent, earlier: SimulatorEvent): boolean {
	if (channelOf(later) !== channelOf(earlier)) return true;
	const isSameMessage = messageOf(later) !== undefined && messageOf(later) === messageOf(earlier);
	return later.t !== earlier.t && !isSameMessage;
}

function channelOf({ d }: SimulatorEvent): unknown {
	return "channel_id" in d ? d.channel_id : undefined;
}

function messageOf({ t, d }: SimulatorEvent): unknown {
	if ("message_id" in d) return d.message_id;
	return t.startsWith("MESSAGE_") && "id" in d ? d.id : undefined;
}

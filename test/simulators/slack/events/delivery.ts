import type { Timer } from "@parley/base";
import type { SlackReply } from "@parley/slack";
import { acknowledge } from "../platform/acknowledge.ts";
import type { SimulatorEvent, State } from "../platform/state.ts";
import { payloadOf } from "../shapes/envelopes.ts";
import { EventDelay } from "./event-delay.ts";

/**
 * Probabilities of disorder, from 0 to 1. A duplicated event arrives twice. A reordered event arrives after the
 * next event if `EventDelay` allows it.
 */
export interface Disorder {
	readonly duplicate?: number;
	readonly reorder?: number;
}

/** Reason for a repeated delivery: https://docs.slack.dev/apis/events-api#retries */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** A payload for the app. `interactive` is Slack's term for presses, forms and shortcuts. */
export interface Envelope {
	readonly type: SimulatorEvent["kind"];
	readonly body: unknown;
	/** Number of earlier delivery attempts. */
	readonly attempt: number;
}

/** One connection to an app: a socket, a request URL, or a port in this process. */
export interface Receiver {
	/**
	 * Resolves with the reply when the app has acknowledged the payload. Rejects if the app responds with an
	 * error. May never settle.
	 */
	receive(envelope: Envelope, reason?: RetryReason): Promise<SlackReply>;
	cut?(): void;
}

/** Thrown if the app refuses retries with `x-slack-no-retry`. */
export class NoRetry extends Error {
	override readonly name = "NoRetry";
}

interface Sending {
	readonly event: SimulatorEvent;
	/** Body of the request, which is the same in each attempt. */
	readonly body: string;
	readonly attempt: number;
	readonly reason?: RetryReason;
}

/**
 * Delivers payloads to the app, each over a random connection. Sends an unacknowledged event again after each
 * delay of `retriesMs`: https://docs.slack.dev/apis/events-api. Sends the payload of an interaction only
 * once.
 */
export class Delivery {
	disorder: Disorder = {};
	/** Inner types of events that the app never acknowledged. */
	readonly lost: string[] = [];
	readonly #state: State;
	readonly #receivers: Receiver[] = [];
	readonly #timers = new Set<Timer>();
	readonly #delay: EventDelay;

	constructor(state: State) {
		this.#state = state;
		this.#delay = new EventDelay(state.clock, (event) => this.#begin(event));
		state.listen((events) => {
			// The event is delivered only after the call that caused it has returned.
			void Promise.resolve().then(() => this.#carry(events));
		});
	}

	get connections(): number {
		return this.#receivers.length;
	}

	/** Returns the number of payloads that wait for an acknowledgement or a retry. */
	get pending(): number {
		return this.#timers.size;
	}

	attach(receiver: Receiver): () => void {
		this.#receivers.push(receiver);
		return () => {
			const index = this.#receivers.indexOf(receiver);
			if (index >= 0) this.#receivers.splice(index, 1);
		};
	}

	drop(): void {
		for (const receiver of this.#receivers.splice(0)) receiver.cut?.();
	}

	close(): void {
		this.drop();
		for (const timer of this.#timers) timer.cancel();
		this.#timers.clear();
		this.#delay.forget();
	}

	#carry(events: readonly SimulatorEvent[]): void {
		const [first, second] = events;
		const twins = first && second && this.#chance() < 0.5 ? [second, first, ...events.slice(2)] : events;
		for (const event of twins) {
			if (event.kind === "event") this.#delay.carry(event, this.#chance() < (this.disorder.reorder ?? 0));
			else this.#begin(event);
		}
	}

	#begin(event: SimulatorEvent): void {
		const sending = { event, body: JSON.stringify(payloadOf(this.#state, event)), attempt: 0 };
		this.#send(sending);
		const isTwice = event.kind === "event" && this.#chance() < (this.disorder.duplicate ?? 0);
		if (isTwice) this.#send({ ...sending, attempt: 1, reason: "http_timeout" });
	}

	#send(sending: Sending): void {
		const receiver = this.#receivers[Math.floor(this.#chance() * this.#receivers.length)];
		if (!receiver) {
			this.#fail(sending, "connection_failed");
			return;
		}
		let isOver = false;
		const timer = this.#after(this.#state.settings.acknowledgeMs, () => {
			isOver = true;
			this.#fail(sending, "http_timeout");
		});
		const end = (then: () => void): void => {
			if (isOver) return;
			isOver = true;
			timer.cancel();
			this.#timers.delete(timer);
			then();
		};
		// The envelope is a copy, as on the network, so that later changes do not affect it.
		const envelope = { type: sending.event.kind, body: JSON.parse(sending.body), attempt: sending.attempt };
		receiver.receive(envelope, sending.reason).then(
			(reply) => end(() => this.#acknowledge(sending, reply)),
			(error: unknown) => end(() => this.#refuse(sending, error)),
		);
	}

	#acknowledge({ event }: Sending, reply: SlackReply): void {
		if (event.interaction) acknowledge(this.#state, event.interaction, reply);
	}

	#refuse(sending: Sending, error: unknown): void {
		if (error instanceof NoRetry) this.#lose(sending.event);
		else this.#fail(sending, "http_error");
	}

	#fail(sending: Sending, reason: RetryReason): void {
		const { event, attempt } = sending;
		const wait = this.#state.settings.retriesMs[attempt];
		if (event.interaction) {
			if (event.interaction.state === "waiting") event.interaction.state = "failed";
		} else if (wait === undefined) this.#lose(event);
		else this.#after(wait, () => this.#send({ ...sending, attempt: attempt + 1, reason }));
	}

	#lose({ body }: SimulatorEvent): void {
		this.lost.push(String(body["type"]));
	}

	#after(ms: number, action: () => void): Timer {
		const timer = this.#state.clock.after(ms, () => {
			this.#timers.delete(timer);
			action();
		});
		this.#timers.add(timer);
		return timer;
	}

	#chance(): number {
		return this.#state.chance();
	}
}

import type { Clock, Timer } from "@parley/base";

/** Milliseconds to wait for the event about a post of the bot. */
const echoMs = 30_000;
/** Milliseconds without events after which sockets are replaced. A dead socket looks like a quiet workspace. */
const idleMs = 15 * 60_000;
/**
 * Number of consecutive missed envelopes after which a socket is replaced. Slack chooses sockets at random, so one of
 * two working sockets misses this number with a probability of about one in a million.
 */
const maxMissed = 20;
/** Minimum milliseconds between two replacements for missed envelopes, because Slack's choice might not be random. */
const missedMs = 5 * 60_000;

export interface WatchedSocket {
	/** Starts the replacement of the socket. */
	leave(reason: string): void;
}

/** Reason to assume that events are lost. */
export interface Suspicion {
	readonly reason: string;
	/** Time of the last received event, or of the start, in milliseconds since the epoch. */
	readonly since: number;
	/** Whether an event was expected even in a quiet workspace. */
	readonly isLikely: boolean;
}

/**
 * Replaces open sockets on which no events arrive. Replaces all sockets if no event follows a post of the bot, or
 * if nothing arrives for a long time. Replaces one socket if it misses envelopes that other sockets receive.
 */
export class SilenceWatch<Line extends WatchedSocket> {
	readonly #clock: Clock;
	readonly #open: ReadonlySet<Line>;
	/** By socket: number of consecutive envelopes that arrived on other sockets. */
	readonly #missed = new WeakMap<Line, number>();
	#echoMs = echoMs;
	#echo: Timer | undefined;
	#idle: Timer | undefined;
	readonly #suspected: (suspicion: Suspicion) => void;
	#receivedAt: number;
	#isOver = false;
	#suspectedAt = Number.NEGATIVE_INFINITY;

	/** Watches the current sockets in `open`, and calls `suspected` when all of them are suspected. */
	constructor(clock: Clock, open: ReadonlySet<Line>, suspected: (suspicion: Suspicion) => void) {
		this.#clock = clock;
		this.#open = open;
		this.#suspected = suspected;
		this.#receivedAt = clock.now();
		this.#wait();
	}

	/** Records an event on a socket. Replaces sockets that have missed too many consecutive envelopes. */
	noteEvent(line: Line): void {
		if (this.#isOver) return;
		this.#receivedAt = this.#clock.now();
		this.#echo?.cancel();
		this.#echo = undefined;
		this.#echoMs = echoMs;
		this.#wait();
		for (const one of this.#open) this.#missed.set(one, one === line ? 0 : (this.#missed.get(one) ?? 0) + 1);
		const now = this.#clock.monotonic();
		if (now - this.#suspectedAt < missedMs) return;
		for (const one of this.#open) {
			if ((this.#missed.get(one) ?? 0) < maxMissed) continue;
			this.#suspectedAt = now;
			one.leave("this socket receives no events, and the other socket receives many");
		}
	}

	/** Records a post for which Slack sends an event. */
	notePost(): void {
		if (this.#isOver) return;
		this.#echo ??= this.#clock.after(this.#echoMs, () => {
			this.#echo = undefined;
			// Slack may send no events about the posts, for example in some channels. Replacements of sockets would then have
			// no effect.
			this.#echoMs = Math.min(this.#echoMs * 2, idleMs);
			this.#suspectAll("no event arrived since the last post", true);
		});
	}

	stop(): void {
		this.#isOver = true;
		this.#echo?.cancel();
		this.#idle?.cancel();
		this.#echo = undefined;
	}

	#wait(): void {
		this.#idle?.cancel();
		this.#idle = this.#clock.after(idleMs, () => {
			this.#suspectAll("no event arrived for a quarter of an hour", false);
		});
	}

	#suspectAll(reason: string, isLikely: boolean): void {
		this.#wait();
		if (this.#open.size > 0) this.#suspected({ reason, since: this.#receivedAt, isLikely });
		for (const one of this.#open) one.leave(reason);
	}
}

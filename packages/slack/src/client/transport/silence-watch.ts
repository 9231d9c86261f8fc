import type { Clock, Timer } from "@parley/base";

/** After a post of ours Slack tells us of it, within moments. */
const echoMs = 30_000;
/** A quiet workspace and a deaf socket look the same: then a new socket costs little. */
const idleMs = 15 * 60_000;
/** Slack chooses among sockets at random: of two that hear, one misses so many in a row once in a million times. */
const mostMissed = 20;
/** Should it not choose at random after all, a socket is not replaced more often for that. */
const missedMs = 5 * 60_000;

/** A socket that can be given up. */
export interface WatchedSocket {
	/** Has it replaced by a new one. */
	leave(reason: string): void;
}

/** That nothing comes may have a reason of which nobody tells. */
export interface Suspicion {
	readonly reason: string;
	/** When something was heard last, in milliseconds since the epoch. */
	readonly since: number;
	/** There should have been something, also where it is quiet. */
	readonly isLikely: boolean;
}

/**
 * Sockets that are open and on which nothing comes any more are known to happen, and neither side notices. Suspects
 * all of them when nothing at all was heard after a post of our own, or for long, and one that misses what others hear.
 */
export class SilenceWatch<Line extends WatchedSocket> {
	readonly #clock: Clock;
	readonly #open: ReadonlySet<Line>;
	/** By socket: how many envelopes came in a row over others. */
	readonly #missed = new WeakMap<Line, number>();
	#echoMs = echoMs;
	#echo: Timer | undefined;
	#idle: Timer | undefined;
	readonly #suspected: (suspicion: Suspicion) => void;
	#heardAt: number;
	#isOver = false;
	#suspectedAt = Number.NEGATIVE_INFINITY;

	/** `open` is those that it watches at any moment; `suspected` is told when all of them are. */
	constructor(clock: Clock, open: ReadonlySet<Line>, suspected: (suspicion: Suspicion) => void) {
		this.#clock = clock;
		this.#open = open;
		this.#suspected = suspected;
		this.#heardAt = clock.now();
		this.#wait();
	}

	/** Something came over a socket. */
	heard(line: Line): void {
		if (this.#isOver) return;
		this.#heardAt = this.#clock.now();
		this.#echo?.cancel();
		this.#echo = undefined;
		this.#echoMs = echoMs;
		this.#wait();
		for (const one of this.#open) this.#missed.set(one, one === line ? 0 : (this.#missed.get(one) ?? 0) + 1);
		const now = this.#clock.monotonic();
		if (now - this.#suspectedAt < missedMs) return;
		for (const one of this.#open) {
			if ((this.#missed.get(one) ?? 0) < mostMissed) continue;
			this.#suspectedAt = now;
			one.leave("nothing comes over it, and much over the other one");
		}
	}

	/** Something was posted of which Slack should tell. */
	posted(): void {
		if (this.#isOver) return;
		this.#echo ??= this.#clock.after(this.#echoMs, () => {
			this.#echo = undefined;
			// It may be that Slack tells us of nothing here: what has changed nothing is tried less often.
			this.#echoMs = Math.min(this.#echoMs * 2, idleMs);
			this.#suspectAll("nothing was heard since the last post", true);
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
			this.#suspectAll("nothing was heard for a quarter of an hour", false);
		});
	}

	#suspectAll(reason: string, isLikely: boolean): void {
		this.#wait();
		if (this.#open.size > 0) this.#suspected({ reason, since: this.#heardAt, isLikely });
		for (const one of this.#open) one.leave(reason);
	}
}

import { type Clock, delay, type Logger, ParleyError, type Timer } from "@parley/base";
import { connectionTexts } from "../../texts/connection.ts";
import type { SlackAnswer, SlackReply } from "../../vocabulary/slack-port.ts";
import type { EnvelopeFrame } from "./frame.ts";
import { tokenRefusalText } from "./refusals.ts";
import { SilenceWatch, type Suspicion } from "./silence-watch.ts";
import { SocketLine } from "./socket-line.ts";
import type { Deliver, Transport } from "./transport.ts";

/** Number of sockets. While one socket is being replaced, the other socket receives all envelopes. */
const lineCount = 2;
const firstWaitMs = 1000;
const maxWaitMs = 60_000;
/**
 * Milliseconds of a normal lifetime. After a shorter lifetime, a socket is replaced with a pause, to limit the
 * requests for sockets.
 */
const steadyMs = 60_000;

export interface SocketPairParts {
	/** Calls `apps.connections.open`: https://docs.slack.dev/reference/methods/apps.connections.open */
	readonly openConnection: () => Promise<SlackAnswer>;
	readonly deliver: Deliver;
	/** Runs when a socket has opened. */
	readonly ready: () => void;
	/** Receives the reason when no socket is open. */
	readonly lost: (detail: string) => void;
	readonly refused: (detail: string) => void;
	/** Receives the suspicion when all sockets are suspected to be broken, before they are replaced. */
	readonly suspected: (suspicion: Suspicion) => void;
	readonly clock: Clock;
	readonly chance: () => number;
	readonly log: Logger;
}

/**
 * A pair of sockets. Except when stopping, closes a socket only after a replacement has opened or Slack has refused
 * new sockets.
 */
export class SocketPair implements Transport {
	readonly #parts: SocketPairParts;
	readonly #closing = new AbortController();
	/** All sockets that are not closed, including those without a greeting. */
	readonly #own = new Set<SocketLine>();
	readonly #open = new Set<SocketLine>();
	readonly #silence: SilenceWatch<SocketLine>;
	readonly #rivals: OtherProcessWatch;
	#handled: readonly Promise<void>[] = [];

	constructor(parts: SocketPairParts) {
		this.#parts = parts;
		const { clock, log, suspected } = parts;
		this.#silence = new SilenceWatch(clock, this.#open, suspected);
		this.#rivals = new OtherProcessWatch({
			clock,
			replaceSocket: () =>
				[...this.#open].at(0)?.leave("Slack reports the number of sockets only on a new socket"),
			found: (connections) =>
				log.warn(
					"another process uses this app token, so each of them receives only a part of the messages: stop that process",
					{ connections },
				),
		});
	}

	/** Starts to open the sockets. `ready`, `lost` and `refused` report the result. */
	async start(): Promise<void> {
		this.#handled = Array.from({ length: lineCount }, () => this.#maintainSocket());
	}

	posted(): void {
		if (this.#open.size > 0) this.#silence.notePost();
	}

	async close(): Promise<void> {
		this.#closing.abort();
		this.#silence.stop();
		this.#rivals.stop();
		for (const line of this.#open) line.leave("the connector is stopping");
		await Promise.all(this.#handled);
	}

	async #maintainSocket(): Promise<void> {
		const { clock, log, refused } = this.#parts;
		const { signal } = this.#closing;
		let before: SocketLine | undefined;
		let pauseMs = 0;
		while (!signal.aborted) {
			const line = await this.#next();
			if (before !== undefined) await end(before);
			before = line;
			if (line === undefined) break;
			const since = clock.monotonic();
			const { reason, isFinal } = await line.leaving;
			log.debug("a socket to Slack is replaced", { reason });
			if (isFinal) {
				refused(connectionTexts.socketModeOff);
				break;
			}
			if (clock.monotonic() - since >= steadyMs) pauseMs = 0;
			await this.#wait(pauseMs);
			pauseMs = Math.min(Math.max(pauseMs * 2, firstWaitMs), maxWaitMs);
		}
		if (before !== undefined) await end(before);
	}

	/**
	 * Opens the next socket, with retries, and returns it. Returns undefined when the connector stops, or after a
	 * permanent refusal.
	 */
	async #next(): Promise<SocketLine | undefined> {
		const { signal } = this.#closing;
		for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
			try {
				return await this.#begin();
			} catch (reason) {
				if (signal.aborted) break;
				const answer = reason instanceof NoAddress ? reason.answer : undefined;
				const why = answer?.type === "refused" ? tokenRefusalText(answer.error, "app") : undefined;
				if (why !== undefined) {
					this.#parts.refused(why);
					break;
				}
				await this.#failed(reason, waitMs);
			}
		}
		return undefined;
	}

	async #failed(reason: unknown, waitMs: number): Promise<void> {
		const { chance, log, lost } = this.#parts;
		const answer = reason instanceof NoAddress ? reason.answer : undefined;
		const limit = answer?.type === "rate-limited" ? answer.retryAfterMs : 0;
		const pause = Math.max(limit, waitMs / 2 + (waitMs / 2) * chance());
		log.warn("could not open a socket to Slack", { error: reason, waitMs: pause });
		// Another socket that is being opened may still succeed.
		if (this.#own.size === 0) lost(connectionTexts.notConnected({ reason: wordsOf(reason) }));
		await this.#wait(pause);
	}

	async #begin(): Promise<SocketLine> {
		const { clock, log, ready, lost } = this.#parts;
		const line = new SocketLine({
			clock,
			log,
			address: () => this.#address(),
			receive: (envelope, from) => this.#receive(envelope, from),
			greeted: (connections) => this.#rivals.greeted(connections ?? 0, this.#own.size),
		});
		this.#own.add(line);
		void line.closed.then(() => {
			this.#own.delete(line);
			if (this.#open.delete(line) && this.#open.size === 0) lost(connectionTexts.socketLost);
		});
		await line.open(this.#closing.signal);
		this.#open.add(line);
		ready();
		return line;
	}

	async #address(): Promise<string> {
		const answer = await this.#parts.openConnection().catch((cause: unknown) => {
			throw new NoAddress(undefined, { cause });
		});
		const url = answer.type === "ok" ? answer.body["url"] : undefined;
		if (typeof url !== "string" || !URL.canParse(url)) throw new NoAddress(answer);
		return url;
	}

	async #receive({ payload, retry_attempt: attempt }: EnvelopeFrame, line: SocketLine): Promise<SlackReply> {
		if (this.#closing.signal.aborted) {
			throw new ParleyError("cannot accept an event from Slack: the connector is stopping", {
				code: "cancelled",
			});
		}
		this.#silence.noteEvent(line);
		return this.#parts.deliver(payload, attempt);
	}

	async #wait(ms: number): Promise<void> {
		// An abort ends the delay. Callers check the signal.
		if (ms > 0) await delay(this.#parts.clock, ms, this.#closing.signal).catch(() => undefined);
	}
}

async function end(line: SocketLine): Promise<void> {
	await line.settled();
	await line.close();
}

class NoAddress extends Error {
	/** Slack's response. Undefined if the request failed. */
	readonly answer: SlackAnswer | undefined;

	constructor(answer: SlackAnswer | undefined, options?: ErrorOptions) {
		super("Slack returned no address for a socket", options);
		this.answer = answer;
	}
}

function wordsOf(reason: unknown): string {
	if (!(reason instanceof NoAddress)) return ParleyError.from(reason).message;
	const { answer } = reason;
	const method = "apps.connections.open";
	if (answer?.type === "rate-limited") return connectionTexts.limited({ method });
	if (answer?.type === "refused") return connectionTexts.answered({ error: answer.error, method });
	if (answer?.type === "ok") return connectionTexts.noSocketAddress({ method });
	// The cause states whether Slack answered with an error status, or not at all.
	return ParleyError.from(reason.cause).message;
}

/** Milliseconds after which Slack has noticed that the sockets of a killed process are dead. */
const ghostMs = 60_000;

interface OtherProcessWatchParts {
	readonly clock: Clock;
	/** Replaces a socket. The greeting of the new socket contains the current number of sockets. */
	readonly replaceSocket: () => void;
	/** Receives the number of sockets once, if another process has sockets. */
	readonly found: (connections: number) => void;
}

/**
 * Detects another connected process of the app. Slack's greetings contain the number of the app's sockets. Slack
 * distributes messages among all these sockets, so each process would miss some messages. A number that is too high
 * is checked again before it is reported.
 */
export class OtherProcessWatch {
	readonly #parts: OtherProcessWatchParts;
	#recheckTimer: Timer | undefined;
	#isSecondCheck = false;
	#isFound = false;

	constructor(parts: OtherProcessWatchParts) {
		this.#parts = parts;
	}

	/**
	 * Records a greeting. `connections`: number of sockets of the app according to Slack. `own`: maximum number of
	 * sockets in this process.
	 */
	greeted(connections: number, own: number): void {
		if (connections <= own) {
			this.stop();
			this.#isSecondCheck = false;
		} else if (this.#isFound) return;
		else if (this.#isSecondCheck) {
			this.#isFound = true;
			this.#parts.found(connections);
		} else {
			this.#recheckTimer ??= this.#parts.clock.after(ghostMs, () => {
				this.#isSecondCheck = true;
				this.#parts.replaceSocket();
			});
		}
	}

	stop(): void {
		this.#recheckTimer?.cancel();
		this.#recheckTimer = undefined;
	}
}

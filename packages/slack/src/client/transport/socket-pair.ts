import { type Clock, delay, type Logger, ParleyError, type Timer } from "@parley/base";
import type { SlackAnswer, SlackReply } from "../../vocabulary/slack-port.ts";
import type { EnvelopeFrame } from "./frame.ts";
import { refusalOf } from "./refusals.ts";
import { SilenceWatch, type Suspicion } from "./silence-watch.ts";
import { SocketLine } from "./socket-line.ts";
import type { Deliver, Transport } from "./transport.ts";

/** Slack sends each envelope over any one of them; while one is replaced, the other one carries all. */
const lineCount = 2;
const firstWaitMs = 1000;
const mostWaitMs = 60_000;
/** A socket that lasts shorter is replaced with a pause, so that one that Slack does not want is not asked for all the time. */
const steadyMs = 60_000;

export interface SocketPairParts {
	/** Calls `apps.connections.open`: https://docs.slack.dev/reference/methods/apps.connections.open */
	readonly openConnection: () => Promise<SlackAnswer>;
	readonly deliver: Deliver;
	/** Some socket is open. */
	readonly ready: () => void;
	/** None is open; `detail` says why. */
	readonly lost: (detail: string) => void;
	readonly refused: (detail: string) => void;
	/** All of them may be deaf, and are replaced. */
	readonly suspected: (suspicion: Suspicion) => void;
	readonly clock: Clock;
	readonly chance: () => number;
	readonly log: Logger;
}

/** Two sockets, each of which is replaced by a new one before it is given up. */
export class SocketPair implements Transport {
	readonly #parts: SocketPairParts;
	readonly #closing = new AbortController();
	/** All that are not closed, greeted or not. */
	readonly #own = new Set<SocketLine>();
	readonly #open = new Set<SocketLine>();
	readonly #deaf: SilenceWatch<SocketLine>;
	readonly #rivals: OtherProcessWatch;
	#kept: readonly Promise<void>[] = [];

	constructor(parts: SocketPairParts) {
		this.#parts = parts;
		const { clock, log, suspected } = parts;
		this.#deaf = new SilenceWatch(clock, this.#open, suspected);
		this.#rivals = new OtherProcessWatch({
			clock,
			look: () => [...this.#open].at(0)?.leave("its successor is told how many there are"),
			found: (connections) =>
				log.warn(
					"another process is connected with this app token, and Slack divides what people write between them: end it",
					{ connections },
				),
		});
	}

	/** Begins to open the sockets; `ready`, `lost` and `refused` report the result. */
	async start(): Promise<void> {
		this.#kept = Array.from({ length: lineCount }, () => this.#keep());
	}

	/** We have posted something of which Slack should tell. */
	posted(): void {
		if (this.#open.size > 0) this.#deaf.posted();
	}

	/** Acknowledges what is being taken, and ends. */
	async close(): Promise<void> {
		this.#closing.abort();
		this.#deaf.stop();
		this.#rivals.stop();
		for (const line of this.#open) line.leave("the connector stops");
		await Promise.all(this.#kept);
	}

	/** One place of the pair: there is always a socket in it, or one on its way. */
	async #keep(): Promise<void> {
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
				refused("Socket Mode was switched off in the settings of the app: switch it on");
				break;
			}
			if (clock.monotonic() - since >= steadyMs) pauseMs = 0;
			await this.#wait(pauseMs);
			pauseMs = Math.min(Math.max(pauseMs * 2, firstWaitMs), mostWaitMs);
		}
		if (before !== undefined) await end(before);
	}

	/** Undefined when it is time to stop. */
	async #next(): Promise<SocketLine | undefined> {
		const { signal } = this.#closing;
		for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, mostWaitMs)) {
			try {
				return await this.#begin();
			} catch (reason) {
				if (signal.aborted) break;
				const answer = reason instanceof NoAddress ? reason.answer : undefined;
				const why = answer?.type === "refused" ? refusalOf(answer.error, "the app token") : undefined;
				if (why !== undefined) {
					this.#parts.refused(why);
					break;
				}
				await this.#failed(reason, waitMs);
			}
		}
		return undefined;
	}

	/** Waits before the next try. */
	async #failed(reason: unknown, waitMs: number): Promise<void> {
		const { chance, log, lost } = this.#parts;
		const answer = reason instanceof NoAddress ? reason.answer : undefined;
		const limit = answer?.type === "rate-limited" ? answer.retryAfterMs : 0;
		const pause = Math.max(limit, waitMs / 2 + (waitMs / 2) * chance());
		log.warn("no socket to Slack", { error: reason, waitMs: pause });
		// As long as another one is on its way, it may still be well.
		if (this.#own.size === 0) lost(`there is no socket to Slack: ${wordsOf(reason)}`);
		await this.#wait(pause);
	}

	async #begin(): Promise<SocketLine> {
		const { clock, log, ready, lost } = this.#parts;
		const line = new SocketLine({
			clock,
			log,
			address: () => this.#address(),
			take: (envelope, from) => this.#take(envelope, from),
			greeted: (connections) => this.#rivals.greeted(connections ?? 0, this.#own.size),
		});
		this.#own.add(line);
		void line.closed.then(() => {
			this.#own.delete(line);
			if (this.#open.delete(line) && this.#open.size === 0) lost("there is no socket to Slack at the moment");
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

	async #take({ payload, retry_attempt: attempt }: EnvelopeFrame, line: SocketLine): Promise<SlackReply> {
		if (this.#closing.signal.aborted) {
			throw new ParleyError("the connector stops", { code: "cancelled" });
		}
		this.#deaf.heard(line);
		return this.#parts.deliver(payload, attempt);
	}

	async #wait(ms: number): Promise<void> {
		// That it is time to stop shows in the signal.
		if (ms > 0) await delay(this.#parts.clock, ms, this.#closing.signal).catch(() => undefined);
	}
}

async function end(line: SocketLine): Promise<void> {
	await line.settled();
	await line.close();
}

/** Slack gave no address for a socket. */
class NoAddress extends Error {
	/** Undefined if Slack gave no answer. */
	readonly answer: SlackAnswer | undefined;

	constructor(answer: SlackAnswer | undefined, options?: ErrorOptions) {
		super("Slack gave no address for a socket", options);
		this.answer = answer;
	}
}

function wordsOf(reason: unknown): string {
	if (!(reason instanceof NoAddress)) return ParleyError.from(reason).message;
	const { answer } = reason;
	if (answer?.type === "rate-limited") return "it limits how often they are opened";
	if (answer?.type === "refused") return `it answers ${answer.error} to apps.connections.open`;
	return "it gives no answer to apps.connections.open";
}

/** By then Slack has noticed that the sockets of a process that was killed are gone. */
const ghostMs = 60_000;

interface OtherProcessWatchParts {
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
export class OtherProcessWatch {
	readonly #parts: OtherProcessWatchParts;
	#looking: Timer | undefined;
	#isSecondLook = false;
	#isFound = false;

	constructor(parts: OtherProcessWatchParts) {
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

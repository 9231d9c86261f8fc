import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { SocketModeOptions } from "@slack/socket-mode";
import type { SlackReply } from "../../slack-port.ts";
import type { EnvelopeFrame, Frame } from "./frame.ts";
import { GuardedClient } from "./guarded-client.ts";

export interface LineParts {
	readonly options: SocketModeOptions;
	/** What is resolved with is sent back; where it rejects nothing is, and Slack sends the envelope again. */
	readonly take: (envelope: EnvelopeFrame, line: SocketLine) => Promise<SlackReply>;
	/** It is greeted; `connections` is how many sockets the app has by then, where Slack says so. */
	readonly greeted: (connections: number | undefined) => void;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Why a socket should be replaced. */
export interface Farewell {
	readonly reason: string;
	/** No other one can take its place. */
	readonly isFinal: boolean;
}

/** Slack greets at once; a socket on which nothing is said is none. */
const greetingMs = 10_000;
/** So long Slack may take to say goodbye. */
const goodbyeMs = 1000;
/** What is not acknowledged by then Slack sends again. */
const acknowledgeMs = 3000;

/** One socket to Slack. It is not made again: when it leaves, another one takes its place. */
export class SocketLine {
	readonly #client: GuardedClient;
	readonly #parts: LineParts;
	readonly #leaving = Promise.withResolvers<Farewell>();
	readonly #closed = Promise.withResolvers<void>();
	readonly #taking = new Set<Promise<void>>();

	constructor(parts: LineParts) {
		this.#parts = parts;
		this.#client = new GuardedClient(parts.options, {
			log: parts.log,
			frame: (frame) => this.#frame(frame),
		});
		this.#client.once("disconnected", () => {
			this.leave("the socket was closed");
			this.#closed.resolve();
		});
	}

	/** Resolves when it should be replaced; until it is closed it goes on. */
	get leaving(): Promise<Farewell> {
		return this.#leaving.promise;
	}

	/** Resolves when nothing can come over it any more. */
	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	/** Resolves when Slack has greeted it. Rejects as the client does, where Slack does not greet, and when the signal aborts. */
	async open(signal: AbortSignal): Promise<void> {
		const over = new AbortController();
		const late = delay(this.#parts.clock, greetingMs, AbortSignal.any([signal, over.signal])).then(() => {
			throw new ParleyError("Slack does not greet a new socket", { code: "unavailable" });
		});
		const ended = this.#leaving.promise.then(({ reason }) => {
			throw new ParleyError(`Slack does not greet a new socket: ${reason}`, { code: "unavailable" });
		});
		try {
			await Promise.race([this.#client.start(), ended, late]);
		} catch (reason) {
			await this.close();
			// The client rejects with nothing where the socket was closed.
			throw reason ?? new ParleyError("Slack closed a new socket", { code: "unavailable" });
		} finally {
			over.abort();
			// It has lost the race by being aborted.
			await late.catch(() => undefined);
		}
	}

	/** It should be replaced. */
	leave(reason: string): void {
		this.#leaving.resolve({ reason, isFinal: false });
	}

	/** Resolves when what has come over it is acknowledged, or it is too late for that. */
	async settled(): Promise<void> {
		const over = new AbortController();
		const late = delay(this.#parts.clock, acknowledgeMs, over.signal).catch(() => undefined);
		await Promise.race([Promise.all(this.#taking), late]);
		over.abort();
	}

	/** Ends it, whatever Slack says to that. */
	async close(): Promise<void> {
		this.leave("it was closed");
		const over = new AbortController();
		const ended = this.#client.end().then(() => over.abort());
		await delay(this.#parts.clock, goodbyeMs, over.signal).catch(() => undefined);
		this.#client.drop();
		await ended;
	}

	#frame(frame: Frame): void {
		if (frame.type === "hello") this.#parts.greeted(frame.num_connections);
		else if (frame.type === "disconnect") {
			const { reason } = frame;
			this.#leaving.resolve({ reason: `Slack ends it: ${reason}`, isFinal: reason === "link_disabled" });
		} else this.#take(frame);
	}

	#take(envelope: EnvelopeFrame): void {
		const { take, log } = this.#parts;
		const { envelope_id: id } = envelope;
		const taken = take(envelope, this).then(
			(reply) => {
				if (!this.#client.acknowledge(id, reply)) log.debug("an acknowledgement has lost its socket", { id });
			},
			(error: unknown) =>
				log.warn("something of Slack's was not taken; Slack will send it again", { id, error }),
		);
		const running = taken.finally(() => this.#taking.delete(running));
		this.#taking.add(running);
	}
}

import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Clock, delay, ParleyError, parseJson } from "@parley/base";
import { createParser } from "eventsource-parser";
import { answerError, type HttpAddress, openFromGateway, unreachable } from "../gateway-http.ts";
import type { ShownEvent } from "../sessions/past-events.ts";

/** The gateway lets itself be heard every 15 s: what is silent for so long is gone. */
const silenceMs = 45_000;
const firstPauseMs = 250;
const longestPauseMs = 5_000;

export interface FollowOptions {
	/** Where the gateway is now: after a restart it may be elsewhere. */
	readonly find: () => Promise<HttpAddress>;
	/** Which events, as the address says it. `limit` counts those that come first. */
	readonly query: URLSearchParams;
	readonly clock: Clock;
	readonly signal: AbortSignal;
	readonly onEvent: (event: ShownEvent) => void;
	readonly onState: (state: "lost" | "back") => void;
}

/**
 * Tells events as they happen, each once and without a gap however often the connection is lost, until the signal
 * aborts. Rejects where the first connection fails, or the gateway will not tell these.
 */
export async function followEvents(options: FollowOptions): Promise<void> {
	const { clock, signal, onState } = options;
	const follower = new Follower(options);
	let tried = 0;
	while (!signal.aborted) {
		const opened = (): void => {
			if (tried > 0) onState("back");
			tried = 0;
		};
		await follower.read(opened).catch((reason: unknown) => {
			if (!follower.mayTryAgain(reason)) throw reason;
		});
		if (signal.aborted || follower.isOver) return;
		if (tried === 0) onState("lost");
		tried += 1;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** tried);
		// Only the signal ends it early, and then the loop ends too.
		await delay(clock, pauseMs, signal).catch(() => undefined);
	}
}

class Follower {
	readonly #options: FollowOptions;
	#lastId: string | undefined;
	#wasThere = false;
	/** The one conversation that was followed was deleted. */
	isOver = false;

	constructor(options: FollowOptions) {
		this.#options = options;
	}

	/** Whether another try may bring more. */
	mayTryAgain(reason: unknown): boolean {
		if (this.#options.signal.aborted) return true;
		return this.#wasThere && reason instanceof ParleyError && reason.code === "unavailable";
	}

	/** Reads one connection to its end; rejects with a `ParleyError`. */
	async read(onOpen: () => void): Promise<void> {
		const { find, query, signal } = this.#options;
		const address = await find();
		const silence = this.#watch();
		const either = AbortSignal.any([signal, silence.signal]);
		const id = this.#lastId;
		const headers = { accept: "text/event-stream", ...(id !== undefined && { "last-event-id": id }) };
		try {
			const response = await openFromGateway(address, `/api/events?${query}`, { headers, signal: either });
			const status = response.statusCode ?? 0;
			if (status !== 200) throw answerError(address, { status, text: await text(response) });
			this.#wasThere = true;
			// Before the first event: what happens until then must not be missed where the connection is lost.
			this.#lastId ??= response.headers["last-event-id"]?.toString();
			onOpen();
			await this.#take(response, () => silence.heard());
		} catch (cause) {
			if (cause instanceof ParleyError) throw cause;
			throw unreachable(address, cause);
		} finally {
			silence.end();
		}
	}

	async #take(response: IncomingMessage, heard: () => void): Promise<void> {
		const parser = createParser({
			onEvent: ({ id, data }) => {
				// True because our own gateway tells them so.
				const event = parseJson(data, { maxDepth: 256, maxNodes: 5_000_000 }) as ShownEvent;
				if (id !== undefined) this.#lastId = id;
				this.isOver ||= event.type === "session.deleted" && this.#options.query.has("session");
				this.#options.onEvent(event);
			},
		});
		response.setEncoding("utf8");
		for await (const piece of response) {
			heard();
			parser.feed(piece);
		}
	}

	#watch(): { readonly signal: AbortSignal; heard(): void; end(): void } {
		const { clock } = this.#options;
		const silent = new AbortController();
		const start = () => clock.after(silenceMs, () => silent.abort());
		let timer = start();
		return {
			signal: silent.signal,
			heard: () => {
				timer.cancel();
				timer = start();
			},
			end: () => timer.cancel(),
		};
	}
}

import type { Socket } from "node:net";
import { type Clock, ParleyError, type Timer } from "@parley/base";
import WebSocket, { type RawData } from "ws";
import { describeFailure, refusalOf } from "./handshake.ts";
import { pinnedTo } from "./pinned-to.ts";

/** Above any frame that a gateway writes; a larger one ends the connection. */
const maxPayload = 16 * 1_048_576;
const handshakeTimeoutMs = 10_000;
/** How long the other side may take to answer our close before the socket is torn down. */
const closeGraceMs = 2_000;

export interface LinkOptions {
	readonly url: URL;
	readonly token: string | undefined;
	readonly certificate: string | undefined;
	readonly clock: Clock;
	/** A number from 0 up to but without 1. */
	readonly chance: () => number;
	readonly retryFirst: boolean;
}

/** What a link tells. After `refused` nothing follows. */
export interface LinkObserver {
	connecting(): void;
	opened(): void;
	received(text: string): void;
	lost(reason: string, retryInMs: number): void;
	/** No further try makes sense. */
	refused(error: ParleyError): void;
}

/** One WebSocket after the other to the same gateway: connects again, later and later, until it is stopped. */
export class Link {
	readonly #options: LinkOptions;
	readonly #observer: LinkObserver;
	readonly #stopped = Promise.withResolvers<void>();
	#socket: WebSocket | undefined;
	/** What the WebSocket writes to. */
	#wire: Socket | undefined;
	#isCorked = false;
	#retry: Timer | undefined;
	#closing: Timer | undefined;
	#failures = 0;
	#wasOpen = false;
	#isStopping = false;
	#reason = "";

	constructor(options: LinkOptions, observer: LinkObserver) {
		this.#options = options;
		this.#observer = observer;
	}

	/** Connects, once; from then on again after each loss. */
	start(): void {
		const { url, token, certificate } = this.#options;
		this.#observer.connecting();
		const pinned = certificate === undefined ? {} : pinnedTo(certificate);
		const socket = new WebSocket(url, {
			headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
			...pinned,
			perMessageDeflate: false,
			handshakeTimeout: handshakeTimeoutMs,
			maxPayload,
		});
		this.#socket = socket;
		this.#observe(socket);
	}

	get isOpen(): boolean {
		return this.#socket?.readyState === WebSocket.OPEN;
	}

	/**
	 * Writes one frame, or nothing when there is no open connection. It leaves at the end of the tick, before the close of
	 * a `drop` or `stop`; with a connection that is found dead in this very tick it is lost, as on its way.
	 */
	send(text: string): void {
		if (!this.isOpen) return;
		this.#cork();
		this.#socket?.send(text);
	}

	/** The connection has proved useful: the next loss is tried again soon. */
	settle(): void {
		this.#failures = 0;
	}

	/** Gives this connection up, for a reason that `lost` will tell. What still arrives on it is not looked at. */
	drop(code: number, reason: string): void {
		const socket = this.#socket;
		if (!socket || this.#closing) return;
		this.#reason = reason;
		this.#closing = this.#options.clock.after(closeGraceMs, () => socket.terminate());
		socket.close(code);
	}

	/** Closes for good. */
	stop(code: number): void {
		this.#isStopping = true;
		this.#retry?.cancel();
		if (this.#socket) this.drop(code, "stopped");
		else this.#stopped.resolve();
	}

	/** Resolves after `stop`, when the socket is gone. */
	get stopped(): Promise<void> {
		return this.#stopped.promise;
	}

	/** What is written at once leaves at once: of a short frame, handing it to the system is the most that it costs. */
	#cork(): void {
		const wire = this.#wire;
		if (this.#isCorked || wire === undefined) return;
		this.#isCorked = true;
		wire.cork();
		process.nextTick(() => {
			this.#isCorked = false;
			wire.uncork();
		});
	}

	#observe(socket: WebSocket): void {
		const { url, clock } = this.#options;
		let refusal: ParleyError | undefined;
		let liveness: Timer | undefined;
		socket.on("upgrade", (response) => {
			this.#wire = response.socket;
		});
		socket.on("unexpected-response", (_request, response) => {
			this.#reason = `the gateway at ${url.href} answered HTTP ${response.statusCode}`;
			refusal = refusalOf(response.statusCode, url);
			socket.terminate();
		});
		socket.on("error", (error) => {
			this.#reason ||= liveness ? error.message : describeFailure(error, url);
		});
		socket.on("open", () => {
			liveness = watchLiveness(socket, clock);
			this.#wasOpen = true;
			this.#observer.opened();
		});
		socket.on("message", (data: RawData) => {
			if (this.isOpen) this.#observer.received(data.toString());
		});
		socket.on("close", (code, text) => {
			liveness?.cancel();
			this.#reason ||= describeClose(code, text);
			this.#ended(refusal);
		});
	}

	#ended(refusal: ParleyError | undefined): void {
		const reason = this.#reason;
		this.#reason = "";
		this.#socket = undefined;
		this.#wire = undefined;
		this.#closing?.cancel();
		this.#closing = undefined;
		if (this.#isStopping) this.#stopped.resolve();
		else if (refusal) this.#observer.refused(refusal);
		else if (this.#wasOpen || this.#options.retryFirst) this.#startLater(reason);
		else this.#observer.refused(new ParleyError(reason, { code: "unavailable" }));
	}

	#startLater(reason: string): void {
		const waitMs = retryDelayMs(this.#failures, this.#options.chance());
		this.#failures += 1;
		this.#retry = this.#options.clock.after(waitMs, () => this.start());
		this.#observer.lost(reason, waitMs);
	}
}

function describeClose(code: number, text: Buffer): string {
	return text.length > 0 ? `${text.toString()} (${code})` : `the connection ended (${code})`;
}

const firstMs = 250;
const mostMs = 10_000;

/**
 * Milliseconds to wait before the try after `failures` failed ones: anything up to a bound that doubles from 250 ms to
 * 10 s. The whole span is random, so that clients that lost one gateway together do not come back together.
 */
export function retryDelayMs(failures: number, chance: number): number {
	return Math.round(chance * Math.min(mostMs, firstMs * 2 ** failures));
}

const intervalMs = 30_000;

/**
 * Pings an open socket and ends it when nothing came back for a whole interval: after a laptop slept or a cable was
 * pulled, nothing else would ever say that the other side is gone. Cancel it when the socket has closed.
 */
function watchLiveness(socket: WebSocket, clock: Clock): Timer {
	let heard = true;
	const hear = (): void => {
		heard = true;
	};
	for (const sign of ["message", "ping", "pong"]) socket.on(sign, hear);
	const check = (): void => {
		if (heard) {
			heard = false;
			socket.ping();
			timer = clock.after(intervalMs, check);
		} else {
			socket.terminate();
		}
	};
	let timer = clock.after(intervalMs, check);
	return { cancel: () => timer.cancel() };
}

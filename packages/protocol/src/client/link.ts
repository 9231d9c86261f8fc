import type { Socket } from "node:net";
import { type Clock, ParleyError, type Timer } from "@parley/base/portable";
import WebSocket, { type RawData } from "ws";
import { describeFailure, refusalOf } from "./handshake.ts";
import { pinnedTo } from "./pinned-to.ts";

/** Maximum bytes of a frame from the gateway. A larger frame ends the connection. */
const maxPayload = 16 * 1_048_576;
const handshakeTimeoutMs = 10_000;
/** Maximum milliseconds to wait for the gateway's close frame before the socket is destroyed. */
const closeGraceMs = 2_000;

export interface LinkOptions {
	readonly url: URL;
	readonly token: string | undefined;
	readonly certificate: string | undefined;
	readonly clock: Clock;
	/** Returns a random number of at least 0 and below 1. */
	readonly chance: () => number;
	readonly retryFirst: boolean;
}

/** Receives the events of a link. No event follows `refused`. */
export interface LinkObserver {
	connecting(): void;
	opened(): void;
	received(text: string): void;
	lost(reason: string, retryInMs: number): void;
	/**
	 * Receives the error at the end of the link, once: after a final refusal, or after a failed first connection if
	 * `retryFirst` is false.
	 */
	refused(error: ParleyError): void;
}

/**
 * Link to the gateway over one WebSocket. Reconnects with increasing delays until the link is stopped or the gateway
 * refuses the connection.
 */
export class Link {
	readonly #options: LinkOptions;
	readonly #observer: LinkObserver;
	#markStopped: () => void = () => {};
	/** Resolves after `stop`, when no socket is open. */
	readonly stopped = new Promise<void>((resolve) => {
		this.#markStopped = resolve;
	});
	#socket: WebSocket | undefined;
	/** The TCP or TLS stream of the WebSocket. */
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

	/** Opens a connection. Call `start` once. The link calls `start` again after each loss. */
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
	 * Sends one frame at the end of the tick, before the close frame of `drop` or `stop`. Does nothing without an open
	 * connection. If the connection fails before the frame is sent, the frame is lost.
	 */
	send(text: string): void {
		if (!this.isOpen) return;
		this.#cork();
		this.#socket?.send(text);
	}

	/** Records that the connection works, and resets the retry delay. */
	settle(): void {
		this.#failures = 0;
	}

	/** Closes the present connection. `LinkObserver.lost` receives `reason`. Later data on the connection is ignored. */
	drop(code: number, reason: string): void {
		const socket = this.#socket;
		if (!socket || this.#closing) return;
		this.#reason = reason;
		this.#closing = this.#options.clock.after(closeGraceMs, () => socket.terminate());
		socket.close(code);
	}

	/** Stops the link permanently. */
	stop(code: number): void {
		this.#isStopping = true;
		this.#retry?.cancel();
		if (this.#socket) this.drop(code, "stopped");
		else this.#markStopped();
	}

	/**
	 * Delays the frames of one tick, so that they are sent together. The system call is the main cost of a short
	 * frame.
	 */
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
		if (this.#isStopping) this.#markStopped();
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
const maxDelayMs = 10_000;

/**
 * Returns the random delay in milliseconds after `failures` failed attempts. The upper bound doubles with each failure,
 * from 250 ms to 10 s. The lower bound is 0, so that the clients of a restarted gateway do not reconnect at the same
 * time.
 */
export function retryDelayMs(failures: number, chance: number): number {
	return Math.round(chance * Math.min(maxDelayMs, firstMs * 2 ** failures));
}

const intervalMs = 30_000;

/**
 * Sends pings, and closes the socket if no frame arrives in an interval. Without pings, the client may not notice that
 * the connection is lost, for example because a cable was pulled. Cancel the returned timer when the socket closes.
 */
function watchLiveness(socket: WebSocket, clock: Clock): Timer {
	let received = true;
	const onFrame = (): void => {
		received = true;
	};
	for (const sign of ["message", "ping", "pong"]) socket.on(sign, onFrame);
	const check = (): void => {
		if (received) {
			received = false;
			socket.ping();
			timer = clock.after(intervalMs, check);
		} else {
			socket.terminate();
		}
	};
	let timer = clock.after(intervalMs, check);
	return { cancel: () => timer.cancel() };
}

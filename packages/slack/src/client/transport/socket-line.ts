import { channel } from "node:diagnostics_channel";
import type { Duplex } from "node:stream";
import { type Clock, defined, delay, type Logger, ParleyError, systemClock, type Timer } from "@parley/base";
import { Agent, type Dispatcher, EnvHttpProxyAgent, ping, WebSocket } from "undici";
import type { SlackReply } from "../../vocabulary/slack-port.ts";
import { type EnvelopeFrame, type Frame, readFrame } from "./frame.ts";

export interface LineParts {
	/** Requests the URL of a new socket. */
	readonly address: () => Promise<string>;
	/**
	 * Handles an envelope and resolves with the reply. If `receive` rejects, Slack gets no acknowledgement, and
	 * redelivers an event.
	 */
	readonly receive: (envelope: EnvelopeFrame, line: SocketLine) => Promise<SlackReply>;
	/** Receives the greeting of Slack. `connections` is the number of the app's sockets, if Slack reports it. */
	readonly greeted: (connections: number | undefined) => void;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Reason to replace a socket. */
export interface Farewell {
	readonly reason: string;
	/** Whether a new socket would end for the same reason, so that this socket is not replaced. */
	readonly isFinal: boolean;
}

/**
 * Maximum milliseconds to wait for Slack's greeting. Slack sends the greeting at once, and a socket without a
 * greeting receives no envelopes.
 */
const greetingMs = 10_000;
/** Maximum milliseconds to wait for Slack's closing handshake. */
const goodbyeMs = 1000;
/** Milliseconds for which Slack waits for the acknowledgement of an envelope. */
const acknowledgeMs = 3000;
/** Close code: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const normalClosure = 1000;

/**
 * One socket of Slack's Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode. It does not reconnect;
 * another `SocketLine` replaces it.
 */
export class SocketLine {
	readonly #parts: LineParts;
	readonly #route = new SocketRoute(usesProxies(process.env));
	readonly #greeted = Promise.withResolvers<void>();
	readonly #leaving = Promise.withResolvers<Farewell>();
	readonly #closed = Promise.withResolvers<void>();
	readonly #receiver = new Set<Promise<void>>();
	#socket: WebSocket | undefined;
	#isEnded = false;

	constructor(parts: LineParts) {
		this.#parts = parts;
	}

	/** Resolves when the line should be replaced. The line works until it is closed. */
	get leaving(): Promise<Farewell> {
		return this.#leaving.promise;
	}

	/** Resolves when no further delivery can arrive on the line. */
	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	/**
	 * Opens the socket and resolves when Slack has sent `hello` on it. Rejects if `address` rejects, if Slack
	 * closes the socket or sends no `hello` in time, or when the signal aborts.
	 */
	async open(signal: AbortSignal): Promise<void> {
		const over = new AbortController();
		const late = delay(this.#parts.clock, greetingMs, AbortSignal.any([signal, over.signal])).then(() => {
			throw new ParleyError(
				`Slack did not send "hello" on a new socket within ${greetingMs / 1000} seconds`,
				{ code: "unavailable" },
			);
		});
		const ended = this.#leaving.promise.then(({ reason }) => {
			throw new ParleyError(`Slack did not send "hello" on a new socket: ${reason}`, { code: "unavailable" });
		});
		try {
			await Promise.race([this.#connect(), ended, late]);
		} catch (reason) {
			await this.close();
			throw reason;
		} finally {
			over.abort();
			// The abort rejects this promise after the race is decided.
			await late.catch(() => undefined);
		}
	}

	leave(reason: string): void {
		this.#leaving.resolve({ reason, isFinal: false });
	}

	/** Resolves when all deliveries on the line have ended, or when it is too late to acknowledge them. */
	async settled(): Promise<void> {
		const over = new AbortController();
		const late = delay(this.#parts.clock, acknowledgeMs, over.signal).catch(() => undefined);
		await Promise.race([Promise.all(this.#receiver), late]);
		over.abort();
	}

	/** Closes the socket. Waits at most `goodbyeMs` for Slack's closing handshake before it ends the connection. */
	async close(): Promise<void> {
		this.leave("the connector closed the socket");
		this.#isEnded = true;
		if (this.#socket === undefined) this.#closed.resolve();
		else this.#socket.close(normalClosure);
		const over = new AbortController();
		const late = delay(this.#parts.clock, goodbyeMs, over.signal).catch(() => undefined);
		await Promise.race([this.#closed.promise, late]);
		over.abort();
		this.#route.end();
		await this.#closed.promise;
	}

	async #connect(): Promise<void> {
		const address = await this.#parts.address();
		if (this.#isEnded)
			throw new ParleyError(
				"cannot open a socket to Slack: its address arrived after the connector closed the socket",
				{ code: "cancelled" },
			);
		const socket = new WebSocket(address, { dispatcher: this.#route.dispatcher });
		this.#socket = socket;
		// Pings use real time, even if a test controls the clock, because Slack also uses real time.
		const pings = new PingWatch(socket, systemClock, () => {
			this.leave("Slack does not answer pings");
			this.#route.end();
		});
		socket.addEventListener("open", () => pings.start());
		socket.addEventListener("message", ({ data }) => this.#received(data));
		socket.addEventListener("error", ({ error }) =>
			this.#parts.log.debug("a socket to Slack reported an error", { error }),
		);
		socket.addEventListener("close", () => {
			pings.stop();
			this.leave("the socket was closed");
			this.#closed.resolve();
		});
		await this.#greeted.promise;
	}

	#received(data: unknown): void {
		if (typeof data !== "string") return;
		try {
			this.#frame(readFrame(data));
		} catch (error) {
			const words = "Slack sent an undocumented frame";
			this.#parts.log.warn(words, { error, length: data.length });
		}
	}

	#frame(frame: Frame): void {
		if (frame.type === "hello") {
			this.#greeted.resolve();
			this.#parts.greeted(frame.num_connections);
		} else if (frame.type === "disconnect") {
			const { reason } = frame;
			this.#leaving.resolve({
				reason: `Slack is closing the socket: ${reason}`,
				isFinal: reason === "link_disabled",
			});
		} else this.#receive(frame);
	}

	#receive(envelope: EnvelopeFrame): void {
		const { receive, log } = this.#parts;
		const { envelope_id: id } = envelope;
		const received = receive(envelope, this).then(
			(reply) => {
				if (!this.#acknowledge(id, reply)) log.debug("the socket of an acknowledgement is closed", { id });
			},
			(error: unknown) =>
				log.warn("an event from Slack was not accepted, and Slack sends it again", { id, error }),
		);
		const running = received.finally(() => this.#receiver.delete(running));
		this.#receiver.add(running);
	}

	#acknowledge(envelope_id: string, payload: SlackReply): boolean {
		if (this.#socket?.readyState !== WebSocket.OPEN) return false;
		this.#socket.send(JSON.stringify(defined({ envelope_id, payload })));
		return true;
	}
}

/** Milliseconds between pings. */
const everyMs = 2500;
const maxUnanswered = 2;
/** Channel on which undici reports pongs: https://undici.nodejs.org/docs/api/DiagnosticsChannel#event-undiciwebsocketpong */
const pongs = channel("undici:websocket:pong");

/** Checks whether an open socket still reaches Slack, because a socket can stay open after a network failure. */
export class PingWatch {
	readonly #socket: WebSocket;
	readonly #clock: Clock;
	readonly #dead: () => void;
	#timer: Timer | undefined;
	#unanswered = 0;

	/** Calls `dead` once, 2.5 seconds after the second consecutive ping without a pong. */
	constructor(socket: WebSocket, clock: Clock, dead: () => void) {
		this.#socket = socket;
		this.#clock = clock;
		this.#dead = dead;
	}

	start(): void {
		pongs.subscribe(this.#pong);
		this.#wait();
	}

	stop(): void {
		pongs.unsubscribe(this.#pong);
		this.#timer?.cancel();
		this.#timer = undefined;
	}

	readonly #pong = (message: unknown): void => {
		// All sockets of the process share the diagnostics channel.
		if (Object(message).websocket === this.#socket) this.#unanswered = 0;
	};

	#wait(): void {
		this.#timer = this.#clock.after(everyMs, () => {
			if (this.#unanswered >= maxUnanswered) {
				this.stop();
				this.#dead();
				return;
			}
			this.#unanswered += 1;
			ping(this.#socket);
			this.#wait();
		});
	}
}

/**
 * Whether Node's `fetch` uses the proxies of the environment. For sockets, Node does not, but `SocketRoute` does.
 * https://nodejs.org/docs/latest-v24.x/api/cli.html#node_use_env_proxy1
 */
export function usesProxies(environment: Readonly<Record<string, string | undefined>>): boolean {
	return environment["NODE_USE_ENV_PROXY"] === "1";
}

/**
 * The connection of one socket: direct, or with `useProxies` through the proxies in HTTPS_PROXY and HTTP_PROXY,
 * except for hosts in NO_PROXY.
 */
export class SocketRoute {
	readonly #agent: Agent | EnvHttpProxyAgent;
	#stream: Duplex | undefined;
	/** Opens the socket's connection. */
	readonly dispatcher: Dispatcher;

	constructor(useProxies: boolean) {
		// With HTTP/2, sockets would share one connection, even through a proxy.
		this.#agent = useProxies ? new EnvHttpProxyAgent({ allowH2: false }) : new Agent({ allowH2: false });
		this.dispatcher = this.#agent.compose(
			(dispatch) => (options, handler) => dispatch(options, this.#storingStream(handler)),
		);
	}

	/** Ends the connection immediately, without waiting for Slack. A WebSocket has no method for an immediate end. */
	end(): void {
		this.#stream?.destroy();
		// A running request ends with an error, which the socket reports.
		void this.#agent.destroy();
	}

	#storingStream(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
		return {
			onRequestStart: (...given) => handler.onRequestStart?.(...given),
			onRequestUpgrade: (controller, status, headers, stream) => {
				this.#stream = stream;
				return handler.onRequestUpgrade?.(controller, status, headers, stream);
			},
			onResponseStart: (...given) => handler.onResponseStart?.(...given),
			onResponseData: (...given) => handler.onResponseData?.(...given),
			onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
			onResponseError: (...given) => handler.onResponseError?.(...given),
		};
	}
}

import { channel } from "node:diagnostics_channel";
import type { Clock, Timer } from "@parley/base";
import { ping, type WebSocket } from "undici";

/** How often a ping is sent. */
const everyMs = 2500;
/** After this many pings in a row without a pong the connection is dead. */
const mostUnanswered = 2;
/** undici publishes here when a pong arrives: https://undici.nodejs.org/docs/api/DiagnosticsChannel#event-undiciwebsocketpong */
const pongs = channel("undici:websocket:pong");

/** Finds out whether an open socket still reaches its other side: a lost network closes no connection. */
export class PingWatch {
	readonly #socket: WebSocket;
	readonly #clock: Clock;
	readonly #dead: () => void;
	#timer: Timer | undefined;
	#unanswered = 0;

	/** Calls `dead` once, if no pong answers within 7.5 seconds. */
	constructor(socket: WebSocket, clock: Clock, dead: () => void) {
		this.#socket = socket;
		this.#clock = clock;
		this.#dead = dead;
	}

	/** The socket is open. */
	start(): void {
		pongs.subscribe(this.#pong);
		this.#wait();
	}

	stop(): void {
		pongs.unsubscribe(this.#pong);
		this.#timer?.cancel();
		this.#timer = undefined;
	}

	/** The channel is shared by all sockets of the process. */
	readonly #pong = (message: unknown): void => {
		if (Object(message).websocket === this.#socket) this.#unanswered = 0;
	};

	#wait(): void {
		this.#timer = this.#clock.after(everyMs, () => {
			if (this.#unanswered >= mostUnanswered) {
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

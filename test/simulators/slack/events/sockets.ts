import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Simulator } from "../platform/simulator.ts";
import { Socket } from "./socket.ts";

/** Maximum number of sockets per app: https://docs.slack.dev/apis/events-api/using-socket-mode#connections */
const maxSockets = 10;

/** Sockets of the app: https://docs.slack.dev/apis/events-api/using-socket-mode */
export class Sockets {
	greets = true;
	opened = 0;
	/** Largest number of open sockets so far (`maximum`), and smallest number after a close (`fewest`). */
	readonly range = { maximum: 0, fewest: Number.POSITIVE_INFINITY };
	readonly #simulator: Simulator;
	readonly #changed: () => void;
	readonly #server = new WebSocketServer({ noServer: true });
	/** Tickets in issued addresses. Each address is valid for one socket. */
	readonly #tickets = new Set<string>();
	readonly #open: Socket[] = [];
	readonly #sent = new Set<string>();

	constructor(simulator: Simulator, changed: () => void) {
		this.#simulator = simulator;
		this.#changed = changed;
	}

	/** Returns the open sockets that have sent `hello`, oldest first. */
	get open(): readonly Socket[] {
		return this.#open;
	}

	/** Returns an address for one socket: https://docs.slack.dev/reference/methods/apps.connections.open */
	address(host: string): string {
		const { ids, app } = this.#simulator.state;
		const ticket = ids.create("ticket");
		this.#tickets.add(ticket);
		return `ws://${host}/link/?ticket=${ticket}&app_id=${app.id}`;
	}

	/** Accepts a connection to an issued address. Responds with 404 to an unknown or used address. */
	upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
		const { searchParams } = new URL(request.url ?? "/", "ws://127.0.0.1");
		if (!this.#tickets.delete(searchParams.get("ticket") ?? "")) {
			stream.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
			return;
		}
		this.#server.handleUpgrade(request, stream, head, (webSocket) => this.#accept(webSocket));
	}

	switchOff(): void {
		for (const socket of [...this.#open]) socket.disconnects("link_disabled");
	}

	close(): void {
		for (const webSocket of this.#server.clients) webSocket.terminate();
		this.#server.close();
	}

	#accept(webSocket: WebSocket): void {
		webSocket.on("error", () => webSocket.terminate());
		const socket = new Socket({
			...{ webSocket, state: this.#simulator.state, sent: this.#sent },
			onClose: () => this.#leave(socket),
			onChange: () => this.#changed(),
		});
		this.opened += 1;
		if (this.#open.length >= maxSockets) socket.disconnects("too_many_websockets");
		else if (this.greets) this.#greet(socket);
		this.#changed();
	}

	#greet(socket: Socket): void {
		this.#open.push(socket);
		this.range.maximum = Math.max(this.range.maximum, this.#open.length);
		socket.joins(this.#simulator.delivery.attach(socket), this.#open.length);
	}

	#leave(socket: Socket): void {
		const index = this.#open.indexOf(socket);
		if (index >= 0) this.#open.splice(index, 1);
		this.range.fewest = Math.min(this.range.fewest, this.#open.length);
		this.#changed();
	}
}

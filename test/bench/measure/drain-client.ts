import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Marks } from "./marks.ts";

/**
 * A WebSocket client of minimal cost, because the benches measure the server. It completes the handshake, sends text,
 * and searches the received bytes for marks.
 */
export class DrainClient {
	readonly #socket: Socket;
	readonly #marks = new Marks();

	private constructor(socket: Socket) {
		this.#socket = socket;
		socket.on("data", (chunk) => this.#inspect(chunk));
		// Some benches kill the server.
		socket.on("error", () => undefined);
	}

	static async open(port: number, path: string, token?: string): Promise<DrainClient> {
		const socket = connect({ host: "127.0.0.1", port, noDelay: true });
		await once(socket, "connect");
		socket.write(
			`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
				(token === undefined ? "" : `Authorization: Bearer ${token}\r\n`) +
				"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
		);
		const [head] = await once(socket, "data");
		if (!String(head).startsWith("HTTP/1.1 101")) throw new Error(`no upgrade: ${head}`);
		return new DrainClient(socket);
	}

	send(text: string): void {
		const payload = Buffer.from(text);
		const head = payload.length < 126 ? Buffer.from([0x81, 0x80 | payload.length]) : longHead(payload.length);
		this.#socket.write(Buffer.concat([head, Buffer.alloc(4), payload]));
	}

	until(mark: string): Promise<void> {
		return this.#marks.until(mark);
	}

	async nextText(): Promise<string> {
		for (;;) {
			// A socket without a set encoding emits buffers.
			const [chunk]: Buffer[] = await once(this.#socket, "data");
			if (chunk && !chunk.equals(ping)) return String(chunk);
		}
	}

	sleep(): void {
		this.#socket.pause();
	}

	close(): void {
		this.#socket.destroy();
	}

	/**
	 * Answers a ping, and inspects the chunk for marks. Detects a ping by its two bytes, without parsing frames. An
	 * unnecessary pong does no harm.
	 */
	#inspect(chunk: Buffer): void {
		if (chunk.includes(ping)) this.#socket.write(pong);
		this.#marks.inspect(chunk);
	}
}

/** A ping without a payload: RFC 6455, section 5.5.2. */
const ping = Buffer.from([0x89, 0]);

/** A pong, masked with zeros like all frames of this client. */
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

function longHead(length: number): Buffer {
	const head = Buffer.from([0x81, 0x80 | 126, 0, 0]);
	head.writeUInt16BE(length, 2);
	return head;
}

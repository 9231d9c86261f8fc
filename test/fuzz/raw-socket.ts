import { connect, type Socket } from "node:net";
import { Watch } from "../watch.ts";

export class RawSocket {
	readonly #socket: Socket;
	readonly #watch = new Watch();
	#received: Buffer = Buffer.alloc(0);
	#isOver = false;

	private constructor(socket: Socket) {
		this.#socket = socket;
		socket.on("data", (chunk) => {
			this.#received = Buffer.concat([this.#received, chunk]);
			this.#watch.notify();
		});
		socket.on("error", () => undefined);
		for (const event of ["end", "close"]) {
			socket.on(event, () => {
				this.#isOver = true;
				this.#watch.notify();
			});
		}
	}

	static async open(port: number): Promise<RawSocket> {
		const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
		const raw = new RawSocket(socket);
		let isOpen = false;
		socket.on("connect", () => {
			isOpen = true;
			raw.#watch.notify();
		});
		await raw.#watch.until("the port is reached", () => isOpen || raw.#isOver);
		return raw;
	}

	get received(): Buffer {
		return this.#received;
	}

	write(bytes: Buffer): void {
		this.#socket.write(bytes);
	}

	end(): void {
		this.#socket.end();
	}

	async over(): Promise<void> {
		await this.#watch.until("the gateway ends the connection", () => this.#isOver);
	}

	async until(condition: string, isTrue: () => boolean): Promise<void> {
		await this.#watch.until(condition, () => isTrue() || this.#isOver);
	}

	destroy(): void {
		this.#socket.destroy();
	}
}

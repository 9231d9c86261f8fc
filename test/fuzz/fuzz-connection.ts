import type { EventFrame, ResponseFrame } from "@parley/protocol";
import WebSocket from "ws";
import { Watch } from "../watch.ts";

/** Transport of a text: one text message, a text message in two fragments, or one binary message. */
export type Form = "single" | "fragments" | "binary";

/** A connection that sends any text and records all received frames in order. */
export class FuzzConnection {
	readonly answers: ResponseFrame[] = [];
	readonly events: EventFrame[] = [];
	readonly #socket: WebSocket;
	readonly #watch = new Watch();
	#ending = "";

	private constructor(socket: WebSocket) {
		this.#socket = socket;
		socket.on("message", (data) => this.#receive(String(data)));
		socket.on("close", (code, reason) => {
			this.#ending = `closed with ${code} ${reason}`;
			this.#watch.notify();
		});
		socket.on("error", () => undefined);
	}

	static async open(url: string): Promise<FuzzConnection> {
		const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
		const connection = new FuzzConnection(socket);
		const opened = (): boolean => socket.readyState === WebSocket.OPEN || connection.#ending !== "";
		socket.on("open", () => connection.#watch.notify());
		await connection.#watch.until("the connection is open", opened);
		if (connection.#ending !== "") throw new Error(`the connection was ${connection.#ending}`);
		return connection;
	}

	send(text: string, form: Form = "single"): void {
		const bytes = Buffer.from(text);
		const half = bytes.length >> 1;
		if (form === "fragments") this.#socket.send(bytes.subarray(0, half), { binary: false, fin: false });
		const rest = form === "fragments" ? bytes.subarray(half) : bytes;
		this.#socket.send(rest, { binary: form === "binary", fin: true });
	}

	/** Sends a request. Resolves with the payload of the response, or rejects with the error of the response. */
	async request(method: string, params: object, sessionId?: string): Promise<unknown> {
		const id = `ask-${this.answers.length}`;
		this.send(JSON.stringify({ type: "req", id, method, params, session_id: sessionId }));
		await this.until(`${method} is answered`, () => this.answers.some((answer) => answer.id === id));
		const answer = this.answers.find((known) => known.id === id);
		if (answer?.ok) return answer.payload;
		throw new Error(`${method}: ${answer?.error}`);
	}

	/** Resolves when the condition is true. Rejects if the connection ends while the condition is false. */
	async until(condition: string, isTrue: () => boolean): Promise<void> {
		await this.#watch.until(condition, () => isTrue() || this.#ending !== "");
		if (!isTrue()) throw new Error(`the connection was ${this.#ending} before ${condition}`);
	}

	async close(): Promise<void> {
		this.#socket.close();
		await this.#watch.until("the connection is closed", () => this.#ending !== "");
	}

	#receive(text: string): void {
		// The cast is safe because the gateway sends only these types of frames. The tests check each response.
		const frame = JSON.parse(text) as EventFrame | ResponseFrame;
		if (frame.type === "res") this.answers.push(frame);
		else this.events.push(frame);
		this.#watch.notify();
	}
}

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { parseJson } from "@parley/base";
import { type WebSocket, WebSocketServer } from "ws";
import { EventQueue } from "../client/event-queue.ts";
import { RequestFrame } from "../frame.ts";

/** Gateway's side of one connection, controlled by a test. */
export class Peer {
	readonly socket: WebSocket;
	readonly authorization: string | undefined;
	readonly #requests = new EventQueue<RequestFrame>(1_000);
	readonly #reader = this.#requests.read();
	readonly closed: Promise<number>;

	constructor(socket: WebSocket, authorization: string | undefined) {
		this.socket = socket;
		this.authorization = authorization;
		const closed = Promise.withResolvers<number>();
		this.closed = closed.promise;
		socket.on("message", (data) => this.#requests.push(RequestFrame.parse(parseJson(data.toString()))));
		socket.on("close", (code) => {
			this.#requests.end();
			closed.resolve(code);
		});
	}

	/**
	 * Resolves with the next request of the client. Rejects if the request calls another method, or if the connection
	 * ends before a request arrives.
	 */
	async request(method: string): Promise<RequestFrame> {
		const { value } = await this.#reader.next();
		if (value?.method !== method) throw new Error(`got ${value?.method ?? "the end"} instead of ${method}`);
		return value;
	}

	async answer(method: string, payload: unknown): Promise<RequestFrame> {
		const request = await this.request(method);
		this.send({ type: "res", id: request.id, ok: true, payload });
		return request;
	}

	async refuse(method: string, error: string): Promise<RequestFrame> {
		const request = await this.request(method);
		this.send({ type: "res", id: request.id, ok: false, error });
		return request;
	}

	opens(id: string, status: "created" | "resumed", lastSeq: number): Promise<RequestFrame> {
		return this.answer("open_session", { session_id: id, status, last_seq: lastSeq });
	}

	event(id: string, seq: number, event = "user.message", payload: object = messageOf(seq)): void {
		this.send({ type: "event", event, session_id: id, payload, seq });
	}

	transient(id: string, seq: number, payload: object): void {
		this.send({ type: "event", event: "assistant.stream", session_id: id, payload, seq, transient: true });
	}

	send(frame: object): void {
		this.socket.send(JSON.stringify(frame));
	}

	async cut(): Promise<void> {
		this.socket.terminate();
		await this.closed;
	}
}

function messageOf(seq: number): object {
	return { content: `message ${seq}`, run_id: `run_${seq}` };
}

/** Real WebSocket server on a free port of the loopback interface. The test sends each frame. */
export class ScriptedGateway {
	readonly #server: WebSocketServer;
	readonly #peers = new EventQueue<Peer>(100);
	readonly #reader = this.#peers.read();

	/** HTTP status of each handshake. 101 accepts clients. */
	status: number;

	private constructor(status: number, autoPong: boolean) {
		this.status = status;
		this.#server = new WebSocketServer({
			port: 0,
			host: "127.0.0.1",
			autoPong,
			verifyClient: (_info, decide) => decide(this.status === 101, this.status),
		});
		this.#server.on("connection", (socket, request) => {
			this.#peers.push(new Peer(socket, request.headers.authorization));
		});
	}

	static async listen(status = 101, autoPong = true): Promise<ScriptedGateway> {
		const gateway = new ScriptedGateway(status, autoPong);
		await once(gateway.#server, "listening");
		return gateway;
	}

	get url(): string {
		// The cast is safe because a server that listens on TCP has an address and a port.
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async connection(): Promise<Peer> {
		const { value } = await this.#reader.next();
		if (!value) throw new Error("the gateway was closed");
		return value;
	}

	async close(): Promise<void> {
		this.#peers.end();
		for (const socket of this.#server.clients) socket.terminate();
		await new Promise<void>((resolve) => {
			this.#server.close(() => resolve());
		});
	}
}

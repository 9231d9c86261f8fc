import { once } from "node:events";
import { parseJson } from "@parley/base";
import WebSocket, { type ClientOptions } from "ws";
import * as z from "zod";

const Payload = z.record(z.string(), z.unknown());

const ServerFrame = z.union([
	z.strictObject({ type: z.literal("res"), id: z.string(), ok: z.literal(true), payload: z.unknown() }),
	z.strictObject({
		type: z.literal("res"),
		id: z.exactOptional(z.string()),
		ok: z.literal(false),
		error: z.string().min(1),
	}),
	z.strictObject({
		type: z.literal("event"),
		event: z.string().min(1),
		session_id: z.string().min(1),
		payload: Payload,
		seq: z.int().min(0),
		transient: z.exactOptional(z.literal(true)),
	}),
]);
export type ServerFrame = z.infer<typeof ServerFrame>;
export type ResponseFrame = Extract<ServerFrame, { type: "res" }>;
export type EventFrame = Extract<ServerFrame, { type: "event" }>;

/** A client that can also send invalid frames. */
export class OzzieClient implements AsyncDisposable {
	readonly socket: WebSocket;
	readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
	readonly #frames: ServerFrame[] = [];
	#arrived = Promise.withResolvers<void>();
	#failure: Error | undefined;
	#requests = 0;

	private constructor(socket: WebSocket) {
		this.socket = socket;
		this.closed = new Promise((resolve) => {
			socket.on("close", (code, reason) => {
				this.#fail(new Error(`the connection was closed: ${code} ${reason.toString()}`));
				resolve({ code, reason: reason.toString() });
			});
		});
		socket.on("message", (data, isBinary) => this.#receive(data.toString(), isBinary));
		socket.on("error", (error) => this.#fail(error));
	}

	/**
	 * Connects to the gateway at this HTTP address, with `query` appended to the WebSocket URL. Rejects if the gateway
	 * refuses the connection.
	 */
	static async connect(
		url: string,
		options: ClientOptions = {},
		query = "",
		subprotocols: string[] = [],
	): Promise<OzzieClient> {
		const socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/ws${query}`, subprotocols, options);
		const client = new OzzieClient(socket);
		await once(socket, "open");
		return client;
	}

	send(frame: object | string | Buffer): void {
		this.socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
	}

	async next(): Promise<ServerFrame> {
		for (;;) {
			const frame = this.#frames.shift();
			if (frame) return frame;
			await this.#more();
		}
	}

	/**
	 * Resolves with the next event that has this name and these payload values. Skips other events. Rejects if a
	 * response arrives before that event.
	 */
	async event(name?: string, where: Readonly<Record<string, unknown>> = {}): Promise<EventFrame> {
		for (;;) {
			const frame = await this.next();
			if (frame.type !== "event")
				throw new Error(`a response to no pending request: ${JSON.stringify(frame)}`);
			if (name !== undefined && frame.event !== name) continue;
			if (Object.entries(where).every(([key, value]) => frame.payload[key] === value)) return frame;
		}
	}

	async request(method: string, params?: object, more: object = {}): Promise<ResponseFrame> {
		const id = `req-${++this.#requests}`;
		this.send({ type: "req", id, method, ...(params && { params }), ...more });
		return this.response(id);
	}

	/** Resolves with the response to this request. Other frames stay unread. */
	async response(id: string | undefined): Promise<ResponseFrame> {
		for (;;) {
			const index = this.#frames.findIndex((frame) => frame.type === "res" && frame.id === id);
			const [match] = index < 0 ? [] : this.#frames.splice(index, 1);
			if (match?.type === "res") return match;
			await this.#more();
		}
	}

	async call(method: string, params?: object, more: object = {}): Promise<Readonly<Record<string, unknown>>> {
		const response = await this.request(method, params, more);
		if (!response.ok) throw new Error(`${method} failed: ${response.error}`);
		return Payload.parse(response.payload);
	}

	async refusal(method: string, params?: object, more: object = {}): Promise<string> {
		const response = await this.request(method, params, more);
		if (response.ok) throw new Error(`${method} succeeded: ${JSON.stringify(response.payload)}`);
		return response.error;
	}

	async open(params: object = {}): Promise<string> {
		return String((await this.call("open_session", params))["session_id"]);
	}

	async upTo(seq: number): Promise<EventFrame[]> {
		const events = [await this.event()];
		while (events.at(-1)?.transient || events.at(-1)?.seq !== seq) events.push(await this.event());
		return events;
	}

	/**
	 * Returns all unread frames that arrived before the response to a new request. A replay may still send more frames.
	 */
	async arrived(): Promise<ServerFrame[]> {
		await this.call("list_sessions", { limit: 1 });
		return this.#frames.splice(0);
	}

	async leave(): Promise<void> {
		this.socket.close();
		await this.closed;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.socket.terminate();
		await this.closed;
	}

	async #more(): Promise<void> {
		if (this.#failure) throw this.#failure;
		await this.#arrived.promise;
	}

	#receive(text: string, isBinary: boolean): void {
		const frame = ServerFrame.safeParse(isBinary ? undefined : parseJson(text));
		if (!frame.success) {
			this.#fail(new Error(`no frame of the protocol: ${text.slice(0, 500)}`, { cause: frame.error }));
			return;
		}
		this.#frames.push(frame.data);
		this.#wake();
	}

	#fail(error: Error): void {
		this.#failure ??= error;
		this.#wake();
	}

	#wake(): void {
		this.#arrived.resolve();
		this.#arrived = Promise.withResolvers();
	}
}

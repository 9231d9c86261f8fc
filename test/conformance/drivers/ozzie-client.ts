import { once } from "node:events";
import { parseJson } from "@parley/base";
import WebSocket, { type ClientOptions } from "ws";
import * as z from "zod";

const Payload = z.record(z.string(), z.unknown());

/** Exact form of the gateway's frames. A frame with other keys makes the reader fail. */
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

/** A test connection that sends any data, and reads frames in their order of arrival. */
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

	/** Connects to the gateway at this HTTP address with `query`. Rejects if the gateway refuses the connection. */
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
	 * The next event. With a name and values, the next event with this name and these payload values. Skips earlier
	 * events.
	 */
	async event(name?: string, where: Readonly<Record<string, unknown>> = {}): Promise<EventFrame> {
		for (;;) {
			const frame = await this.next();
			if (frame.type !== "event")
				throw new Error(`a response that nobody waits for: ${JSON.stringify(frame)}`);
			if (name !== undefined && frame.event !== name) continue;
			if (Object.entries(where).every(([key, value]) => frame.payload[key] === value)) return frame;
		}
	}

	async request(method: string, params?: object, more: object = {}): Promise<ResponseFrame> {
		const id = `req-${++this.#requests}`;
		this.send({ type: "req", id, method, ...(params && { params }), ...more });
		return this.response(id);
	}

	/** Response with this id. Earlier frames stay unread. */
	async response(id: string | undefined): Promise<ResponseFrame> {
		for (;;) {
			const index = this.#frames.findIndex((frame) => frame.type === "res" && frame.id === id);
			const [found] = index < 0 ? [] : this.#frames.splice(index, 1);
			if (found?.type === "res") return found;
			await this.#more();
		}
	}

	/** Sends a request that must succeed and returns the payload of its response. */
	async call(method: string, params?: object, more: object = {}): Promise<Readonly<Record<string, unknown>>> {
		const response = await this.request(method, params, more);
		if (!response.ok) throw new Error(`${method} failed: ${response.error}`);
		return Payload.parse(response.payload);
	}

	/** Sends a request that must fail and returns its error. */
	async refusal(method: string, params?: object, more: object = {}): Promise<string> {
		const response = await this.request(method, params, more);
		if (response.ok) throw new Error(`${method} succeeded: ${JSON.stringify(response.payload)}`);
		return response.error;
	}

	async open(params: object = {}): Promise<string> {
		return String((await this.call("open_session", params))["session_id"]);
	}

	/** All events up to the persisted event with this number. */
	async upTo(seq: number): Promise<EventFrame[]> {
		const events = [await this.event()];
		while (events.at(-1)?.transient || events.at(-1)?.seq !== seq) events.push(await this.event());
		return events;
	}

	/** All unread frames so far. A replay may continue after them. */
	async arrived(): Promise<ServerFrame[]> {
		await this.call("list_sessions", { limit: 1 });
		return this.#frames.splice(0);
	}

	/** Sends a close frame and waits until the gateway closes as well. */
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

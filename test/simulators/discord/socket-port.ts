import { ParleyError, parseJson, systemClock, type Timer } from "@parley/base";
import type { DiscordLink, DiscordPort, DiscordRequest, DiscordResponse } from "@parley/discord";
import { WebSocket } from "ws";
import type { SessionStore } from "./in-process.ts";

interface SocketOptions {
	/** Address with the API version: `http://127.0.0.1:1234/api/v10`. */
	readonly apiUrl: string;
	readonly token: string;
	readonly intents: number;
	readonly sessions?: SessionStore;
	readonly reconnectMs?: number;
}

type Handlers = Parameters<DiscordPort["connect"]>[0];

const final = new Set([4004, 4010, 4011, 4012, 4013, 4014]);

/** A minimal client of Discord's gateway and REST API that tests the server. Parley itself uses the real client. */
export class SocketPort implements DiscordPort {
	readonly #options: SocketOptions;
	readonly #sessions: SessionStore;
	#socket: WebSocket | undefined;
	#timer: Timer | undefined;
	#closed = false;

	constructor(options: SocketOptions) {
		this.#options = options;
		this.#sessions = options.sessions ?? {};
	}

	async request(request: DiscordRequest): Promise<DiscordResponse> {
		const { method, path, query = {}, body, files, authorized } = request;
		const url = `${this.#options.apiUrl}${path}?${new URLSearchParams(query)}`;
		const headers = new Headers();
		if (authorized !== false) headers.set("authorization", `Bot ${this.#options.token}`);
		if (body !== undefined && !files?.length) headers.set("content-type", "application/json");
		const init: RequestInit = { method, headers, ...(body !== undefined && { body: encode(body, files) }) };
		const response = await fetch(url, init).catch((cause: unknown) => {
			throw new ParleyError("the connection ended without an answer", { code: "unavailable", cause });
		});
		const text = await response.text();
		return {
			status: response.status,
			headers: Object.fromEntries(response.headers),
			body: text === "" ? null : parseJson(text),
		};
	}

	async download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array> {
		const response = await fetch(url, { signal });
		if (!response.ok)
			throw new ParleyError(`the file is not there: ${response.status}`, { code: "not_found" });
		const bytes = await response.bytes();
		if (bytes.byteLength > maximum) {
			throw new ParleyError(`the file is larger than ${maximum} bytes`, { code: "resource_exhausted" });
		}
		return bytes;
	}

	async connect(handlers: Handlers): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const link = (state: DiscordLink): void => {
			handlers.link(state);
			resolve();
		};
		const { body } = await this.request({ method: "GET", path: "/gateway/bot" });
		this.#open(Object(body).url ?? this.#options.apiUrl.replace("http", "ws"), { ...handlers, link });
		await promise;
	}

	present(presence: unknown): void {
		this.#socket?.send(JSON.stringify({ op: 3, d: presence }));
	}

	async close(): Promise<void> {
		this.#closed = true;
		this.#timer?.cancel();
		const { promise, resolve } = Promise.withResolvers<void>();
		if (!this.#socket || this.#socket.readyState === WebSocket.CLOSED) return;
		this.#socket.once("close", () => resolve());
		this.#socket.close(4200);
		await promise;
	}

	#open(url: string, handlers: Handlers): void {
		const socket = new WebSocket(`${url}/?v=10&encoding=json`);
		this.#socket = socket;
		socket.on("message", (data) => this.#receive(socket, handlers, Object(parseJson(String(data)))));
		socket.on("error", () => socket.terminate());
		socket.on("close", (code, reason) => {
			const detail = `closed with ${code}: ${String(reason)}`;
			if (final.has(code)) handlers.link({ state: "refused", detail });
			else if (!this.#closed) this.#again(url, handlers, detail);
		});
	}

	#again(url: string, handlers: Handlers, detail: string): void {
		handlers.link({ state: "lost", detail });
		this.#timer = systemClock.after(this.#options.reconnectMs ?? 500, () => this.#open(url, handlers));
	}

	#receive(
		socket: WebSocket,
		handlers: Handlers,
		{ op, t, s, d }: { readonly op: number; readonly t: string; readonly s: number; readonly d: unknown },
	): void {
		const { token, intents } = this.#options;
		const { session } = this.#sessions;
		if (op === 10) {
			const properties = { os: "linux", browser: "parley", device: "parley" };
			const resume = session && { op: 6, d: { token, session_id: session.id, seq: session.seq } };
			socket.send(JSON.stringify(resume ?? { op: 2, d: { token, intents, properties } }));
		} else if (op === 7) socket.close(4200);
		else if (op === 9) {
			if (d !== true) delete this.#sessions.session;
			socket.close(4200);
		} else if (op === 0) this.#dispatch(handlers, { t, s, d });
	}

	#dispatch(
		handlers: Handlers,
		{ t, s, d }: { readonly t: string; readonly s: number; readonly d: unknown },
	): void {
		const { user, application, session_id: began } = Object(d);
		const ids = { user: user?.id ?? "", application: application?.id ?? "" };
		if (t === "READY") handlers.link({ state: "ready", ...ids, resumed: false });
		handlers.dispatch({ t, d });
		this.#sessions.session = { id: t === "READY" ? began : (this.#sessions.session?.id ?? ""), seq: s };
		if (t === "RESUMED") handlers.link({ state: "ready", ...ids, resumed: true });
	}
}

function encode(body: unknown, files: DiscordRequest["files"]): string | FormData {
	if (!files?.length) return JSON.stringify(body);
	const form = new FormData();
	form.set("payload_json", JSON.stringify(body));
	for (const [index, { name, bytes }] of files.entries()) {
		form.set(`files[${index}]`, new Blob([Uint8Array.from(bytes)]), name);
	}
	return form;
}

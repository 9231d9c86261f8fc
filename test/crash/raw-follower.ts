import { type Ids, parseJson } from "@parley/base";
import type { EventFrame, ResponseFrame } from "@parley/protocol";
import WebSocket from "ws";
import { Watch } from "../watch.ts";
import type { Follower, OnFrame } from "./follower.ts";
import type { Page, View } from "./outcome.ts";

interface Pending {
	readonly text: string;
	/** Whether the request is repeated on the next connection. */
	readonly lasting: boolean;
	readonly settle: (response: ResponseFrame) => void;
}

interface Joined {
	readonly session_id: string;
	readonly last_seq: number;
}

export interface RawFollowerOptions {
	readonly url: string;
	readonly ids: Ids;
	readonly onFrame?: OnFrame;
	readonly onChange?: () => void;
}

/** A client that shares no code with Parley's clients and records each persisted frame. */
export class RawFollower implements Follower {
	readonly name: string;
	readonly #url: string;
	readonly #ids: Ids;
	readonly #onFrame: OnFrame;
	readonly #onChange: () => void;
	readonly #views = new Map<string, View>();
	readonly #pending = new Map<string, Pending>();
	readonly #watch = new Watch();
	#socket: WebSocket | undefined;
	#disconnected: Promise<unknown> = Promise.resolve();
	#count = 0;

	constructor(name: string, { url, ids, onFrame, onChange }: RawFollowerOptions) {
		this.name = name;
		this.#url = url;
		this.#ids = ids;
		this.#onFrame = onFrame ?? (() => undefined);
		this.#onChange = onChange ?? (() => undefined);
	}

	get views(): readonly View[] {
		return [...this.#views.values()];
	}

	async open(session: string): Promise<void> {
		const view: View = { client: this.name, session, frames: [] };
		this.#views.set(session, view);
		const opened = await this.request("open_session", { session_id: session, after_seq: 0, join: true });
		// The cast is safe because the response to `open_session` has this type.
		await this.#catchUp([opened as Joined]);
	}

	async say(session: string, content: string): Promise<string> {
		const key = this.#ids.create("key");
		const payload = await this.request("send_message", { content, key }, { session, lasting: true });
		return runOf(payload);
	}

	/**
	 * Sends a message once, by default without an idempotency key, and returns the id of the message's run. If the
	 * connection is lost before the response, the promise never settles.
	 */
	async sendToOpened(session: string, content: string, key?: string): Promise<string> {
		return runOf(await this.request("send_message", { content, key }, { session }));
	}

	async untilAnswered(session: string): Promise<void> {
		const frames = this.#views.get(session)?.frames ?? [];
		// A new title of the session may follow the answer.
		const last = (): EventFrame | undefined => frames.findLast(({ event }) => event !== "session.renamed");
		await this.#watch.until("the run has ended", () => last()?.event === "assistant.message");
	}

	/** Returns all messages of a session, read in pages from the end. */
	async loadMessages(session: string): Promise<Page[]> {
		const all: Page[] = [];
		for (;;) {
			const before = all[0]?.seq;
			const page = await this.request("load_messages", { limit: 50, before }, { session });
			// The cast is safe because the response to `load_messages` has this type.
			const messages = page as readonly Page[];
			if (messages.length === 0) return all;
			all.unshift(...messages);
		}
	}

	async reconnect(): Promise<void> {
		const socket = new WebSocket(this.#url.replace("http:", "ws:").concat("/api/ws"));
		this.#socket = socket;
		this.#disconnected = new Promise((resolve) => socket.once("close", resolve)).then(() =>
			this.#watch.notify(),
		);
		// A `close` event follows each error.
		socket.on("error", () => undefined);
		socket.on("message", (data) => this.#receive(data.toString()));
		const opened = new Promise((resolve) => socket.once("open", resolve));
		await Promise.race([opened, this.#disconnected]);
		if (socket.readyState !== WebSocket.OPEN) return;
		const pendingRequests = [...this.#pending.values()];
		const sessions = this.views.map(({ session, frames }) => ({
			session_id: session,
			after_seq: frames.length,
		}));
		if (sessions.length > 0) await Promise.race([this.#resume(sessions), this.#disconnected]);
		for (const { text } of pendingRequests) socket.send(text);
	}

	async lost(): Promise<void> {
		await this.#disconnected;
		for (const [id, { lasting }] of this.#pending) if (!lasting) this.#pending.delete(id);
	}

	/** Closes the connection without a close frame. */
	async cut(): Promise<void> {
		this.#socket?.terminate();
		await this.lost();
	}

	async close(): Promise<void> {
		this.#socket?.close();
		await this.lost();
	}

	/**
	 * Sends a request. Resolves with the payload of the response, or rejects with the error of the response. If the
	 * connection is lost before the response, the promise never settles, unless `lasting` is set.
	 */
	request(
		method: string,
		params: object,
		{ session, lasting = false }: { readonly session?: string; readonly lasting?: boolean } = {},
	): Promise<unknown> {
		const id = `${this.name}-${++this.#count}`;
		const text = JSON.stringify({ type: "req", id, method, params, session_id: session });
		return new Promise((resolve, reject) => {
			const settle = (response: ResponseFrame): void => {
				if (response.ok) resolve(response.payload);
				else reject(new Error(`${method}: ${response.error}`));
			};
			this.#pending.set(id, { text, lasting, settle });
			if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
		});
	}

	async #resume(sessions: readonly object[]): Promise<void> {
		const resumed = await this.request("resume", { sessions });
		// The cast is safe because the response to `resume` has this type.
		await this.#catchUp((resumed as { readonly sessions: readonly Joined[] }).sessions);
	}

	/** Waits until the frames of all `joined` sessions are received, or the connection is lost. */
	async #catchUp(joined: readonly Joined[]): Promise<void> {
		const isHere = ({ session_id, last_seq }: Joined): boolean => {
			return (this.#views.get(session_id)?.frames.length ?? 0) >= last_seq;
		};
		await this.#watch.until(`${this.name} has caught up`, () => {
			return this.#socket?.readyState !== WebSocket.OPEN || joined.every(isHere);
		});
	}

	#receive(text: string): void {
		// The cast is safe because the gateway sends only these types of frames. An invalid frame makes a later check
		// fail.
		const frame = parseJson(text, { maxNodes: 1_000_000 }) as EventFrame | ResponseFrame;
		if (frame.type === "res") {
			const pending = this.#pending.get(frame.id ?? "");
			this.#pending.delete(frame.id ?? "");
			pending?.settle(frame);
			return;
		}
		if (!frame.transient) this.#views.get(frame.session_id ?? "")?.frames.push(frame);
		this.#onFrame(frame);
		this.#watch.notify();
		this.#onChange();
	}
}

function runOf(payload: unknown): string {
	// The cast is safe because the response to `send_message` has this type.
	return (payload as { readonly run_id: string }).run_id;
}

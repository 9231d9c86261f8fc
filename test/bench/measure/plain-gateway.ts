import { createIds, systemClock } from "@parley/base";
import { createClient } from "@parley/protocol";
import { WebSocket } from "ws";

/** Posts one reply. Each `text` is the complete reply so far. */
export interface ReplyWriter {
	start(text: string): Promise<void>;
	grow(text: string): Promise<void>;
	/** Posts the last text, with the buttons of an answer. Creates the post if `start` was not called. */
	end(text: string): Promise<void>;
}

export interface PlainMessage {
	readonly id: string;
	/** The text without the mention of the bot. */
	readonly text: string;
	/** Key of the session. */
	readonly session: string;
	readonly actor: { readonly id: string; readonly name: string };
	readonly place: { readonly tenant: string; readonly channel: string; readonly thread?: string };
	readonly writer: (run: string) => ReplyWriter;
}

/** Milliseconds before the first words of an answer, similar to the connector's time. */
const firstMs = 300;
/** Milliseconds between changes of an answer, similar to the connector's time. */
const changeMs = 1200;

class Growing {
	readonly #writer: ReplyWriter;
	#text = "";
	#isStarted = false;
	#writing: Promise<void> = Promise.resolve();
	#timer: NodeJS.Timeout | undefined;

	constructor(writer: ReplyWriter) {
		this.#writer = writer;
	}

	add(content: string): void {
		this.#text += content;
		this.#timer ??= setTimeout(() => void this.#show(), this.#isStarted ? changeMs : firstMs);
	}

	async #show(): Promise<void> {
		const text = this.#text;
		this.#writing = this.#isStarted ? this.#writer.grow(text) : this.#writer.start(text);
		this.#isStarted = true;
		await this.#writing;
		this.#timer = undefined;
	}

	async end(text: string): Promise<void> {
		clearTimeout(this.#timer);
		await this.#writing;
		await this.#writer.end(text);
	}
}

interface Frame {
	readonly event: string;
	readonly session_id: string;
	readonly payload: { readonly run_id: string; readonly correlation_id: string; readonly content: string };
}

class Replies {
	readonly #messages = new Map<string, PlainMessage>();
	readonly #runs = new Map<string, PlainMessage>();
	readonly #growing = new Map<string, Growing>();
	readonly #grows: boolean;

	constructor(grows: boolean) {
		this.#grows = grows;
	}

	await(message: PlainMessage): void {
		this.#messages.set(message.id, message);
	}

	receive({ event, session_id, payload }: Frame): void {
		if (event === "user.message") this.#begin(session_id, payload);
		else if (event === "assistant.message") this.#end(session_id, payload);
		else if (event === "assistant.stream" && payload.content !== "") {
			this.#growing.get(session_id)?.add(payload.content);
		}
	}

	#begin(session: string, { correlation_id: id, run_id: run }: Frame["payload"]): void {
		const message = this.#messages.get(id);
		this.#messages.delete(id);
		if (!message) return;
		this.#runs.set(run, message);
		if (this.#grows) this.#growing.set(session, new Growing(message.writer(run)));
	}

	#end(session: string, { run_id: run, content }: Frame["payload"]): void {
		const message = this.#runs.get(run);
		this.#runs.delete(run);
		const grown = this.#growing.get(session);
		if (grown) void grown.end(content);
		else if (message) void message.writer(run).end(content);
	}
}

/**
 * Connects a bot to a gateway. Returns a function that sends a message to the message's session. The bot reads every
 * frame, writes the replies and stores nothing. With `grows`, the bot shows a reply while the reply grows.
 */
export async function plainGateway(
	platform: string,
	{ url, grows }: { readonly url: string; readonly grows: boolean },
): Promise<(message: PlainMessage) => void> {
	const operator = createClient({ url, clock: systemClock, ids: createIds() });
	const { token } = await operator.request("create_token", { kind: "connector", name: platform, platform });
	await operator.close();
	const socket = new WebSocket(`${url.replace("http", "ws")}/api/ws`, {
		headers: { authorization: `Bearer ${token}` },
	});
	await new Promise((resolve, reject) => {
		socket.once("open", resolve);
		socket.once("error", reject);
	});
	let count = 0;
	const pending = new Map<string, (payload: { session_id: string }) => void>();
	const sessions = new Map<string, Promise<string>>();
	const replies = new Replies(grows);
	const request = (method: string, params: object, session_id?: string): string => {
		count += 1;
		const id = `req-${count}`;
		socket.send(JSON.stringify({ type: "req", id, method, params, session_id }));
		return id;
	};
	socket.on("message", (data) => {
		const frame = JSON.parse(String(data));
		if (frame.type === "res") {
			if (!frame.ok) throw new Error(frame.error);
			pending.get(frame.id)?.(frame.payload);
			pending.delete(frame.id);
		} else replies.receive(frame);
	});
	return (message) => {
		const { id, text, session: key, actor, place } = message;
		const behalf = { actor: { ...actor, roles: [], guest: false }, place: { ...place, shared: false } };
		const session =
			sessions.get(key) ??
			new Promise<string>((resolve) => {
				const openId = request("open_session", { external_key: key, after_seq: 0, join: true, ...behalf });
				pending.set(openId, ({ session_id }) => resolve(session_id));
			});
		sessions.set(key, session);
		replies.await(message);
		const sendParams = { content: text, correlation_id: id, key: id, ...behalf };
		void session.then((opened) => request("send_message", sendParams, opened));
	};
}

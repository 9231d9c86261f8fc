import { once } from "node:events";
import { parseJson } from "@parley/base";
import WebSocket from "ws";
import * as z from "zod";

/**
 * Maximum bytes of a message. By default, coder/websocket closes the connection on larger messages, and no Go
 * client of Ozzie changes the limit.
 */
const readLimit = 32_768;

/** Returns the headers that coder/websocket v1.8.14 sends after the `Host` header. */
function handshake(key: string): Readonly<Record<string, string>> {
	return {
		"User-Agent": "Go-http-client/1.1",
		Connection: "Upgrade",
		"Sec-Websocket-Key": key,
		"Sec-Websocket-Version": "13",
		Upgrade: "websocket",
		"Accept-Encoding": "gzip",
	};
}

function field<Schema extends z.ZodType>(schema: Schema, zero: z.output<Schema>) {
	// Go decodes `null` and missing fields as the zero value.
	return schema.nullish().transform((value) => value ?? zero);
}

const text = field(z.string(), "");
const truth = field(z.boolean(), false);
const count = field(z.int(), 0);
const object = field(z.record(z.string(), z.unknown()), {});

const Frame = z.object({
	...{ type: text, id: text, error: text, event: text, session_id: text },
	/** A pointer in Go: only an explicit false means a failure. */
	ok: z.boolean().nullish(),
	payload: z.unknown().optional(),
});

/** The outer payload of an event, which contains the inner payload. */
const Event = z.object({
	...{ id: text, session_id: text, type: text, source: text },
	// Go's time.Time accepts only RFC 3339.
	timestamp: z.iso.datetime({ offset: true }),
	payload: object,
});

const option = z.object({ value: text, label: text, description: text, disabled: truth });

/** Inner payloads by event, with the field types of the Go structs. */
const payloads = {
	"assistant.stream": z.object({ phase: text, content: text, index: count }),
	"assistant.message": z.object({ content: text, error: text, context: object }),
	"tool.call": z.object({ status: text, name: text, arguments: object, result: text, error: text }),
	"prompt.request": z.object({
		...{ type: text, label: text, required: truth, validation: text, placeholder: text, token: text },
		...{ options: field(z.array(option), []), default: z.unknown(), context: object },
	}),
	"internal.llm.call": z.object({
		...{ phase: text, model: text, provider: text, error: text },
		...{ message_count: count, tokens_input: count, tokens_output: count, duration: count },
	}),
	"user.message": z.object({ content: text }),
	"prompt.response": z.object({ cancelled: truth, token: text }),
	"session.created": z.object({ session_id: text }),
};
export type GoPayloads = { readonly [Name in keyof typeof payloads]: z.output<(typeof payloads)[Name]> };

export interface GoEvent {
	readonly event: string;
	readonly sessionId: string;
	readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * A test client that behaves like the existing Go clients. It accepts messages of at most 32 KiB, and treats the
 * next message as the response to its request. It reads only the inner payload of an event.
 */
export class GoClient implements AsyncDisposable {
	readonly #socket: WebSocket;
	readonly #messages: string[] = [];
	#more = Promise.withResolvers<void>();
	#closed: Error | undefined;
	#requests = 0;
	/** The largest message so far, in bytes. */
	largest = 0;

	private constructor(socket: WebSocket) {
		this.#socket = socket;
		socket.on("message", (data) => {
			this.#messages.push(data.toString());
			this.largest = Math.max(this.largest, Buffer.byteLength(data.toString()));
			this.#more.resolve();
		});
		socket.on("error", (error) => this.#end(error));
		socket.on("close", (code) => this.#end(new Error(`the connection was closed: ${code}`)));
	}

	/** Connects with the handshake of coder/websocket: the header order and spelling of Go's net/http. */
	static async dial(url: string, more: Readonly<Record<string, string>> = {}): Promise<GoClient> {
		const socket = new WebSocket(url.replace(/^http/, "ws"), {
			maxPayload: readLimit,
			perMessageDeflate: false,
			finishRequest: (request) => {
				const key = String(request.getHeader("sec-websocket-key"));
				for (const name of request.getHeaderNames()) if (name !== "host") request.removeHeader(name);
				for (const [name, value] of Object.entries({ ...handshake(key), ...more }))
					request.setHeader(name, value);
				request.end();
			},
		});
		const client = new GoClient(socket);
		await once(socket, "open");
		return client;
	}

	/**
	 * Sends a request, and returns the payload of the response. Treats the next message, even an event, as the
	 * response.
	 */
	async call(method: string, params?: object): Promise<unknown> {
		this.fire(method, params);
		const frame = await this.#read();
		if (frame.ok === false) throw new Error(frame.error);
		return frame.payload;
	}

	/** Sends a request without waiting. `event` later skips its response. */
	fire(method: string, params?: object): void {
		const id = `req-${++this.#requests}`;
		this.#socket.send(JSON.stringify({ type: "req", id, method, ...(params && { params }) }));
	}

	/** Returns the next event. Skips events whose envelope cannot be decoded. */
	async event(): Promise<GoEvent> {
		for (;;) {
			const frame = await this.#read();
			if (frame.event === "") continue;
			const decoded = Event.safeParse(frame.payload);
			if (decoded.success) {
				return { event: frame.event, sessionId: frame.session_id, payload: decoded.data.payload };
			}
		}
	}

	/** Returns the payload of the next event `name`. Throws if the payload does not fit the Go struct. */
	async next<Name extends keyof GoPayloads>(name: Name): Promise<GoPayloads[Name]> {
		for (;;) {
			const { event, payload } = await this.event();
			if (event !== name) continue;
			// The cast is safe because the schema of this event has decoded the payload.
			return payloads[name].parse(payload) as GoPayloads[Name];
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#closed) return;
		this.#socket.terminate();
		await once(this.#socket, "close");
	}

	async #read(): Promise<z.output<typeof Frame>> {
		for (;;) {
			const message = this.#messages.shift();
			if (message !== undefined) return Frame.parse(parseJson(message));
			if (this.#closed) throw this.#closed;
			this.#more = Promise.withResolvers();
			await this.#more.promise;
		}
	}

	#end(error: Error): void {
		this.#closed ??= error;
		this.#more.resolve();
	}
}

export interface Probe {
	readonly printed: string;
	readonly error: string;
	readonly prompts: readonly string[];
	/** Status of each `tool.call` event, followed by its error if there is one. */
	readonly calls: readonly string[];
}

export type GoAnswer = (prompt: GoPayloads["prompt.request"]) => object;

/** Answers like the older `ask`: confirms or cancels every prompt, without a value. */
export function valueless(yes: boolean): GoAnswer {
	return () => ({ cancelled: !yes });
}

/**
 * Answers like the newer `ask` and the TUI: sends `value` for a `select` prompt, and confirms any other prompt
 * without a value.
 */
export function choosing(value: string): GoAnswer {
	return ({ type }) => (type === "select" ? { value } : { cancelled: false });
}

/**
 * Simulates the command `ask` after `open_session`. `printed` is the streamed text, or the final message if nothing
 * was streamed.
 */
export async function ask(client: GoClient, content: string, answer: GoAnswer): Promise<Probe> {
	let [printed, streaming] = ["", false];
	const prompts: string[] = [];
	const calls: string[] = [];
	client.fire("send_message", { content });
	for (;;) {
		const { event, payload } = await client.event();
		if (event === "assistant.message") {
			const message = payloads[event].parse(payload);
			return { printed: streaming ? printed : message.content, error: message.error, prompts, calls };
		}
		if (event === "assistant.stream") {
			streaming = true;
			printed += textOf(payloads[event].parse(payload));
		} else if (event === "tool.call") calls.push(outcomeOf(payloads[event].parse(payload)));
		else if (event === "prompt.request") {
			const prompt = payloads[event].parse(payload);
			prompts.push(prompt.label);
			client.fire("prompt_response", { token: prompt.token, ...answer(prompt) });
		}
	}
}

function textOf({ phase, content }: GoPayloads["assistant.stream"]): string {
	return phase === "end" ? "\n" : content;
}

function outcomeOf({ status, error }: GoPayloads["tool.call"]): string {
	return error === "" ? status : `${status}: ${error}`;
}

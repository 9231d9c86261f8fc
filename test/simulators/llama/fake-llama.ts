import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { wordsAndSigns } from "../anthropic/tokenizer.ts";

/** Response while the model is loading: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
const loadingBody = { error: { code: 503, message: "Loading model", type: "unavailable_error" } };

export interface FakeLlamaOptions {
	readonly host: string;
	readonly port: number;
	/** Name of the model, as in `--alias`. */
	readonly alias: string;
	/** Size of the context window in tokens, as in `--ctx-size`. */
	readonly contextSize: number;
	/** Whether the model is loading until a test requests `/fake/loaded`. */
	readonly delaysLoading: boolean;
	/** Whether this is the server's first start. If so, `crash:` in a streamed prompt causes exit code 134. */
	readonly isFirst: boolean;
	readonly exit: (code: number) => void;
}

interface Received {
	readonly path: string;
	readonly authorization: string | undefined;
	readonly body: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Simulator of llama-server (llama.cpp) with the response shapes of its README. Each reply is `You said: ` and
 * the last message. Tests control it with requests:
 * - `/fake/loaded` ends the loading.
 * - `/fake/mute` stops the responses to `/tokenize` and `/health`.
 * - `/fake/requests` returns the received requests.
 */
export class FakeLlama {
	readonly #options: FakeLlamaOptions;
	readonly #server: Server;
	readonly #received: Received[] = [];
	#isLoading: boolean;
	#isMute = false;

	private constructor(options: FakeLlamaOptions) {
		this.#options = options;
		this.#isLoading = options.delaysLoading;
		this.#server = createServer((request, response) => void this.#serve(request, response));
	}

	static async start(options: FakeLlamaOptions): Promise<FakeLlama> {
		const fake = new FakeLlama(options);
		fake.#server.listen(options.port, options.host);
		await once(fake.#server, "listening");
		return fake;
	}

	async close(): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, "close");
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { url: path = "", method } = request;
		const sent = await text(request);
		const body: Fields = sent === "" ? {} : Object(JSON.parse(sent));
		if (path.startsWith("/fake/")) {
			this.#steer(path.slice("/fake/".length), response);
			return;
		}
		this.#received.push({ path, authorization: request.headers.authorization, body });
		if (this.#isMute && ["/tokenize", "/health"].includes(path)) return;
		if (this.#isLoading && path !== "/v1/models") answer(response, 503, loadingBody);
		else this.#answer(`${method} ${path}`, response, body);
	}

	#answer(route: string, response: ServerResponse, body: Fields): ServerResponse {
		switch (route) {
			case "GET /health":
				return answer(response, 200, { status: "ok" });
			case "GET /props":
				return answer(response, 200, {
					default_generation_settings: { id: 0, n_ctx: this.#options.contextSize, is_processing: false },
					...{ total_slots: 1, model_path: "model.gguf", modalities: { vision: false }, is_sleeping: false },
				});
			case "GET /v1/models":
				return answer(response, 200, {
					object: "list",
					data: [{ id: this.#options.alias, object: "model", created: 0, owned_by: "llamacpp" }],
				});
			case "POST /tokenize":
				return tokenize(response, body);
			case "POST /v1/messages":
				return this.#message(response, body);
			default:
				return answer(response, 404, {
					error: { code: 404, message: "File Not Found", type: "not_found_error" },
				});
		}
	}

	#steer(what: string, response: ServerResponse): void {
		if (what === "loaded") this.#isLoading = false;
		if (what === "mute") this.#isMute = true;
		answer(response, 200, what === "requests" ? this.#received : {});
	}

	#message(response: ServerResponse, body: Fields): ServerResponse {
		if (!Array.isArray(body["messages"]) || typeof body["model"] !== "string") {
			const error = { type: "invalid_request_error", message: "'messages' and 'model' are required" };
			return answer(response, 400, { type: "error", error });
		}
		const prompt = lastText(body["messages"]);
		const reply = `You said: ${prompt}`;
		const usage = { input_tokens: wordsAndSigns(JSON.stringify(body)), output_tokens: wordsAndSigns(reply) };
		const head = { id: "chatcmpl-fake", type: "message", role: "assistant", model: body["model"] };
		const end = { stop_reason: "end_turn", stop_sequence: null };
		if (body["stream"] !== true) {
			return answer(response, 200, { ...head, content: [{ type: "text", text: reply }], ...end, usage });
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		const send = (type: string, more: object): void => {
			response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
		};
		const empty = { content: [], stop_reason: null, stop_sequence: null };
		send("message_start", { message: { ...head, ...empty, usage: { ...usage, output_tokens: 0 } } });
		send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
		for (const piece of reply.match(/\S+\s*/g) ?? []) {
			send("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } });
		}
		if (prompt.includes("crash:") && this.#options.isFirst) this.#options.exit(134);
		send("content_block_stop", { index: 0 });
		send("message_delta", { delta: end, usage: { output_tokens: usage.output_tokens } });
		send("message_stop", {});
		return response.end();
	}
}

function tokenize(response: ServerResponse, { content, with_pieces: pieces }: Fields): ServerResponse {
	if (typeof content !== "string") {
		const error = { code: 400, message: "'content' is required", type: "invalid_request_error" };
		return answer(response, 400, { error });
	}
	const ids = Array.from({ length: wordsAndSigns(content) }, (_, id) => id);
	const tokens = pieces === true ? ids.map((id) => ({ id, piece: "?" })) : ids;
	return answer(response, 200, { tokens });
}

function answer(response: ServerResponse, status: number, body: unknown): ServerResponse {
	response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
	return response.end(JSON.stringify(body));
}

function lastText(messages: readonly unknown[]): string {
	const { content }: { content?: unknown } = Object(messages.at(-1));
	if (!Array.isArray(content)) return String(content);
	return content.map((block) => String(Object(block)["text"] ?? "")).join("\n");
}

import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { type Clock, systemClock } from "@parley/base";
import { Watch } from "../../watch.ts";
import { Bookkeeping } from "./bookkeeping.ts";
import { errorBody, playStatus, playStream, type Stage } from "./play-reply.ts";
import type { ReceivedRequest } from "./received-request.ts";
import type { Answer, StatusReply } from "./reply.ts";
import { RequestSchema } from "./request-schema.ts";
import { streamEvents } from "./stream-events.ts";
import { type Tokenizer, wordsAndSigns } from "./tokenizer.ts";

const API_VERSION = "2026-10-21";

export interface FakeAnthropicOptions {
	readonly apiKey?: string;
	/** Clock for waits between packets, for pings, and for the lifetime of prompt cache entries. */
	readonly clock?: Clock;
	readonly tokenizer?: Tokenizer;
	readonly contextWindow?: number;
	/** Request fields that this server accepts although the SDK's types do not contain them. */
	readonly furtherKeys?: readonly string[];
	/** Response to each valid `count_tokens` request, instead of the count. */
	readonly counting?: StatusReply;
	/** Model ids in the response to `/v1/models`. If undefined, the response is 404. */
	readonly models?: readonly string[];
}

/**
 * Simulator of the Messages API on a loopback port. It sends scripted replies, records message and count
 * requests, and refuses requests that break the service's rules. A refusal is a fault of Parley or of the
 * script, so `close` throws if a refusal has not been read.
 */
export class FakeAnthropic {
	readonly apiKey: string;
	readonly requests: ReceivedRequest[] = [];
	readonly counts: MessageCreateParamsStreaming[] = [];
	readonly #server: Server;
	readonly #books: Bookkeeping;
	readonly #clock: Clock;
	readonly #counting: StatusReply | undefined;
	readonly #models: readonly string[] | undefined;
	readonly #watch = new Watch();
	readonly #script: Answer[] = [];
	#otherwise: Answer | undefined;
	#violations: string[] = [];
	#served = 0;

	private constructor(options: FakeAnthropicOptions, schema: RequestSchema) {
		const { clock = systemClock } = options;
		this.#clock = clock;
		this.#counting = options.counting;
		this.#models = options.models;
		this.apiKey = options.apiKey ?? "sk-ant-api03-simulated-key-0123456789";
		this.#books = new Bookkeeping({
			schema,
			clock,
			tokenizer: options.tokenizer ?? wordsAndSigns,
			contextWindow: options.contextWindow ?? 1_000_000,
			furtherKeys: options.furtherKeys ?? [],
		});
		this.#server = createServer((request, response) => {
			this.#serve(request, response).catch((reason: unknown) => {
				this.#violations.push(`the simulator failed: ${reason instanceof Error ? reason.stack : reason}`);
				response.destroy();
			});
		});
	}

	static async start(options: FakeAnthropicOptions = {}): Promise<FakeAnthropic> {
		const fake = new FakeAnthropic(options, await RequestSchema.load());
		await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
		return fake;
	}

	get url(): string {
		// The cast is safe because the server listens on a TCP port.
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}

	script(...answers: readonly Answer[]): void {
		this.#script.push(...answers);
	}

	otherwise(answer: Answer): void {
		this.#otherwise = answer;
	}

	/** Waits for the message request with this number, starting at 1, and returns the request. */
	async received(number: number): Promise<ReceivedRequest> {
		await this.#watch.until(`request ${number} arrives`, () => this.requests.length >= number);
		const request = this.requests[number - 1];
		if (!request) throw new Error(`there is no request ${number}`);
		return request;
	}

	drainViolations(): string[] {
		const violations = this.#violations;
		this.#violations = [];
		return violations;
	}

	/** Stops the server. Throws if refusals or failures of the simulator have not been read with `drainViolations`. */
	async close(): Promise<void> {
		const closed = new Promise((resolve) => this.#server.close(resolve));
		this.#server.closeAllConnections();
		await closed;
		const violations = this.drainViolations();
		if (violations.length > 0) throw new Error(`refused by the simulator:\n${violations.join("\n")}`);
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { promise: abandoned, resolve } = Promise.withResolvers<boolean>();
		const abort = new AbortController();
		response.on("close", () => {
			abort.abort();
			resolve(!response.writableFinished);
		});
		this.#served += 1;
		const requestId = `req_${this.#served.toString().padStart(24, "0")}`;
		const stage: Stage = { response, requestId, clock: this.#clock, signal: abort.signal };
		const bytes = await buffer(request);
		const { method, url, headers } = request;
		if (method === "POST" && url === "/v1/messages") {
			const body = bodyOf(bytes);
			const promptTokens = 0;
			await this.#message(stage, { headers, bytes, body, promptTokens, usage: undefined, abandoned });
		} else if (method === "POST" && url === "/v1/messages/count_tokens") {
			this.#count(stage, headers, bodyOf(bytes));
		} else if (method === "GET" && url === "/v1/models") {
			const data = this.#models?.map((id) => ({ id, type: "model" }));
			playStatus(stage, data ? { status: 200, body: JSON.stringify({ data }) } : { status: 404 });
		} else this.#refuse(stage, 404, [`there is no ${method} ${url}`]);
	}

	#count(stage: Stage, headers: IncomingHttpHeaders, body: MessageCreateParamsStreaming): void {
		this.counts.push(body);
		if (this.#refused(stage, headers, this.#books.problems("count_tokens", body))) return;
		const count = JSON.stringify({ input_tokens: this.#books.promptTokens(body) });
		const counted = { status: 200, headers: { "content-type": "application/json" }, body: count };
		playStatus(stage, this.#counting ?? counted);
	}

	async #message(stage: Stage, received: ReceivedRequest): Promise<void> {
		const { body, headers } = received;
		this.requests.push(received);
		this.#watch.notify();
		if (this.#refused(stage, headers, this.#books.problems("messages", body))) return;
		received.promptTokens = this.#books.promptTokens(body);
		const answer = this.#script.shift() ?? this.#otherwise;
		if (answer === undefined) return this.#refuse(stage, 400, ["nothing is scripted for it"]);
		const reply = typeof answer === "function" ? await answer(received) : answer;
		if ("status" in reply) return playStatus(stage, reply);
		const usage = this.#books.enter(body, reply);
		received.usage = usage;
		const id = `msg_${stage.requestId.slice(4)}`;
		await playStream(stage, reply, streamEvents(reply, { id, model: body.model, usage }));
	}

	#refused(stage: Stage, headers: IncomingHttpHeaders, problems: readonly string[]): boolean {
		if (headers.authorization !== `Bearer ${this.apiKey}`) {
			this.#refuse(stage, 401, ["authorization: is not the key"]);
			return true;
		}
		const all = [...problems];
		if (headers["anthropic-version"] !== API_VERSION) all.push(`anthropic-version: must be ${API_VERSION}`);
		if (headers["content-type"] !== "application/json") all.push("content-type: must be application/json");
		if (all.length > 0) this.#refuse(stage, 400, all);
		return all.length > 0;
	}

	#refuse(stage: Stage, status: number, problems: readonly string[]): void {
		this.#violations.push(...problems.map((problem) => `request ${this.#served}: ${problem}`));
		playStatus(stage, { status, body: errorBody(status, problems.join("; "), stage.requestId) });
	}
}

/** Parses a body. Any body becomes an object, so that the schema check can report the faults. */
function bodyOf(bytes: Buffer): MessageCreateParamsStreaming {
	try {
		// The cast is safe because the schema is checked before any code relies on the type.
		return Object(JSON.parse(bytes.toString("utf8"))) as MessageCreateParamsStreaming;
	} catch {
		return Object({ unreadable: bytes.toString("latin1") });
	}
}

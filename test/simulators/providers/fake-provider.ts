import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Clock, systemClock } from "@parley/base";
import { Watch } from "../../watch.ts";
import { playStatus, playStream, type Stage } from "../anthropic/play-reply.ts";
import type {
	Counted,
	Fields,
	Issued,
	ProviderAnswer,
	ProviderReply,
	ProviderRequest,
	ProviderWire,
} from "./wire.ts";

export interface FakeProviderOptions {
	readonly apiKey?: string;
	/** Whether requests must not have a key. */
	readonly keyless?: boolean;
	readonly clock?: Clock;
	/** Model ids in the model list. If undefined, the response is 404. */
	readonly models?: readonly string[];
}

const CHARACTERS_PER_TOKEN = 4;

/**
 * Simulator of the API in `wire` on a loopback port. It sends scripted replies, records reply requests, and
 * refuses requests that break the rules of the API. A refusal is a fault of Parley or of the script, so `close`
 * throws if a refusal has not been read.
 */
export class FakeProvider implements AsyncDisposable {
	readonly wire: ProviderWire;
	readonly apiKey: string;
	readonly requests: ProviderRequest[] = [];
	readonly #options: FakeProviderOptions;
	readonly #server: Server;
	readonly #watch = new Watch();
	readonly #script: ProviderAnswer[] = [];
	readonly #issued: Issued = { seals: new Map() };
	#otherwise: ProviderAnswer | undefined;
	#violations: string[] = [];
	#served = 0;
	readonly #cached: string[] = [];

	private constructor(wire: ProviderWire, options: FakeProviderOptions) {
		this.wire = wire;
		this.#options = options;
		this.apiKey = options.apiKey ?? "sk-simulated-key-0123456789abcdef";
		this.#server = createServer((request, response) => {
			this.#serve(request, response).catch((reason: unknown) => {
				this.#violations.push(`the simulator failed: ${reason instanceof Error ? reason.stack : reason}`);
				response.destroy();
			});
		});
	}

	static async start(wire: ProviderWire, options: FakeProviderOptions = {}): Promise<FakeProvider> {
		const fake = new FakeProvider(wire, options);
		await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
		return fake;
	}

	get url(): string {
		// The cast is safe because the server listens on a TCP port.
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}${this.wire.base}`;
	}

	script(...answers: readonly ProviderAnswer[]): void {
		this.#script.push(...answers);
	}

	otherwise(answer: ProviderAnswer): void {
		this.#otherwise = answer;
	}

	/** Waits for the reply request with this number, starting at 1, and returns the request. */
	async received(number: number): Promise<ProviderRequest> {
		await this.#watch.until(`request ${number} arrives`, () => this.requests.length >= number);
		const request = this.requests[number - 1];
		if (!request) throw new Error(`there is no request ${number}`);
		return request;
	}

	takeViolations(): string[] {
		const violations = this.#violations;
		this.#violations = [];
		return violations;
	}

	/** Stops the server. Throws if refusals or failures of the simulator have not been read with `takeViolations`. */
	async close(): Promise<void> {
		const closed = new Promise((resolve) => this.#server.close(resolve));
		this.#server.closeAllConnections();
		await closed;
		const violations = this.takeViolations();
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
		const { form, base } = this.wire;
		const requestId = `req_${this.#served.toString().padStart(24, "0")}`;
		const clock = this.#options.clock ?? systemClock;
		const stage: Stage = { response, requestId, clock, signal: abort.signal, form };
		const bytes = await buffer(request);
		const { method, url = "", headers } = request;
		const body = bodyOf(bytes);
		if (method === "GET" && url?.split("?")[0] === `${base}/models`) return this.#list(stage);
		const model = method === "POST" ? this.wire.modelOf(url, body) : undefined;
		if (model === undefined) return this.#refuse(stage, 404, [`there is no ${method} ${url}`]);
		const received = { headers, url, bytes, body, abandoned, counted: undefined };
		await this.#reply(stage, received, model);
	}

	#list(stage: Stage): void {
		const { models } = this.#options;
		playStatus(
			stage,
			models ? { status: 200, body: JSON.stringify(this.wire.models(models)) } : { status: 404 },
		);
	}

	async #reply(stage: Stage, received: ProviderRequest, model: string): Promise<void> {
		this.requests.push(received);
		this.#watch.notify();
		const { body, headers } = received;
		const key = this.wire.keyOf(headers);
		if (key !== (this.#options.keyless ? undefined : this.apiKey))
			return this.#refuse(stage, 401, ["it is not the key"]);
		const problems = this.wire.problems(body, this.#issued);
		if (headers["content-type"] !== "application/json")
			problems.push("content-type: must be application/json");
		if (problems.length > 0) return this.#refuse(stage, 400, problems);
		const answer = this.#script.shift() ?? this.#otherwise;
		if (answer === undefined) return this.#refuse(stage, 400, ["nothing is scripted for it"]);
		const reply = typeof answer === "function" ? await answer(received) : answer;
		if ("status" in reply) return playStatus(stage, reply);
		const counted = this.#count(body, reply);
		received.counted = counted;
		const events = this.wire.events(reply, { id: `reply_${this.#served}`, model, counted }, this.#issued);
		const edited = reply.edit ? [...reply.edit(events)] : events;
		const { usage: _, ...streamed } = reply;
		await playStream(stage, streamed, edited);
	}

	/**
	 * Counts the tokens of a request and its reply. Cached tokens are the longest prefix shared with an earlier
	 * prompt.
	 */
	#count(body: Fields, { content }: ProviderReply): Counted {
		const prompt = JSON.stringify(this.wire.cachedPart(body));
		const shared = Math.max(0, ...this.#cached.map((before) => commonLength(before, prompt)));
		this.#cached.push(prompt);
		const reasoning = content.filter(({ type }) => type === "thinking");
		return {
			input: Math.ceil(prompt.length / CHARACTERS_PER_TOKEN),
			cached: Math.floor(shared / CHARACTERS_PER_TOKEN),
			output: Math.ceil(JSON.stringify(content).length / CHARACTERS_PER_TOKEN),
			reasoning:
				reasoning.length === 0 ? 0 : Math.ceil(JSON.stringify(reasoning).length / CHARACTERS_PER_TOKEN),
		};
	}

	#refuse(stage: Stage, status: number, problems: readonly string[]): void {
		this.#violations.push(...problems.map((problem) => `request ${this.#served}: ${problem}`));
		playStatus(stage, {
			status,
			body: this.wire.form.errorBody(status, problems.join("; "), stage.requestId),
		});
	}
}

function commonLength(one: string, other: string): number {
	let length = 0;
	while (length < one.length && one[length] === other[length]) length += 1;
	return length;
}

/** Parses a body. Any body becomes an object, so that the rules can report the faults. */
function bodyOf(bytes: Buffer): Fields {
	try {
		return Object(JSON.parse(bytes.toString("utf8")));
	} catch {
		return { unreadable: bytes.toString("latin1") };
	}
}

import { type Clock, defined, parseJson } from "@parley/base";
import * as z from "zod";
import { messageText } from "../../vocabulary/message.ts";
import type { Model, ModelEvent, ModelRequest, OnResponseStart } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { llamaTexts } from "./texts.ts";

/** Maximum milliseconds to count the tokens of one text. */
const COUNT_MS = 5_000;
const MAX_ANSWER = 16 << 20;
/** Maximum concurrent count requests. */
const PARALLEL = 4;
/** Approximate tokens that a chat template adds to the system prompt, each tool and each message. */
const FRAME_TOKENS = 8;

/** Response of POST /tokenize: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md */
const Tokens = z.object({ tokens: z.array(z.unknown()) });

export interface LlamaModelOptions {
	/** Address of the server without a trailing slash. */
	readonly endpoint: string;
	/** Key that is sent as a bearer token. */
	readonly apiKey: string | undefined;
	readonly clock: Clock;
	/**
	 * Resolves when the server answers requests. Rejects with a `ModelError` if the server does not start, or when the
	 * signal aborts.
	 */
	readonly ready: (signal: AbortSignal) => Promise<void>;
	/**
	 * Returns the context window that the server reported, in tokens. Returns undefined if the server has not reported a
	 * context window.
	 */
	readonly window: () => number | undefined;
	/** Reports each attempt to count tokens with `/tokenize`. `isCounted`: whether all texts were counted. */
	readonly counted: (isCounted: boolean) => void;
	readonly fetch?: typeof fetch;
}

/** Model that a llama-server provides through its Messages API. Also counts tokens with the server's tokenizer. */
export interface LlamaModel extends Model {
	countTexts(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
	settled(signal: AbortSignal): Promise<void>;
	windowOf(model: string): number | undefined;
}

/**
 * Adds features of llama-server to a model with the Messages API. `stream` waits until the server has loaded its model.
 * `countTokens` uses `/tokenize` if the server has no `count_tokens` endpoint.
 */
export function createLlamaModel(messages: Model, options: LlamaModelOptions): LlamaModel {
	return new ServedModel(messages, options);
}

class ServedModel implements LlamaModel {
	readonly provider: string;
	readonly defaultModel: string;
	readonly #messages: Model;
	readonly #options: LlamaModelOptions;

	constructor(messages: Model, options: LlamaModelOptions) {
		this.#messages = messages;
		this.#options = options;
		this.provider = messages.provider;
		this.defaultModel = messages.defaultModel;
	}

	async *stream(
		request: ModelRequest,
		signal: AbortSignal,
		answered?: OnResponseStart,
	): AsyncGenerator<ModelEvent> {
		await this.#options.ready(signal);
		yield* this.#messages.stream(request, signal, answered);
	}

	async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number | undefined> {
		const counted = await this.#messages.countTokens?.(request, signal);
		if (counted !== undefined) return counted;
		const texts = [
			request.system,
			...request.tools.map((tool) => JSON.stringify(tool)),
			...request.messages.map(messageText),
		];
		const tokens = await this.countTexts(request.model, [texts.join("\n")], signal);
		return (tokens[0] ?? 0) + FRAME_TOKENS * texts.length;
	}

	async countTexts(model: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
		const counts: number[] = [];
		let isCounted = false;
		try {
			for (let from = 0; from < texts.length; from += PARALLEL) {
				const part = texts.slice(from, from + PARALLEL);
				counts.push(...(await Promise.all(part.map((text) => this.#count(model, text, signal)))));
			}
			isCounted = true;
			return counts;
		} finally {
			this.#options.counted(isCounted);
		}
	}

	async settled(signal: AbortSignal): Promise<void> {
		// A failure is ignored here, because `stream` also waits for the server and reports the failure.
		await this.#options.ready(signal).catch(() => undefined);
	}

	windowOf(): number | undefined {
		return this.#options.window();
	}

	async #count(model: string, content: string, signal: AbortSignal): Promise<number> {
		const { endpoint, apiKey, clock, fetch: send = fetch } = this.#options;
		const url = `${endpoint}/tokenize`;
		const late = new AbortController();
		const timer = clock.after(COUNT_MS, () => late.abort());
		try {
			const response = await send(url, {
				method: "POST",
				headers: {
					"content-type": "application/json",
					...defined({ authorization: apiKey === undefined ? undefined : `Bearer ${apiKey}` }),
				},
				body: JSON.stringify({ model, content }),
				redirect: "error",
				signal: AbortSignal.any([signal, late.signal]),
			});
			if (!response.ok) throw noCount(`${url} answered ${response.status}`);
			const answer = Tokens.parse(parseJson(await readText(response), { maxNodes: MAX_ANSWER }));
			return answer.tokens.length;
		} catch (cause) {
			if (cause instanceof ModelError) throw cause;
			throw noCount(late.signal.aborted ? llamaTexts.countTimedOut(url) : llamaTexts.noCount(url), cause);
		} finally {
			timer.cancel();
		}
	}
}

async function readText(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > MAX_ANSWER) throw noCount(llamaTexts.tooLarge(response.url, MAX_ANSWER));
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function noCount(message: string, cause?: unknown): ModelError {
	return new ModelError(message, { fault: "unreachable", cause });
}

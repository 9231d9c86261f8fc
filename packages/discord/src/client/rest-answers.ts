import {
	DefaultRestOptions,
	RateLimitError,
	REST,
	RESTEvents,
	type RESTOptions,
	RequestMethod,
	type ResponseLike,
} from "@discordjs/rest";
import { defined, ParleyError, parseJson } from "@parley/base";
import { readBounded } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordRequest, DiscordResponse } from "../vocabulary/discord-port.ts";

/** Maximum time in milliseconds for a complete response. */
const timeoutMs = 15_000;

/** Maximum size of a response in bytes. A server's channels take about 1 MB. */
const maxBytes = 32 * 1024 * 1024;
const maxNodes = 2_000_000;

const decoder = new TextDecoder();

const methods = {
	GET: RequestMethod.Get,
	POST: RequestMethod.Post,
	PUT: RequestMethod.Put,
	PATCH: RequestMethod.Patch,
	DELETE: RequestMethod.Delete,
};

/**
 * Sends requests to Discord's REST API, each at most once. Resolves with any response, whatever the status of the
 * response. If the rate-limit bucket of a request is empty, the request is not sent, and gets status 429. Redirects
 * are not followed.
 */
export class RestAnswers {
	/** Client that has the bot's token. `WebSocketManager` uses the client to read the URL of Discord's gateway. */
	readonly rest: REST;
	readonly #authorization: string;
	/** Responses by signal: no other field that discord.js reports with a response identifies the request. */
	readonly #responses = new WeakMap<AbortSignal, ResponseLike>();

	constructor(token: string, apiUrl?: string, requestsPerSecond?: number) {
		const options: Partial<RESTOptions> = defined({
			version: "10",
			retries: 0,
			timeout: timeoutMs,
			// Requests of an empty bucket fail at once, because the outbox decides what to send next.
			rejectOnRateLimit: () => true,
			makeRequest,
			// If undefined, discord.js uses `https://discord.com/api`, and 50 requests per second as the bot's global
			// limit.
			api: apiUrl,
			globalRequestsPerSecond: requestsPerSecond,
		});
		this.#authorization = `Bot ${token}`;
		this.rest = new REST(options).setToken(token);
		// Errors of discord.js do not contain the response headers, but the `Response` event does.
		this.rest.on(RESTEvents.Response, ({ data: { signal } }, response) => {
			if (signal !== undefined) this.#responses.set(signal, response);
		});
	}

	/**
	 * Sends a request. Rejects with `unavailable` if there is no response, and with another code if the response
	 * cannot be read. In both cases, Discord may have executed the request.
	 */
	async request({ method, path, query, body, files, authorized }: DiscordRequest): Promise<DiscordResponse> {
		const { signal } = new AbortController();
		const request = defined({
			method: methods[method],
			fullRoute: `/${path.slice(1)}` as const,
			// After a 401, REST deletes its own token, and each later request would fail. A header in the request avoids this.
			auth: false,
			headers: authorized === false ? undefined : { Authorization: this.#authorization },
			query: query && new URLSearchParams(query),
			body,
			files: files?.map(({ name, bytes }) => ({ name, data: bytes })),
			signal,
		});
		const failure = await this.rest.queueRequest(request).then(
			() => undefined,
			(error: unknown) => error,
		);
		const response = this.#responses.get(signal);
		if (response !== undefined) return answerOf(response);
		if (failure instanceof RateLimitError) return asIfAnswered(failure);
		if (failure instanceof ParleyError) throw failure;
		throw new ParleyError(deliveryTexts.noAnswer({ method, path: withoutToken(path) }), {
			code: "unavailable",
			cause: failure,
		});
	}

	close(): void {
		this.rest.clearHashSweeper();
		this.rest.clearHandlerSweeper();
	}
}

/** Sends a request and reads the complete body of the response, so that the request's timeout applies to the body. */
async function makeRequest(...[url, init]: Parameters<RESTOptions["makeRequest"]>): Promise<ResponseLike> {
	const { status, statusText, headers, ok, body } = await DefaultRestOptions.makeRequest(url, init);
	const bytes = body === null ? Buffer.alloc(0) : await readBounded(body, maxBytes, "Discord's answer");
	const text = async (): Promise<string> => decoder.decode(bytes);
	// The result is not a `Response`, because discord.js would clone the stream of a `Response`, which is slow.
	return {
		status,
		statusText,
		headers,
		ok,
		text,
		body: null,
		bodyUsed: false,
		json: async () => parseJson(await text(), { maxNodes }),
		arrayBuffer: async () => new Uint8Array(bytes).buffer,
	};
}

async function answerOf(response: ResponseLike): Promise<DiscordResponse> {
	const { status, headers } = response;
	// A proxy in front of Discord may respond with HTML.
	const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
	const text = await response.text();
	const body = isJson && text !== "" ? parseJson(text, { maxNodes }) : null;
	return { status, headers: Object.fromEntries(headers), body };
}

/** Returns the response that Discord would send for an empty bucket. */
function asIfAnswered({ retryAfter, global, scope }: RateLimitError): DiscordResponse {
	const seconds = String(Math.max(0, retryAfter) / 1000);
	return {
		status: 429,
		headers: defined({
			"retry-after": seconds,
			"x-ratelimit-scope": global ? "global" : scope,
			"x-ratelimit-global": global ? "true" : undefined,
		}),
		body: { message: "You are being rate limited.", retry_after: Number(seconds), global },
	};
}

/** Returns a path without the secret token of an interaction or webhook. */
function withoutToken(path: string): string {
	return path.replace(/^(\/(?:webhooks|interactions)\/\d+)\/[^/?]+/, "$1/…");
}

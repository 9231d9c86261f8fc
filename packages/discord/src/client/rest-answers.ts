import { ParleyError, parseJson } from "@parley/base";
import { readBounded } from "@parley/connector";
import {
	DefaultRestOptions,
	RateLimitError,
	REST,
	type RESTOptions,
	RequestMethod,
	type ResponseLike,
} from "discord.js";
import type { DiscordRequest, DiscordResponse } from "../discord-port.ts";

/** How long an answer may take, its body included. */
const timeoutMs = 15_000;

/** The longest answer that is read: a server's channels, or a hundred messages, are about a megabyte. */
const mostBytes = 32 * 1024 * 1024;

const methods = {
	GET: RequestMethod.Get,
	POST: RequestMethod.Post,
	PUT: RequestMethod.Put,
	PATCH: RequestMethod.Patch,
	DELETE: RequestMethod.Delete,
};

/** What every REST of ours is told: one try, and who asked hears of an empty bucket instead of waiting in it. */
export function restOptions(apiUrl?: string, requestsPerSecond?: number): Partial<RESTOptions> {
	return {
		version: "10",
		retries: 0,
		timeout: timeoutMs,
		rejectOnRateLimit: () => true,
		...(apiUrl !== undefined && { api: apiUrl }),
		...(requestsPerSecond !== undefined && { globalRequestsPerSecond: requestsPerSecond }),
	};
}

/**
 * Asks Discord's REST API through discord.js, which adds the token, encodes files, and keeps requests out of buckets
 * that it knows to be empty. Each answer resolves, whatever it says.
 */
export class RestAnswers {
	readonly #rest: REST;

	constructor(token: string, apiUrl?: string, requestsPerSecond?: number) {
		this.#rest = new REST({ ...restOptions(apiUrl, requestsPerSecond), makeRequest }).setToken(token);
	}

	/** Rejects with `unavailable` where no answer came. */
	async request(request: DiscordRequest): Promise<DiscordResponse> {
		const { path, query, body, files, method, authorized } = request;
		try {
			const answer = await this.#rest.queueRequest({
				method: methods[method],
				fullRoute: `/${path.slice(1)}`,
				auth: authorized !== false,
				...(query !== undefined && { query: new URLSearchParams(query) }),
				...(body !== undefined && { body }),
				...(files !== undefined && { files: files.map(({ name, bytes }) => ({ name, data: bytes })) }),
			});
			if (answer instanceof Answer) return answer.response;
			throw new ParleyError("discord.js made an answer of its own", { code: "internal" });
		} catch (error) {
			if (error instanceof RateLimitError) return asIfAnswered(error);
			if (error instanceof ParleyError) throw error;
			throw new ParleyError(`Discord did not answer ${method} ${withoutToken(path)}`, {
				code: "unavailable",
				cause: error,
			});
		}
	}

	close(): void {
		this.#rest.clearHashSweeper();
		this.#rest.clearHandlerSweeper();
	}
}

/**
 * What discord.js gets for an answer: always a success. Of others it would make errors that lack the headers, forget the
 * token, and wait; what it learns of buckets stands in the headers, which are as they came.
 */
class Answer implements ResponseLike {
	readonly response: DiscordResponse;
	readonly headers: Headers;
	readonly status = 200;
	readonly statusText = "OK";
	readonly ok = true;
	readonly body = null;
	readonly bodyUsed = false;

	constructor(response: DiscordResponse, headers: Headers) {
		this.response = response;
		this.headers = headers;
	}

	async arrayBuffer(): Promise<ArrayBuffer> {
		return new ArrayBuffer(0);
	}

	async text(): Promise<string> {
		return "";
	}

	async json(): Promise<unknown> {
		return null;
	}
}

async function makeRequest(...[url, init]: Parameters<RESTOptions["makeRequest"]>): Promise<Answer> {
	const { status, headers, body } = await DefaultRestOptions.makeRequest(url, init);
	const text = body === null ? "" : (await readBounded(body, mostBytes, "Discord's answer")).toString("utf8");
	return new Answer({ status, headers: Object.fromEntries(headers), body: bodyOf(text, headers) }, headers);
}

function bodyOf(text: string, headers: Headers): unknown {
	// In front of Discord stand machines that answer in HTML.
	const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
	return isJson && text !== "" ? parseJson(text, { maxNodes: 2_000_000 }) : null;
}

/** A request that was kept back, because its bucket is empty, in the words that Discord would have used. */
function asIfAnswered({ retryAfter, global, scope }: RateLimitError): DiscordResponse {
	const seconds = String(Math.max(0, retryAfter) / 1000);
	return {
		status: 429,
		headers: {
			"retry-after": seconds,
			"x-ratelimit-scope": global ? "global" : scope,
			...(global && { "x-ratelimit-global": "true" }),
		},
		body: { message: "You are being rate limited.", retry_after: Number(seconds), global },
	};
}

/** Interactions and webhooks have their secret in the path. */
function withoutToken(path: string): string {
	return path.replace(/^(\/(?:webhooks|interactions)\/\d+)\/[^/?]+/, "$1/…");
}

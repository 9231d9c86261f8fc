import { type Clock, ParleyError } from "@parley/base";
import { collect } from "../../../sandbox/egress/collect.ts";
import {
	type FetchLike,
	type GuardedFetch,
	guardedFetch,
	refused,
} from "../../../sandbox/egress/guarded-fetch.ts";
import { within } from "../../../sandbox/egress/reach.ts";
import { mcpLoginTexts } from "./texts.ts";

/** Limits of everything that an authorization server sends. */
const maxBodyBytes = 256 * 1024;
const answerMs = 20_000;
/** Requests of one login or one refresh, with all redirects. */
const maxRequests = 30;

export interface AuthorizationReach {
	/** Address of the MCP server. */
	readonly url: string;
	/** Whether the server may have a private address. Other hosts may not, except for those in `privateHosts`. */
	readonly allowPrivate: boolean;
	readonly privateHosts: readonly string[];
}

/** A guarded fetch for one login or refresh, that records why it refused a request. */
export interface AuthorizationFetch extends GuardedFetch {
	/** First problem of a request. The library continues without the answer for some of them. */
	readonly problem: ParleyError | undefined;
}

/** A fetch for requests to authorization servers, whose addresses come from the MCP server. */
export async function authorizationFetch(
	{ url, allowPrivate, privateHosts }: AuthorizationReach,
	clock: Clock,
): Promise<AuthorizationFetch> {
	const own = allowPrivate ? [new URL(url).hostname] : [];
	const hosts = new Set([...own, ...privateHosts]);
	const guarded = await guardedFetch({ isPrivateAllowed: (host) => hosts.has(host) });
	let requests = 0;
	let problem: ParleyError | undefined;
	const never = new AbortController().signal;
	const send: FetchLike = async (given, init) => {
		const { host } = new URL(given);
		try {
			requests += 1;
			if (requests > maxRequests) throw refused(mcpLoginTexts.tooManyRequests(maxRequests));
			const limit = { ms: answerMs, what: mcpLoginTexts.answerOf(host), clock };
			return await within(limit, init?.signal ?? never, async (signal) => {
				const response = await guarded.fetch(given, { ...init, signal });
				return await readBounded(response, host);
			});
		} catch (reason) {
			problem ??= ParleyError.from(reason);
			throw reason;
		}
	};
	return {
		fetch: send,
		close: guarded.close,
		get problem() {
			return problem;
		},
	};
}

/** The same response with its complete body. */
async function readBounded(response: Response, host: string): Promise<Response> {
	const { status, statusText, headers, body } = response;
	if (body === null) return response;
	const { bytes, cut } = await collect(body, maxBodyBytes);
	if (cut) throw refused(mcpLoginTexts.largeAnswer(host, maxBodyBytes));
	return new Response(bytes, { status, statusText, headers });
}

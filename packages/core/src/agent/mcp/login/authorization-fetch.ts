import { type Clock, ParleyError } from "@parley/base";
import { collect } from "../../../sandbox/egress/collect.ts";
import {
	type FetchLike,
	type GuardedFetch,
	guardedFetch,
	serverRefusal,
} from "../../../sandbox/egress/guarded-fetch.ts";
import { within } from "../../../sandbox/egress/reach.ts";
import { mcpLoginTexts } from "./texts.ts";

/** Maximum bytes of one answer. */
const maxBodyBytes = 256 * 1024;
const answerMs = 20_000;
/** Maximum requests of one login, refresh or revocation. */
const maxRequests = 30;

export interface AuthorizationReach {
	/** Address of the MCP server. */
	readonly url: string;
	/**
	 * Whether the server may have a private address. Any other host may have a private address only if `privateHosts`
	 * names the host.
	 */
	readonly allowPrivate: boolean;
	readonly privateHosts: readonly string[];
	/** Action of the operator that allows a private address of the server. Errors name the action. */
	readonly permit?: string;
}

/** A guarded fetch for one login, refresh or revocation. It records the first problem. */
export interface AuthorizationFetch extends GuardedFetch {
	/** First problem of all requests, if any. After some problems, the library continues without the answer. */
	readonly problem: ParleyError | undefined;
}

/**
 * Creates the fetch for one login, refresh or revocation. The addresses of authorization servers come from the MCP
 * server, so the fetch limits hosts, requests, sizes and times.
 */
export async function authorizationFetch(
	{ url, allowPrivate, privateHosts, permit }: AuthorizationReach,
	clock: Clock,
): Promise<AuthorizationFetch> {
	const own = new URL(url).hostname;
	const guarded = await guardedFetch({
		isPrivateAllowed: (host) => (allowPrivate && host === own) || privateHosts.includes(host),
		permit: {
			address: (host) => (host === own ? permit : mcpLoginTexts.privateHost(host)),
			// The MCP server chooses any other host, so no action is named for plain HTTP to that host.
			http: (host) => (host === own ? permit : undefined),
		},
	});
	let requests = 0;
	let problem: ParleyError | undefined;
	const never = new AbortController().signal;
	const send: FetchLike = async (given, init) => {
		const { host } = new URL(given);
		try {
			requests += 1;
			if (requests > maxRequests) throw serverRefusal(mcpLoginTexts.tooManyRequests(maxRequests));
			const limit = { ms: answerMs, subject: mcpLoginTexts.answerOf(host), clock };
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

async function readBounded(response: Response, host: string): Promise<Response> {
	const { status, statusText, headers, body } = response;
	if (body === null) return response;
	const { bytes, cut } = await collect(body, maxBodyBytes);
	if (cut) throw serverRefusal(mcpLoginTexts.largeAnswer(host, maxBodyBytes));
	return new Response(bytes, { status, statusText, headers });
}

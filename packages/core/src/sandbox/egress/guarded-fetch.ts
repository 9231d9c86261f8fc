import { ParleyError } from "@parley/base";
import { addressOf, findAddresses, publicReach, type Reach, systemLookup } from "./reach.ts";
import { fetchTexts } from "./texts.ts";

const maxHeaderBytes = 32 * 1024;
const connectMs = 10_000;

const everyAddress: Reach = { ports: [], allows: () => true };

/** The part of the `fetch` interface that protocol clients use. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface FetchGuards {
	/** Whether the host of a URL may have a private address and use plain HTTP. */
	isPrivateAllowed(host: string): boolean;
	/** Actions of the operator, if any. Errors name the actions. */
	readonly permit?: {
		/** Returns the action that allows a private address of the host. */
		address(host: string): string | undefined;
		/** Returns the action that allows plain HTTP to the host. */
		http(host: string): string | undefined;
	};
}

export interface GuardedFetch {
	readonly fetch: FetchLike;
	close(): Promise<void>;
}

/**
 * Resolves with a `fetch` that connects only to allowed addresses. The addresses are checked for each connection. The
 * `fetch` follows no redirects. The caller must limit the size and the time of responses.
 */
export async function guardedFetch({ isPrivateAllowed, permit }: FetchGuards): Promise<GuardedFetch> {
	const { Agent, fetch: send } = await import("undici");
	const reachOf = (host: string): Reach => (isPrivateAllowed(host) ? everyAddress : publicReach);
	const notPublic = ({ host, hostname }: URL): string =>
		fetchTexts.notPublic(host, permit?.address(hostname));
	const agent = new Agent({
		allowH2: false,
		maxHeaderSize: maxHeaderBytes,
		// undici's timeouts for responses are off, because the caller limits the time of a response.
		headersTimeout: 0,
		bodyTimeout: 0,
		connect: {
			timeout: connectMs,
			lookup: (name, { all }, found) => {
				const signal = AbortSignal.timeout(connectMs);
				const url = new URL(`https://${name}`);
				const guards = { reach: reachOf(url.hostname), lookup: systemLookup };
				findAddresses(url, guards, signal).then(
					(addresses) => {
						const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
						if (all) found(null, pinned);
						else found(null, pinned[0]?.address ?? "", pinned[0]?.family);
					},
					(reason: unknown) => {
						const error = ParleyError.from(reason);
						const isPrivate = error.code === "permission_denied";
						found(
							isPrivate ? new ParleyError(notPublic(url), { code: error.code, cause: error }) : error,
							"",
						);
					},
				);
			},
		},
	});
	const guarded: FetchLike = async (given, init) => {
		const url = new URL(given);
		if (url.protocol !== "https:" && !(url.protocol === "http:" && isPrivateAllowed(url.hostname)))
			throw serverRefusal(fetchTexts.notHttps(url.origin, permit?.http(url.hostname)));
		const literal = addressOf(url);
		if (literal !== undefined && !reachOf(url.hostname).allows(literal)) throw serverRefusal(notPublic(url));
		// The cast is safe because undici and Node have the same `fetch` interface.
		const options = { ...init, redirect: "manual", dispatcher: agent } as Parameters<typeof send>[1];
		const response = await send(url, options).catch((reason: unknown) => {
			init?.signal?.throwIfAborted();
			// undici wraps the error of a failed lookup or connection.
			const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
			if (cause instanceof ParleyError) throw cause;
			throw serverRefusal(fetchTexts.unreachable(url.host), reason);
		});
		// The cast is safe because undici's response has the same interface as Node's.
		return response as unknown as Response;
	};
	return { fetch: guarded, close: () => agent.destroy() };
}

export function serverRefusal(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "unavailable", cause });
}

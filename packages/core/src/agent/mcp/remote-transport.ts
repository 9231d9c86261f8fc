import type { FetchLike } from "@modelcontextprotocol/client";
import { type Clock, ParleyError } from "@parley/base";
import {
	addressOf,
	findAddresses,
	type Lookup,
	publicReach,
	type Reach,
	systemLookup,
} from "../../sandbox/egress/reach.ts";
import type { McpRemoteSettings } from "../../vocabulary/mcp/server.ts";
import { Allowance } from "./allowance.ts";
import type { ServerTransport } from "./server-connection.ts";

/** Bytes of one JSON answer, and of all answers of a server. */
const maxJsonBytes = 8 * 1024 * 1024;
const bytes = { most: 64 * 1024 * 1024, perSecond: 1024 * 1024 };
const maxHeaderBytes = 32 * 1024;
const connectMs = 10_000;

/** Every address. For a server whose private address the operator chose. */
const everyAddress: Reach = { ports: [], allows: () => true };

/** Opens streamable HTTP to a server: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports */
export async function openRemote(settings: McpRemoteSettings, clock: Clock): Promise<ServerTransport> {
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	const { url, headers, allowPrivate } = settings;
	const reach = allowPrivate ? everyAddress : publicReach;
	const guarded = await guardedFetch({ reach, lookup: systemLookup, clock, plain: allowPrivate });
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		fetch: guarded.fetch,
		requestInit: { headers },
	});
	const close = transport.close.bind(transport);
	return Object.assign(transport, {
		problem: undefined,
		log: [],
		close: async () => {
			await close();
			await guarded.close();
		},
	});
}

interface FetchGuards {
	readonly reach: Reach;
	readonly lookup: Lookup;
	readonly clock: Clock;
	/** Whether http is allowed. */
	readonly plain: boolean;
}

/**
 * A fetch that connects only to allowed addresses, looked up and checked for each connection, and that bounds all answers.
 * It follows no redirect itself: the client of the protocol requests the new place with it, and only at the same origin.
 */
async function guardedFetch(
	guards: FetchGuards,
): Promise<{ readonly fetch: FetchLike; close(): Promise<void> }> {
	const { Agent, fetch: send } = await import("undici");
	const { reach, lookup, clock, plain } = guards;
	const allowance = new Allowance(bytes, clock);
	const agent = new Agent({
		allowH2: false,
		maxHeaderSize: maxHeaderBytes,
		// The client of the protocol limits all times.
		headersTimeout: 0,
		bodyTimeout: 0,
		connect: {
			timeout: connectMs,
			lookup: (name, { all }, found) => {
				const signal = AbortSignal.timeout(connectMs);
				const url = new URL(`https://${name}`);
				findAddresses(url, { reach, lookup }, signal).then(
					(addresses) => {
						const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
						if (all) found(null, pinned);
						else found(null, pinned[0]?.address ?? "", pinned[0]?.family);
					},
					(reason: unknown) => found(ParleyError.from(reason), ""),
				);
			},
		},
	});
	const guarded: FetchLike = async (given, init) => {
		const url = new URL(given);
		if (url.protocol !== "https:" && !plain) throw refused(`${url.origin} is not https`);
		const literal = addressOf(url);
		if (literal !== undefined && !reach.allows(literal))
			throw refused(`${url.host} is not on the public internet`);
		// True because the two libraries have the same interface of fetch.
		const options = { ...init, redirect: "manual", dispatcher: agent } as Parameters<typeof send>[1];
		const response = await send(url, options).catch((reason: unknown) => {
			// undici wraps the reason of a lookup or a connection.
			const cause = reason instanceof Error ? (reason.cause ?? reason) : reason;
			if (cause instanceof ParleyError) throw cause;
			throw refused(`${url.host} could not be reached`, reason);
		});
		// True as above.
		return bounded(response as unknown as Response, allowance);
	};
	return { fetch: guarded, close: () => agent.destroy() };
}

/** The same response with a body that fails when the server sends too much. */
function bounded(response: Response, allowance: Allowance): Response {
	const { status, statusText, headers, body } = response;
	if (body === null) return response;
	const isJson = /^application\/json\b/i.test(headers.get("content-type") ?? "");
	let left = isJson ? maxJsonBytes : Number.POSITIVE_INFINITY;
	const counted = body.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform(chunk, controller) {
				left -= chunk.length;
				if (left >= 0 && allowance.spend(chunk.length)) controller.enqueue(chunk);
				else controller.error(refused("it sent too many bytes"));
			},
		}),
	);
	return new Response(counted, { status, statusText, headers });
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "unavailable", cause });
}

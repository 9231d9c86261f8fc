import type { FetchLike } from "@modelcontextprotocol/client";
import { type Clock, ParleyError, parseJson } from "@parley/base";
import {
	addressOf,
	findAddresses,
	type Lookup,
	publicReach,
	type Reach,
	systemLookup,
} from "../../sandbox/egress/reach.ts";
import type { McpRemoteSettings } from "../../vocabulary/mcp/server.ts";
import { Allowance, serverLimits } from "./allowance.ts";
import { EventStreamCheck } from "./event-stream-check.ts";
import type { ServerTransport } from "./server-connection.ts";

const maxHeaderBytes = 32 * 1024;
const connectMs = 10_000;

/** Every address. For a server whose private address the operator chose. */
const everyAddress: Reach = { ports: [], allows: () => true };

/** Opens streamable HTTP to a server: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports */
export async function openRemote(settings: McpRemoteSettings, clock: Clock): Promise<ServerTransport> {
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	const { url, headers, allowPrivate } = settings;
	const reach = allowPrivate ? everyAddress : publicReach;
	const limits = new AnswerLimits(clock, (problem) => {
		closing.problem ??= problem;
		// The problem is known, and the connection has ended for its user before this can fail.
		closing.close().catch(() => undefined);
	});
	const guarded = await guardedFetch({ reach, lookup: systemLookup, limits, plain: allowPrivate });
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		fetch: guarded.fetch,
		requestInit: { headers },
	});
	const close = transport.close.bind(transport);
	const closing = Object.assign(transport, {
		problem: undefined as string | undefined,
		log: [],
		close: async () => {
			await close();
			await guarded.close();
		},
	});
	return closing;
}

/** Limits of everything that one server sends. A server that exceeds one is reported. */
class AnswerLimits {
	readonly #bytes: Allowance;
	readonly #messages: Allowance;
	readonly #exceeded: (problem: string) => void;

	constructor(clock: Clock, exceeded: (problem: string) => void) {
		this.#bytes = new Allowance(serverLimits.bytes, clock);
		this.#messages = new Allowance(serverLimits.messages, clock);
		this.#exceeded = exceeded;
	}

	/** The same response with a body that fails when the server sends too much. The library never gets the end of a refused message. */
	bounded(response: Response): Response {
		const { status, statusText, headers, body, ok } = response;
		if (body === null) return response;
		const type = headers.get("content-type") ?? "";
		const isStream = /^text\/event-stream\b/i.test(type);
		const events = new EventStreamCheck(serverLimits.maxMessageBytes, (text) => this.#check(text));
		const chunks: Uint8Array[] = [];
		let length = 0;
		const counted = body.pipeThrough(
			new TransformStream<Uint8Array, Uint8Array>({
				transform: (chunk, controller) =>
					this.#guard(() => {
						if (!this.#bytes.spend(chunk.length)) throw refused("it sent too many bytes");
						length += chunk.length;
						if (isStream) events.receive(chunk);
						else if (length > serverLimits.maxMessageBytes)
							throw refused(`it sent a message of more than ${serverLimits.maxMessageBytes} bytes`);
						else chunks.push(chunk);
						controller.enqueue(chunk);
					}),
				flush: () =>
					this.#guard(() => {
						const text = Buffer.concat(chunks).toString("utf8");
						if (ok && /^application\/json\b/i.test(type) && text.trim() !== "") this.#check(text);
					}),
			}),
		);
		return new Response(counted, { status, statusText, headers });
	}

	/** Throws for a text with too many values, or if there were too many messages. */
	#check(text: string): void {
		const value = parseJson(text, { maxNodes: serverLimits.maxNodes });
		if (!this.#messages.spend(Array.isArray(value) ? value.length : 1))
			throw refused("it sent too many messages");
	}

	#guard(work: () => void): void {
		try {
			work();
		} catch (reason) {
			this.#exceeded(ParleyError.from(reason).message);
			throw reason;
		}
	}
}

interface FetchGuards {
	readonly reach: Reach;
	readonly lookup: Lookup;
	readonly limits: AnswerLimits;
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
	const { reach, lookup, limits, plain } = guards;
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
		return limits.bounded(response as unknown as Response);
	};
	return { fetch: guarded, close: () => agent.destroy() };
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "unavailable", cause });
}

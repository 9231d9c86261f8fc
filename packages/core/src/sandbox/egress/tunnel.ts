import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, ParleyError } from "@parley/base";
import { readTarget, shownTarget, TLS_PORT } from "./connect-target.ts";
import { findAddresses, type Lookup, type Reach } from "./reach.ts";
import { relay } from "./relay.ts";
import { within } from "./time-limit.ts";

/** Limit for the lookup of the name and the connection together. */
const MAX_CONNECT_MS = 10_000;

/** Decision about a connection that a command requested, for the log and the audit. */
export interface EgressEntry {
	/** Name of the command, as the caller of `open` gave it. */
	readonly command: string;
	/** The host. For a refused connection, the requested text. */
	readonly target: string;
	/** An allowed connection is reported before it is made, and again as `ended`. */
	readonly decision: "allowed" | "refused" | "ended";
	/** Reason of a refusal or of an end by the gateway. */
	readonly reason?: string;
	/** Bytes, for `ended`. */
	readonly sent?: number;
	readonly received?: number;
}

/** Opens a connection with `allowHalfOpen` to one of the addresses at the port of TLS, and to no other address. */
export type Connect = (addresses: readonly string[], signal: AbortSignal) => Promise<Socket>;

export interface TunnelDeps {
	/** Hosts that may be reached. */
	readonly allowed: readonly string[];
	readonly clock: Clock;
	readonly reach: Reach;
	readonly lookup: Lookup;
	readonly connect: Connect;
	/** Reports a decision. An allowed connection is made after this resolves, and is not made if it rejects. */
	tell(entry: Omit<EgressEntry, "command">): Promise<void>;
}

export interface Asked {
	readonly authority: string;
	readonly client: Duplex;
	/** Bytes that arrived together with the request. */
	readonly head: Buffer;
}

const statuses: Partial<Record<ParleyError["code"], string>> = {
	invalid_argument: "400 Bad Request",
	permission_denied: "403 Forbidden",
	unavailable: "502 Bad Gateway",
	deadline_exceeded: "504 Gateway Timeout",
};

/** Serves one CONNECT: decides, connects to a checked address, and relays bytes. Rejects only if `tell` does. */
export async function serveConnect(asked: Asked, deps: TunnelDeps, signal: AbortSignal): Promise<void> {
	const { client, head } = asked;
	// Not later: a stream that has ended takes nothing back.
	if (head.length > 0) client.unshift(head);
	const gone = new AbortController();
	client.once("close", () => gone.abort(new ParleyError("the client has gone", { code: "cancelled" })));
	// What it is about is told by `close`.
	client.on("error", () => client.destroy());
	const both = AbortSignal.any([signal, gone.signal]);
	const opened = await openUpstream(asked.authority, deps, both).catch((reason: unknown) => {
		const error = ParleyError.from(reason);
		refuse(client, statuses[error.code] ?? "502 Bad Gateway", error.message);
		return error;
	});
	if (opened instanceof ParleyError) {
		return deps.tell({ target: shownTarget(asked.authority), decision: "refused", reason: opened.message });
	}
	const { upstream, host } = opened;
	client.write("HTTP/1.1 200 Connection established\r\n\r\n");
	const reason = await relay(client, upstream, { clock: deps.clock, signal }).then(
		() => ({}),
		(cause: unknown) => ({ reason: ParleyError.from(cause).message }),
	);
	const { bytesWritten: sent, bytesRead: received } = upstream;
	await deps.tell({ target: host, decision: "ended", ...reason, sent, received });
}

/** Answers a request and closes the connection. */
export function refuse(client: Duplex, status: string, why: string): void {
	const body = `parley: ${why}\n`;
	const head = [
		`HTTP/1.1 ${status}`,
		"content-type: text/plain; charset=utf-8",
		`content-length: ${Buffer.byteLength(body)}`,
		"connection: close",
	];
	client.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => client.destroy());
}

async function openUpstream(authority: string, deps: TunnelDeps, signal: AbortSignal) {
	const host = readTarget(authority, deps.allowed);
	const limit = { ms: MAX_CONNECT_MS, what: "connecting", clock: deps.clock };
	return await within(limit, signal, async (limited) => {
		const addresses = await findPublic(host, deps, limited);
		await deps.tell({ target: host, decision: "allowed" });
		return { host, upstream: await deps.connect(addresses, limited) };
	});
}

async function findPublic(host: string, deps: TunnelDeps, signal: AbortSignal): Promise<readonly string[]> {
	try {
		return await findAddresses(new URL(`https://${host}`), deps, signal);
	} catch (cause) {
		if (!(cause instanceof ParleyError && cause.code === "permission_denied")) throw cause;
		const message = "its name leads to an address that is not on the public internet";
		throw new ParleyError(message, { code: "permission_denied", cause });
	}
}

/** As `Connect` says; addresses are tried one after the other. */
export const connectOverTcp: Connect = async (addresses, signal) => {
	const pinned = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
	const socket = connectSocket({
		host: "checked-addresses.invalid",
		port: TLS_PORT,
		allowHalfOpen: true,
		noDelay: true,
		autoSelectFamily: true,
		lookup: (_name, _options, found) => found(null, pinned),
	});
	try {
		await once(socket, "connect", { signal });
		return socket;
	} catch (cause) {
		socket.destroy();
		signal.throwIfAborted();
		throw new ParleyError("it could not be connected to", { code: "unavailable", cause });
	}
};

import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { connect as connectSocket, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Clock, ParleyError, type Timer } from "@parley/base";
import { readTarget, shownTarget, TLS_PORT } from "./host-name.ts";
import { findAddresses, type Lookup, type Reach, within } from "./reach.ts";
import { egressTexts } from "./texts.ts";

const MAX_HEAD_BYTES = 8 * 1024;
const MAX_HEAD_MS = 10_000;
const MAX_AT_ONCE = 128;
/** Maximum connections of one command per hour, because each connection is logged and audited. */
const MAX_CONNECTIONS = 5_000;
const HOUR_MS = 60 * 60_000;

/** Proxy for one command. The proxy supports only CONNECT and does not interpret the bytes in a tunnel. */
export class EgressProxy implements AsyncDisposable {
	readonly #deps: TunnelDeps;
	readonly #server: HttpServer;
	readonly #ended = new AbortController();
	/** Open connections. The timer closes a connection that does not send its request in time. */
	readonly #clients = new Map<Socket, Timer>();
	/** Number of connections since the monotonic time `#since`. */
	#accepted = 0;
	#since: number;

	constructor(deps: TunnelDeps) {
		this.#deps = deps;
		this.#since = deps.clock.monotonic();
		// Node's own timeouts are off, because timeouts use the injected clock.
		const times = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
		const server = createServer({ ...times, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false });
		server.maxConnections = MAX_AT_ONCE;
		server.maxRequestsPerSocket = 1;
		server.on("connection", (socket) => this.#accept(socket));
		server.on("drop", () => this.#reportRefused("", egressTexts.tooManyAtOnce(MAX_AT_ONCE)));
		server.on("request", ({ socket, url }) =>
			this.#refuse(socket, { status: "403 Forbidden", reason: egressTexts.onlyHttps, target: url }),
		);
		server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
			const large = error.code === "HPE_HEADER_OVERFLOW";
			this.#refuse(
				socket,
				large
					? { status: "431 Request Header Fields Too Large", reason: egressTexts.largeHead(MAX_HEAD_BYTES) }
					: { status: "400 Bad Request", reason: egressTexts.invalidRequest },
			);
		});
		server.on("connect", (request, client, head) => {
			// An earlier request on the same connection was refused.
			if (!client.writable) return void client.destroy();
			this.#clients.get(request.socket)?.cancel();
			const connect = { authority: request.url ?? "", client, head };
			void serveConnect(connect, this.#deps, this.#ended.signal);
		});
		this.#server = server;
	}

	/** Accepts connections on the listening TCP server `listener` until the proxy is disposed. */
	serve(listener: Server): void {
		if (this.#ended.signal.aborted) return void listener.close();
		this.#server.listen(listener);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort(new ParleyError(egressTexts.commandEnded, { code: "cancelled" }));
		const closed = this.#server.listening ? once(this.#server.close(), "close") : undefined;
		for (const client of this.#clients.keys()) client.destroy();
		await closed;
	}

	#accept(socket: Socket): void {
		const now = this.#deps.clock.monotonic();
		// The count is reset every hour, because MCP servers run for days.
		if (now - this.#since >= HOUR_MS) {
			this.#since = now;
			this.#accepted = 0;
		}
		this.#accepted += 1;
		if (this.#accepted > MAX_CONNECTIONS) return void socket.destroy();
		if (this.#accepted === MAX_CONNECTIONS) this.#reportRefused("", egressTexts.tooMany(MAX_CONNECTIONS));
		const timer = this.#deps.clock.after(MAX_HEAD_MS, () => socket.destroy());
		this.#clients.set(socket, timer);
		socket.once("close", () => {
			timer.cancel();
			this.#clients.delete(socket);
		});
	}

	#refuse(client: Socket, refused: RefusedRequest): void {
		const { reason, target = "" } = refused;
		if (client.writable) refuse(client, refused);
		else client.destroy();
		this.#reportRefused(target, reason);
	}

	#reportRefused(target: string, reason: string): void {
		void this.#deps.report({ target: shownTarget(target), decision: "refused", reason });
	}
}

interface RefusedRequest {
	/** Status code and reason phrase of the response. */
	readonly status: string;
	readonly reason: string;
	readonly target?: string | undefined;
}

/** Maximum milliseconds for the DNS lookup and the connection together. */
const MAX_CONNECT_MS = 10_000;

/** Decision about a connection that a command requested, for the log and the audit. */
export interface EgressEntry {
	/** Name of the command, from the argument `command` of `Egress.open`. */
	readonly command: string;
	/** Requested host. If the connection was refused, the text of the request. */
	readonly target: string;
	/**
	 * An allowed connection is reported twice: as `allowed` before it opens, and then as `ended` or, if it cannot be
	 * opened, as `refused`.
	 */
	readonly decision: "allowed" | "refused" | "ended";
	/** Reason why the gateway refused or ended the connection. */
	readonly reason?: string;
	/**
	 * Number of bytes sent to the host. `received`: number of bytes received from the host. Present only if `decision`
	 * is `ended`.
	 */
	readonly sent?: number;
	readonly received?: number;
}

/**
 * Opens a connection to port 443 of one of the addresses. Must connect to no other address, and must set
 * `allowHalfOpen`.
 */
export type Connect = (addresses: readonly string[], signal: AbortSignal) => Promise<Socket>;

interface TunnelDeps {
	readonly allowed: readonly string[];
	readonly clock: Clock;
	readonly reach: Reach;
	readonly lookup: Lookup;
	readonly connect: Connect;
	/** Reports a decision. The proxy opens an allowed connection only after the promise resolves. */
	report(entry: Omit<EgressEntry, "command">): Promise<void>;
}

interface ConnectRequest {
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

/**
 * Answers the request. If the connection is allowed, forwards its bytes until the connection ends. Reports the
 * decisions. Rejects only if `report` rejects.
 */
async function serveConnect(connect: ConnectRequest, deps: TunnelDeps, signal: AbortSignal): Promise<void> {
	const { client, head } = connect;
	// `unshift` must precede any `await`, because `unshift` fails after the end of the stream.
	if (head.length > 0) client.unshift(head);
	const disconnected = new AbortController();
	client.once("close", () =>
		disconnected.abort(new ParleyError(egressTexts.clientDisconnected, { code: "cancelled" })),
	);
	// The `close` event follows and ends the work.
	client.on("error", () => client.destroy());
	const both = AbortSignal.any([signal, disconnected.signal]);
	const opened = await openUpstream(connect.authority, deps, both).catch((reason: unknown) => {
		const error = ParleyError.from(reason);
		const status = statuses[error.code] ?? "502 Bad Gateway";
		refuse(client, { status, reason: error.message, target: connect.authority });
		return error;
	});
	if (opened instanceof ParleyError) {
		return deps.report({
			target: shownTarget(connect.authority),
			decision: "refused",
			reason: opened.message,
		});
	}
	const { upstream, host } = opened;
	client.write("HTTP/1.1 200 Connection established\r\n\r\n");
	const reason = await relay(client, upstream, { clock: deps.clock, signal }).then(
		() => ({}),
		(cause: unknown) => ({ reason: ParleyError.from(cause).message }),
	);
	const { bytesWritten: sent, bytesRead: received } = upstream;
	await deps.report({ target: host, decision: "ended", ...reason, sent, received });
}

function refuse(client: Duplex, { status, reason, target = "" }: RefusedRequest): void {
	const body = egressTexts.body(shownTarget(target), reason);
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
	const limit = { ms: MAX_CONNECT_MS, subject: "connecting", clock: deps.clock };
	return await within(limit, signal, async (limited) => {
		const addresses = await findPublic(host, deps, limited);
		await deps.report({ target: host, decision: "allowed" });
		return { host, upstream: await deps.connect(addresses, limited) };
	});
}

async function findPublic(host: string, deps: TunnelDeps, signal: AbortSignal): Promise<readonly string[]> {
	try {
		return await findAddresses(new URL(`https://${host}`), deps, signal);
	} catch (cause) {
		if (!(cause instanceof ParleyError && cause.code === "permission_denied")) throw cause;
		const message = egressTexts.notPublicName;
		throw new ParleyError(message, { code: "permission_denied", cause });
	}
}

/** Connects over TCP to the first address that accepts the connection. */
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
		throw new ParleyError(egressTexts.notOpened, { code: "unavailable", cause });
	}
};

/** Milliseconds without data after which a connection is closed. The check can be up to `IDLE_MS` late. */
const IDLE_MS = 120_000;
/**
 * Maximum duration of a connection in milliseconds. The check can be up to `IDLE_MS` late. Programs that run longer,
 * such as MCP servers, must reconnect.
 */
const MAX_MS = 15 * 60_000;

/**
 * Forwards bytes in both directions until both sides have ended. Rejects with `unavailable` if one side fails, and with
 * `deadline_exceeded` if a time limit passes. Rejects with the signal's reason if the signal aborts. Both sides are
 * closed when the promise settles.
 */
async function relay(
	client: Duplex,
	upstream: Socket,
	{ clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
	const limit = new AbortController();
	const began = clock.monotonic();
	let before = 0;
	const check = (): void => {
		const moved = upstream.bytesRead + upstream.bytesWritten;
		const late = clock.monotonic() - began >= MAX_MS;
		if (late || moved === before)
			limit.abort(tooLong(late ? egressTexts.tooLong(MAX_MS / 60_000) : egressTexts.idle(IDLE_MS / 60_000)));
		before = moved;
		timer = clock.after(IDLE_MS, check);
	};
	let timer = clock.after(IDLE_MS, check);
	const ends = { signal: AbortSignal.any([signal, limit.signal]) };
	try {
		await Promise.all([pipeline(client, upstream, ends), pipeline(upstream, client, ends)]);
	} catch (cause) {
		ends.signal.throwIfAborted();
		throw new ParleyError(egressTexts.interrupted, { code: "unavailable", cause });
	} finally {
		timer.cancel();
		client.destroy();
		upstream.destroy();
	}
}

function tooLong(subject: string): ParleyError {
	return new ParleyError(egressTexts.connection(subject), { code: "deadline_exceeded" });
}

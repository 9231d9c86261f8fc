import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { errno } from "../data-directory/errno.ts";
import { type Endpoint, formatEndpoint } from "./address.ts";
import type { Admission } from "./admission.ts";
import { bidFarewell } from "./farewell.ts";
import { type FirstBytes, readFirstBytes } from "./first-bytes.ts";
import { servesProxies, speaksTls } from "./plain-refusal.ts";
import { shakeHands } from "./tls-handshake.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/** Connections that wait in the kernel until they are accepted; the system may allow fewer: listen(2), somaxconn. */
const BACKLOG = 4_096;

/** Encryption of a listener. */
export interface ListenerSecurity {
	/** Present TLS identity for clients that start with TLS. Without it TLS is not available. */
	identity?(): TlsIdentity;
	/** Clients that may connect without TLS. Default: all. A listener without any has an `https:` address. */
	readonly plain?: "nobody" | ((socket: Socket) => boolean);
}

/** Options of a listener. */
export interface ListenerOptions extends Endpoint, ListenerSecurity {
	readonly clock: Clock;
	readonly log: Logger;
	/** Shared by all listeners of a gateway, because its limits are. */
	readonly admission: Admission;
	/** Whether the far end is a process of the gateway's own user. False if that is unknown. Never rejects. */
	isOwn(socket: Socket): Promise<boolean>;
	/** Takes over a connection that does not speak HTTP/2: give it to an HTTP server as its `connection` event. */
	onHttp(socket: Socket): void;
	/** Takes over a connection that speaks HTTP/2, unread. */
	onHttp2(socket: Socket): void;
}

/** An open port. */
export interface Listener {
	/** Its address with the real port. */
	address(): ListenerAddress;
	/**
	 * Accepts no more connections, closes those that were not handed over, and the others after `graceMs`. Resolves when all
	 * are closed.
	 */
	close(graceMs: number): Promise<void>;
}

export interface ListenerAddress extends Endpoint {
	/** `http://127.0.0.1:7777`, `http://[::1]:7777`; `https:` if TLS is required. */
	readonly url: string;
}

/**
 * Opens a port and reads the first bytes of each connection: silence for five seconds closes it, TLS is decrypted, and the
 * connection is handed over by its protocol. Rejects with advice if the address cannot be opened.
 */
export async function createListener(options: ListenerOptions): Promise<Listener> {
	const { clock, log } = options;
	const sockets = new Set<Socket>();
	const strangers = new Set<Socket>();
	// HTTP servers answer clients that have closed their half; paused sockets are not read before they are admitted.
	const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
	server.on("connection", (socket) => {
		sockets.add(socket);
		strangers.add(socket);
		socket.on("error", (error) => log.debug("connection failed", { error }));
		// Not `once`, which costs each socket three objects more: a socket closes but once.
		socket.on("close", () => {
			sockets.delete(socket);
			strangers.delete(socket);
		});
		const admit = (): void => {
			greet(socket, options).then(
				() => strangers.delete(socket),
				(error: unknown) => {
					log.error("connection could not be handed over", { error });
					socket.destroy();
				},
			);
		};
		options.admission.enter({ socket, clock, admit, isOwn: () => options.isOwn(socket) });
	});
	const closed = new Promise<void>((resolve) => server.once("close", resolve));
	await listen(server, options);
	server.on("error", (error) => log.error("listener failed", { error, address: formatEndpoint(options) }));
	const address = boundAddress(server, options);
	return {
		address: () => address,
		async close(graceMs) {
			server.close();
			for (const socket of strangers) socket.destroy();
			const timer = clock.after(graceMs, () => {
				for (const socket of sockets) socket.destroy();
			});
			await closed;
			// A server tells its end before that of its last connections, whose timers still run.
			await Promise.all(Array.from(sockets, (socket) => new Promise((end) => socket.once("close", end))));
			timer.cancel();
		},
	};
}

async function greet(socket: Socket, options: ListenerOptions): Promise<void> {
	const { clock, identity, plain = () => true, admission } = options;
	const protocol = await readFirstBytes(socket, clock);
	if (protocol === "tls" && identity) {
		const secure = await shakeHands(socket, identity(), clock);
		if (!secure) return;
		admission.carries(socket, secure);
		// Unread, because Node's HTTP/2 loses the order of bytes that were put back on a TLS connection.
		if (secure.alpnProtocol === "h2") options.onHttp2(secure);
		else if ((await readFirstBytes(secure, clock)) === "other") options.onHttp(secure);
		// HTTP/2 without ALPN is not allowed over TLS: RFC 9113, section 3.2.
		else secure.destroy();
	} else if (protocol !== undefined && (plain === "nobody" || !plain(socket))) {
		bidFarewell(socket, clock, plain === "nobody" ? speaksTls : servesProxies);
	} else handOver(socket, protocol, options);
}

function handOver(
	socket: Socket,
	protocol: FirstBytes | undefined,
	{ onHttp, onHttp2 }: ListenerOptions,
): void {
	if (protocol === "http2") onHttp2(socket);
	else if (protocol === undefined) socket.destroy();
	else onHttp(socket);
}

async function listen(server: Server, { host, port }: Endpoint): Promise<void> {
	server.listen({ host, port, backlog: BACKLOG });
	try {
		await once(server, "listening");
	} catch (cause) {
		throw listenError({ host, port }, cause);
	}
}

function boundAddress(server: Server, { plain }: ListenerOptions): ListenerAddress {
	const bound = server.address();
	if (bound === null || typeof bound === "string") {
		throw new ParleyError("the listener has no address", { code: "internal" });
	}
	const { address: host, port } = bound;
	return { host, port, url: `${plain === "nobody" ? "https" : "http"}://${formatEndpoint({ host, port })}` };
}

function listenError(endpoint: Endpoint, cause: unknown): ParleyError {
	const place = formatEndpoint(endpoint);
	const free = formatEndpoint({ ...endpoint, port: 0 });

	switch (errno(cause)) {
		case "EADDRINUSE":
			return new ParleyError(`cannot listen on ${place}: ${taken(endpoint, free)}`, {
				code: "failed_precondition",
				cause,
			});
		case "EACCES":
			return new ParleyError(
				`cannot listen on ${place}: the system does not allow this user that port; ` +
					`choose one above 1023, or --listen ${free} for a free one`,
				{ code: "permission_denied", cause },
			);
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return new ParleyError(
				`cannot listen on ${place}: this machine has no address ${endpoint.host}; use --listen 127.0.0.1:${endpoint.port}`,
				{ code: "invalid_argument", cause },
			);
		default:
			return new ParleyError(`cannot listen on ${place}`, { code: "unavailable", cause });
	}
}

/** The default port of existing Ozzie gateways and their clients. */
const ozziePort = 18_420;

function taken({ port }: Endpoint, free: string): string {
	if (port !== ozziePort) {
		return (
			"another program, perhaps another Parley, listens there; " +
			`stop it, or choose another port: --listen ${free} picks a free one`
		);
	}
	return (
		"another program, perhaps an Ozzie gateway, listens there; stop it, or start without --ozzie and give your client " +
		"another address of Parley: ozzie ask --gateway ws://127.0.0.1:7777/api/ws"
	);
}

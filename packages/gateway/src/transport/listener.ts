import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { errno } from "../data-directory/errno.ts";
import { listenTexts } from "../texts/listening.ts";
import { type Endpoint, formatEndpoint } from "./address.ts";
import type { Admission } from "./admission.ts";
import { type ConnectionHandlers, type ListenerSecurity, startConnection } from "./connection-start.ts";

/** Maximum number of connections that wait in the kernel. The system may allow fewer: listen(2), somaxconn. */
const BACKLOG = 4_096;

export interface ListenerOptions extends Endpoint, ListenerSecurity, ConnectionHandlers {
	readonly clock: Clock;
	readonly log: Logger;
	/** Admission that all listeners of a gateway share. Its limits apply to the connections of all listeners together. */
	readonly admission: Admission;
	/** Whether the far end is a process of the gateway's own user. False if the user is unknown. Never rejects. */
	isOwn(socket: Socket): Promise<boolean>;
}

export interface Listener {
	/** Returns the address of the listener, with its real port. */
	address(): ListenerAddress;
	/**
	 * Stops accepting connections. Closes connections without a known protocol at once, and all others after `graceMs`
	 * milliseconds. Resolves when all connections are closed.
	 */
	close(graceMs: number): Promise<void>;
}

export interface ListenerAddress extends Endpoint {
	/** Address such as `http://127.0.0.1:7777` or `http://[::1]:7777`, with `https:` if TLS is required. */
	readonly url: string;
}

/**
 * Opens a port and reads the first bytes of each connection. Closes a silent connection after five seconds, decrypts
 * TLS, and passes the connection to the handler for its protocol. Rejects with advice if the address cannot be
 * opened.
 */
export async function createListener(options: ListenerOptions): Promise<Listener> {
	const { clock, log } = options;
	const sockets = new Set<Socket>();
	const unauthenticated = new Set<Socket>();
	// HTTP servers also answer clients that have closed their half of the connection. Paused sockets are not read before they
	// are admitted.
	const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
	server.on("connection", (socket) => {
		sockets.add(socket);
		unauthenticated.add(socket);
		socket.on("error", (error) => log.debug("connection failed", { error }));
		// `once` would create three more objects for each socket, and a socket closes only once in any case.
		socket.on("close", () => {
			sockets.delete(socket);
			unauthenticated.delete(socket);
		});
		const admit = (): void => {
			startConnection(socket, options).then(
				() => unauthenticated.delete(socket),
				(error: unknown) => {
					log.error("a connection could not be passed to its server", { error });
					socket.destroy();
				},
			);
		};
		options.admission.enter({ socket, clock, admit, isOwn: () => options.isOwn(socket) });
	});
	const closed = new Promise<void>((resolve) => server.once("close", resolve));
	await listen(server, options);
	server.on("error", (error) => log.error("a listener failed", { error, address: formatEndpoint(options) }));
	const address = boundAddress(server, options);
	return {
		address: () => address,
		async close(graceMs) {
			server.close();
			for (const socket of unauthenticated) socket.destroy();
			const timer = clock.after(graceMs, () => {
				for (const socket of sockets) socket.destroy();
			});
			await closed;
			// The server emits `close` before its last sockets emit `close`. The timers of these sockets run until the
			// sockets close.
			await Promise.all(Array.from(sockets, (socket) => new Promise((end) => socket.once("close", end))));
			timer.cancel();
		},
	};
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
		throw new ParleyError(listenTexts.noAddress, { code: "internal" });
	}
	const { address: host, port } = bound;
	return { host, port, url: `${plain === "nobody" ? "https" : "http"}://${formatEndpoint({ host, port })}` };
}

function listenError(endpoint: Endpoint, cause: unknown): ParleyError {
	const place = formatEndpoint(endpoint);
	const free = formatEndpoint({ ...endpoint, port: 0 });

	switch (errno(cause)) {
		case "EADDRINUSE":
			return new ParleyError(listenTexts.portInUse({ address: place, fix: portInUse(endpoint, free) }), {
				code: "failed_precondition",
				cause,
			});
		case "EACCES":
			return new ParleyError(listenTexts.portNotAllowed({ address: place, free }), {
				code: "permission_denied",
				cause,
			});
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return new ParleyError(
				listenTexts.hostNotOnMachine({ address: place, host: endpoint.host, port: endpoint.port }),
				{ code: "invalid_argument", cause },
			);
		default:
			return new ParleyError(listenTexts.failed({ address: place, reason: errno(cause) ?? String(cause) }), {
				code: "unavailable",
				cause,
			});
	}
}

/** Default port of existing Ozzie gateways and their clients. */
const ozziePort = 18_420;

function portInUse({ port }: Endpoint, free: string): string {
	if (port !== ozziePort) {
		return listenTexts.portInUseFix({ free });
	}
	return listenTexts.ozziePortInUseFix;
}

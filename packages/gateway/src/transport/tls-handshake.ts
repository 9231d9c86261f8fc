import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "@parley/base";
import type { TlsIdentity } from "./tls-identity.ts";

/** How long a client may take for the handshake; a machine that has to look for entropy needs no more. */
const DEADLINE_MS = 5_000;

/**
 * Protocols for ALPN, the preferred first: browsers and curl offer both, and the pages and endpoints are HTTP/1.1. gRPC clients
 * offer `h2` alone. A client that offers neither is refused in the handshake: RFC 7301, section 3.2.
 */
const alpn = ["http/1.1", "h2"] as const;

/**
 * Speaks TLS, as its server, on a connection whose first bytes were put back. Resolves with what carries the
 * plain text, unread, or undefined when the client left, broke the rules or took more than five seconds.
 */
export function shakeHands(
	socket: Socket,
	{ context }: TlsIdentity,
	clock: Clock,
): Promise<TLSSocket | undefined> {
	const secure = new TLSSocket(socket, {
		isServer: true,
		secureContext: context,
		ALPNCallback: ({ protocols }) => alpn.find((protocol) => protocols.includes(protocol)),
	});
	secure.on("error", () => secure.destroy());
	// What breaks the rules later is told so where no `tls.Server` has made the socket, and otherwise by nothing:
	// https://github.com/nodejs/node/blob/v24.x/lib/internal/tls/wrap.js (_tlsError)
	secure.on("_tlsError", () => secure.destroy());
	return new Promise((resolve) => {
		const settle = (verdict: TLSSocket | undefined): void => {
			timer.cancel();
			secure.off("secure", succeed).off("close", fail);
			if (verdict === undefined) socket.destroy();
			resolve(verdict);
		};
		const succeed = (): void => settle(secure);
		const fail = (): void => settle(undefined);
		const timer = clock.after(DEADLINE_MS, fail);
		// Emitted on the server's side, where `secureConnect` is not: https://nodejs.org/api/tls.html#class-tlstlssocket
		secure.on("secure", succeed).on("close", fail);
	});
}

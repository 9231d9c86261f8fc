import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "@parley/base";
import type { TlsIdentity } from "./tls-identity.ts";

/** Maximum duration of the handshake, sufficient for a machine that waits for entropy. */
const DEADLINE_MS = 5_000;

/**
 * Protocols for ALPN, the preferred first: browsers and curl offer both, and the pages and endpoints are HTTP/1.1. gRPC clients
 * offer `h2` alone. A client that offers neither is refused in the handshake: RFC 7301, section 3.2.
 */
const alpn = ["http/1.1", "h2"] as const;

/**
 * Performs the server side of TLS on a connection whose first bytes were put back. Resolves with the unread plaintext
 * stream, or undefined if the client disconnected, broke the protocol or took more than five seconds.
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
	// Later protocol errors are emitted under this name only, unless a `tls.Server` created the socket:
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

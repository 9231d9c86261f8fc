import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Clock, defined, type Logger } from "@parley/base";
import { createLocalPeers } from "./auth/local-peer.ts";
import type { Reach } from "./config/reach-facts.ts";
import { type Endpoint, isLoopback, staysHere } from "./transport/address.ts";
import type { Admission } from "./transport/admission.ts";
import type { ListenerSecurity } from "./transport/connection-start.ts";
import { createListener, type Listener } from "./transport/listener.ts";
import type { TlsIdentity } from "./transport/tls-identity.ts";

/** All listeners of a gateway. Each listener serves all protocols. */
export interface Port {
	readonly urls: readonly string[];
	/** Addresses of the listeners, and whether they accept TLS. */
	readonly listeners: readonly { readonly url: string; readonly tls: boolean }[];
	/** Closes all listeners, each as `Listener.close` does. May be called again with a shorter time. */
	close(graceMs: number): Promise<void>;
}

/** Settings that allow clients on other machines to connect without TLS. */
interface PlainAccess {
	readonly insecureLan: boolean;
	readonly proxies: Reach["proxies"];
}

export interface PortOptions {
	readonly clock: Clock;
	readonly log: Logger;
	readonly admission: Admission;
	readonly http: Server;
	/** Receives connections that use HTTP/2. */
	readonly http2: (socket: Socket) => void;
	/** TLS identity of the gateway. If it is set, listeners on non-loopback addresses accept only TLS. */
	readonly tls?: { readonly current: TlsIdentity } | undefined;
	readonly reach?: PlainAccess;
}

/** Opens all listeners, or none. No request is served before the last listener is open. */
export async function openPort(places: readonly Endpoint[], options: PortOptions): Promise<Port> {
	const { clock, log, admission, http, http2 } = options;
	const listeners: Listener[] = [];
	let early: (() => void)[] | undefined = [];
	const whenOpen = (serve: (socket: Socket) => void) => (socket: Socket) => {
		if (early) early.push(() => !socket.destroyed && serve(socket));
		else serve(socket);
	};
	const onHttp = whenOpen((socket) => http.emit("connection", socket));
	const onHttp2 = whenOpen(http2);
	// Admission checks only the user. Authentication also checks whether the process is a tool.
	const { isLocal } = createLocalPeers({ log });
	const close = async (graceMs: number): Promise<void> => {
		await Promise.all(listeners.map((listener) => listener.close(graceMs)));
	};
	try {
		for (const place of places) {
			const served = { ...place, ...security(place, options), clock, log, admission };
			listeners.push(await createListener({ ...served, onHttp, onHttp2, isOwn: isLocal }));
		}
	} catch (reason) {
		await close(0);
		throw reason;
	}
	const waiting = early;
	early = undefined;
	for (const serve of waiting) serve();
	const urls = listeners.map((listener) => listener.address().url);
	return { urls, listeners: urls.map((url) => ({ url, tls: options.tls !== undefined })), close };
}

function security(place: Endpoint, { tls, reach }: PortOptions): ListenerSecurity {
	if (tls)
		return { identity: () => tls.current, ...defined({ plain: staysHere(place) ? undefined : "nobody" }) };
	if (staysHere(place) || reach?.insecureLan) return {};
	return {
		plain: ({ remoteAddress = "", localAddress }) =>
			reach?.proxies?.has(remoteAddress) || isLoopback(remoteAddress) || remoteAddress === localAddress,
	};
}

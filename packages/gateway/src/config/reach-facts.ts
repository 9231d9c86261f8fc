import type { AuthMode } from "../auth/auth-mode.ts";
import { staysHere } from "../transport/address.ts";
import { createNetworks, type Networks } from "../transport/networks.ts";
import type { Config } from "./load.ts";

/** Settings that decide which clients can reach the gateway. */
export interface Reach {
	readonly auth: AuthMode;
	/** Whether other machines can reach a listener. */
	readonly beyond: boolean;
	readonly tls: boolean;
	/** Origin (https) at which clients reach the gateway through a proxy. */
	readonly publicUrl: string | undefined;
	/** Whether other machines can reach a listener without TLS because the operator allowed it. */
	readonly insecureLan: boolean;
	/**
	 * Whether programs of the gateway's user need no token in mode `local`. False in other modes. Also false with a
	 * public URL, a trusted proxy, or a non-loopback listener, because external requests can then arrive through a
	 * local program.
	 */
	readonly localTrust: boolean;
	/** Proxies whose headers about the client are trusted. */
	readonly proxies: Networks | undefined;
}

export function reachOf({ listen, auth, tls, trustedProxies = [], publicUrl, insecureLan }: Config): Reach {
	const beyond = !listen.every(staysHere);
	return {
		auth,
		beyond,
		publicUrl,
		tls: tls !== undefined,
		insecureLan: beyond && insecureLan === true && tls === undefined,
		localTrust: auth === "local" && !beyond && publicUrl === undefined && trustedProxies.length === 0,
		proxies: trustedProxies.length > 0 ? createNetworks(trustedProxies) : undefined,
	};
}

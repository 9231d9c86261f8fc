import { isIPv4, isIPv6 } from "node:net";
import { KnownNetworks } from "./known-networks.ts";

/** Address at which a listener listens. */
export interface Endpoint {
	/** An IP address, without the brackets of IPv6, or a name. */
	readonly host: string;
	/** Port; 0 means any free port. */
	readonly port: number;
}

const loopback = new KnownNetworks((list) => {
	list.addSubnet("127.0.0.0", 8, "ipv4");
	list.addAddress("::1", "ipv6");
});

/** Parses `HOST:PORT`, with IPv6 in brackets (`[::1]:7777`). Returns undefined for other texts. */
export function parseEndpoint(text: string): Endpoint | undefined {
	const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(0|[1-9][0-9]{0,4})$/i.exec(text);
	const [, ipv6, name, digits] = parts ?? [];
	const host = ipv6 ?? name;
	const port = Number(digits);
	if (host === undefined || port > 65_535) return undefined;
	if (ipv6 !== undefined && !isIPv6(ipv6)) return undefined;
	return { host, port };
}

/** Formats an endpoint as `HOST:PORT`, with IPv6 in brackets, as `parseEndpoint` reads it. */
export function formatEndpoint({ host, port }: Endpoint): string {
	// Only IPv6 addresses contain a colon. The first call of Node's own check would take milliseconds.
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether an IP address is a loopback address. Accepts IPv4 addresses in IPv6 form. Returns false for names. */
export function isLoopback(address: string): boolean {
	if (isIPv4(address)) return loopback.has(address, "ipv4");
	return isIPv6(address) && loopback.has(address, "ipv6");
}

/** Whether a listener at this endpoint is reachable only from this machine. */
export function staysHere({ host }: Endpoint): boolean {
	return isLoopback(host) || host.toLowerCase() === "localhost";
}

import { isIP } from "node:net";
import { KnownNetworks } from "../transport/known-networks.ts";

/**
 * Loopback, private, link-local and shared networks: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const nearby = new KnownNetworks((list) => {
	list.addSubnet("127.0.0.0", 8);
	list.addSubnet("10.0.0.0", 8);
	list.addSubnet("172.16.0.0", 12);
	list.addSubnet("192.168.0.0", 16);
	list.addSubnet("169.254.0.0", 16);
	list.addSubnet("100.64.0.0", 10);
	list.addAddress("::1", "ipv6");
	list.addSubnet("fc00::", 7, "ipv6");
	list.addSubnet("fe80::", 10, "ipv6");
});

/**
 * Pattern of host names for this machine and for local networks. `isNearby` also accepts names without a dot, such as
 * the name of a container.
 */
const nearbyNames = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)$/;

/**
 * Parses the http or https address of a server. Removes a trailing `/v1` and slashes. Returns undefined for any other
 * text, and for an address with a user name, a password, a query or a fragment.
 */
export function parseBaseUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol)) return undefined;
	const extra = [url.username, url.password, url.search, url.hash];
	if (extra.some((part) => part !== "") || /[?#]/.test(text)) return undefined;
	url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
	return url;
}

/**
 * Parses the address of an API, and keeps the version in its path. Returns undefined if `parseBaseUrl` returns
 * undefined for the text.
 */
export function parseApiUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	return url && parseBaseUrl(text) ? url : undefined;
}

/** Whether an address is Anthropic's own server over https. */
export function isOfficial(url: URL): boolean {
	return url.protocol === "https:" && url.hostname === "api.anthropic.com";
}

/** Whether an address is on this machine or in a private network, according to the host name. */
export function isNearby({ hostname }: URL): boolean {
	const host = hostname.replace(/^\[|\]$/g, "");
	const family = isIP(host);
	if (family !== 0) return nearby.has(host, family === 6 ? "ipv6" : "ipv4");
	return !host.includes(".") || nearbyNames.test(host);
}

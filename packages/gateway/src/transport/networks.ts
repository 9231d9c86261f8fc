import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Set of IP addresses and networks. All spellings of an address are treated as equal. */
export interface Networks {
	/** Whether the set contains an address. False for a text that is not an IP address. */
	has(address: string): boolean;
}

/**
 * Whether a text is an IP address or a network in CIDR form (`10.0.0.0/8`). False for other notations (`10.1`,
 * `10.0.0.0/08`), and for a network that contains all addresses of a family (`0.0.0.0/0`, `::ffff:0:0/96`).
 */
export function isNetwork(text: string): boolean {
	const [address = "", bits] = text.split(/\/(.*)/s);
	if (isIP(address) === 0 || address.includes("%")) return false;
	if (bits === undefined) return true;
	const length = /^[1-9]\d{0,2}$/.test(bits) ? Number(bits) : 0;
	const ip = ipaddr.parse(address);
	const isMapped = "isIPv4MappedAddress" in ip && ip.isIPv4MappedAddress();
	return length > (isMapped ? 96 : 0) && length <= (isIP(address) === 6 ? 128 : 32);
}

/** Creates a set of addresses and networks from texts that `isNetwork` has accepted. */
export function createNetworks(texts: readonly string[]): Networks {
	const ranges = texts.map((text) => {
		const range = ipaddr.parseCIDR(text.includes("/") ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
		return unmapped(range);
	});
	return {
		has(address) {
			if (isIP(address) === 0) return false;
			const ip = ipaddr.process(address);
			return ranges.some((range) => range[0].kind() === ip.kind() && ip.match(range));
		},
	};
}

/** Returns the normal form of an IP address: IPv4 instead of mapped IPv6, without a zone. Other texts stay unchanged. */
export function plainAddress(address: string): string {
	const [bare = ""] = address.split("%");
	return isIP(bare) === 0 ? address : ipaddr.process(bare).toString();
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Converts a network of mapped IPv4 addresses to an IPv4 network, for example `::ffff:10.0.0.0/104` to `10.0.0.0/8`.
 * Addresses are compared in their normal form.
 */
function unmapped([ip, bits]: Range): Range {
	return "isIPv4MappedAddress" in ip && ip.isIPv4MappedAddress() && bits >= 96
		? [ip.toIPv4Address(), bits - 96]
		: [ip, bits];
}

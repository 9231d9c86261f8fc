import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Not read from a text: that takes a millisecond of each start. */
type Ipv6Network = [address: ipaddr.IPv6, bits: number];

/** Where all addresses of the public IPv6 network are: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_IPV6: Ipv6Network = [new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3];
/** Public IPv4 addresses as a translator of an IPv6-only network writes them: https://www.rfc-editor.org/rfc/rfc6052 */
const TRANSLATED_IPV4: Ipv6Network = [new ipaddr.IPv6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0]), 96];
/** Looks public, and is the host of every Azure machine: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const AZURE_HOST = "168.63.129.16";
/** A wider one is a tunnel's route for everything, and tells no neighbours apart. */
const WIDEST_PREFIX = 8;

/**
 * Whether the address belongs to the public internet. Everything that is not certain to is refused: special ranges,
 * IPv6 forms that hold an IPv4 address (but for translated public ones), zone ids, and what is no address.
 */
export function isPublicAddress(text: string): boolean {
	const address = parse(text);
	if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
	if (address === undefined || address.zoneId !== undefined) return false;
	if (address.match(TRANSLATED_IPV4)) {
		return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(-4)));
	}
	return address.match(GLOBAL_IPV6) && address.range() === "unicast";
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
	return address.range() === "unicast" && address.toString() !== AZURE_HOST;
}

/** Whether the address is of this machine or of a network that it is part of, where public addresses are in use too. */
export function isNeighbour(
	text: string,
	interfaces: NodeJS.Dict<readonly NetworkInterfaceInfo[]> = networkInterfaces(),
): boolean {
	const address = parse(text);
	const own = Object.values(interfaces).flatMap((infos) => infos ?? []);
	return own.some(({ cidr }) => {
		if (address === undefined || cidr === null) return false;
		const [network, prefix] = ipaddr.parseCIDR(cidr);
		return network.kind() === address.kind() && prefix >= WIDEST_PREFIX && address.match(network, prefix);
	});
}

/** The address that a host is, for a URL; undefined where it is a name. */
export function addressOf({ hostname }: URL): string | undefined {
	const bare = hostname.replace(/^\[(.*)\]$/, "$1");
	return parse(bare) && bare;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

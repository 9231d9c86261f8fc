import { lookup as lookupSystem } from "node:dns/promises";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { type Clock, ParleyError } from "@parley/base";
import ipaddr from "ipaddr.js";
import { fetchTexts } from "./texts.ts";

/**
 * Addresses and ports to which connections are allowed. The gateway's code chooses the `Reach`, never a model or a web
 * page.
 */
export interface Reach {
	readonly ports: readonly number[];
	allows(address: string): boolean;
}

export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * The public internet, on the HTTP and HTTPS ports. Excludes this machine and its networks, even if their addresses are
 * public.
 */
export const publicReach: Reach = {
	ports: [80, 443],
	allows: (address) => isPublicAddress(address) && !isNeighbour(address),
};

/** Resolves a name with the system's resolver, including its hosts file. */
export const systemLookup: Lookup = async (name) => {
	const found = await lookupSystem(name, { all: true, order: "verbatim" });
	return found.map(({ address }) => address);
};

/**
 * Returns all addresses of a URL's host, if `reach` allows all of them. Throws `permission_denied` if one address is
 * forbidden, because the host's DNS server could determine which address is used. Throws `unavailable` if there is no
 * address, and the signal's reason if the signal aborts.
 */
export async function findAddresses(
	url: URL,
	{ reach, lookup }: { readonly reach: Reach; readonly lookup: Lookup },
	signal: AbortSignal,
): Promise<readonly string[]> {
	const literal = addressOf(url);
	const addresses = literal === undefined ? await lookUp(url.hostname, lookup, signal) : [literal];
	if (addresses.length === 0) throw unknownName(url.hostname);
	if (!addresses.every((address) => reach.allows(address))) throw notReached(url);
	return addresses;
}

/**
 * Returns the error for a host with a forbidden address or port. The error does not reveal the host's address, because
 * the address may belong to the local network.
 */
export function notReached({ host }: URL): ParleyError {
	const message = fetchTexts.notReached(host);
	return new ParleyError(message, { code: "permission_denied" });
}

async function lookUp(name: string, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
	try {
		// The system's resolver cannot be cancelled, so a late result is ignored.
		return await orAborted(lookup(name), signal);
	} catch (reason) {
		signal.throwIfAborted();
		throw unknownName(name, reason);
	}
}

function unknownName(name: string, cause?: unknown): ParleyError {
	return new ParleyError(fetchTexts.noAddress(name), { code: "unavailable", cause });
}

/**
 * A network. The address is given as numbers, because parsing text would add a millisecond to each start of the
 * gateway.
 */
type Ipv6Network = [address: ipaddr.IPv6, bits: number];

/** Range of all public IPv6 addresses: https://www.iana.org/assignments/ipv6-address-space */
const GLOBAL_IPV6: Ipv6Network = [new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]), 3];
/**
 * Well-known prefix of NAT64. Addresses with the prefix contain an IPv4 address: https://www.rfc-editor.org/rfc/rfc6052
 */
const TRANSLATED_IPV4: Ipv6Network = [new ipaddr.IPv6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0]), 96];
/**
 * Public IP address at which every Azure virtual machine reaches services of the Azure platform:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const AZURE_HOST = "168.63.129.16";
/**
 * Shortest prefix length of a local network. An interface with a shorter prefix is a tunnel that routes all addresses.
 */
const WIDEST_PREFIX = 8;

/**
 * Whether the address belongs to the public internet. False for special ranges, zone ids, and texts that are not
 * addresses. False for an IPv6 address that contains an IPv4 address, except for a public IPv4 address in NAT64.
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

/**
 * Whether the address belongs to this machine or to one of its networks. An address of this machine can also be public.
 */
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

/** Returns the address of a host in a URL, or undefined for a name. */
export function addressOf({ hostname }: URL): string | undefined {
	const bare = hostname.replace(/^\[(.*)\]$/, "$1");
	return parse(bare) && bare;
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
	if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
	return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** Resolves with the result of the promise, or rejects with the signal's reason when the signal aborts. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const stop = (): void => reject(signal.reason);
	signal.addEventListener("abort", stop, { once: true });
	if (signal.aborted) stop();
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

/**
 * Runs `work` with a signal that aborts when `signal` aborts or after `ms` milliseconds. After `ms`, the reason of the
 * signal is a `deadline_exceeded` error that names `subject`.
 */
export async function within<T>(
	{ ms, subject, clock }: { readonly ms: number; readonly subject: string; readonly clock: Clock },
	signal: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const overtime = new AbortController();
	const timer = clock.after(ms, () =>
		overtime.abort(new ParleyError(fetchTexts.tooSlow(subject, ms / 1000), { code: "deadline_exceeded" })),
	);
	try {
		return await work(AbortSignal.any([signal, overtime.signal]));
	} finally {
		timer.cancel();
	}
}

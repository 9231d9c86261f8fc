import { lookup as lookupSystem } from "node:dns/promises";
import { ParleyError } from "@parley/base";
import { addressOf, isNeighbour, isPublicAddress } from "./address.ts";
import { orAborted } from "./time-limit.ts";

/** What may be connected to. Whoever creates the tool decides it; no model and no page can. */
export interface Reach {
	readonly ports: readonly number[];
	allows(address: string): boolean;
}

/** Finds the addresses of a name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** The public internet, at the ports of web pages. */
export const publicReach: Reach = {
	ports: [80, 443],
	allows: (address) => isPublicAddress(address) && !isNeighbour(address),
};

/** As the system finds them for every program, its hosts file included. */
export const systemLookup: Lookup = async (name) => {
	const found = await lookupSystem(name, { all: true, order: "verbatim" });
	return found.map(({ address }) => address);
};

/**
 * The addresses to connect to for a URL, all of them checked: one that is not allowed refuses the name, since whoever
 * answers for it would choose which one is used. Throws what the model can read, or the signal's reason.
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

/** The refusal of a host that may not be connected to. It does not tell the address, which is the network's own. */
export function notReached({ host }: URL): ParleyError {
	const message = `"${host}" is not on the public internet; web_fetch reaches neither this machine nor its networks`;
	return new ParleyError(message, { code: "permission_denied" });
}

/** The system's resolver cannot be stopped, only left alone. */
async function lookUp(name: string, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
	try {
		return await orAborted(lookup(name), signal);
	} catch (reason) {
		signal.throwIfAborted();
		throw unknownName(name, reason);
	}
}

function unknownName(name: string, cause?: unknown): ParleyError {
	return new ParleyError(`no address was found for "${name}"`, { code: "unavailable", cause });
}

import { createIds, systemClock } from "@parley/base";
import { type Client, type ClientOptions, createClient } from "@parley/protocol";
import type { GatewayAddress } from "./gateway-address.ts";

/**
 * Creates a client of a running gateway. The client restores a lost connection, but does not retry the first
 * connection.
 */
export function connect(
	{ url, token, certificate }: GatewayAddress,
	onState?: ClientOptions["onState"],
): Client {
	const process = { clock: systemClock, ids: createIds() };
	return createClient({ url, token, certificate, ...process, retryFirst: false, onState });
}

import { createIds, systemClock } from "@parley/base";
import { type Client, type ClientOptions, createClient } from "@parley/protocol";
import type { GatewayAddress } from "./gateway-address.ts";

/** Connects to a running gateway. Restores lost connections. */
export function connect(
	{ url, token, certificate }: GatewayAddress,
	onState?: ClientOptions["onState"],
): Client {
	const process = { clock: systemClock, ids: createIds() };
	return createClient({ url, token, certificate, ...process, retryFirst: false, onState });
}

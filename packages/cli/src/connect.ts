import { createIds, systemClock } from "@parley/base";
import { type Client, type ClientOptions, createClient } from "@parley/protocol";
import type { GatewayAddress } from "./gateway-address.ts";

/** Connects to a gateway that has to be there; later losses are waited out. */
export function connect({ url, token }: GatewayAddress, onState?: ClientOptions["onState"]): Client {
	return createClient({ url, token, clock: systemClock, ids: createIds(), retryFirst: false, onState });
}

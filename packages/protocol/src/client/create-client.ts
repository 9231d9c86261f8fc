import { ParleyError } from "@parley/base";
import type { Client, ClientOptions } from "./client.ts";
import { resolveEndpoint } from "./endpoint.ts";
import { GatewayClient } from "./gateway-client.ts";

/**
 * Connects to a gateway and stays connected: after a loss with waiting times up to 10 s, until `close()`. Only a
 * refused handshake (401, 403, 421), or a failing first connection with `retryFirst: false`, or a gateway that breaks
 * the protocol again and again, ends it: everything then rejects with the reason. Throws on a bad URL or token.
 */
export function createClient(options: ClientOptions): Client {
	if (options.token !== undefined && !/^[!-~]+$/.test(options.token)) {
		throw new ParleyError("the token is empty or has characters that no token has", {
			code: "invalid_argument",
		});
	}
	const client = new GatewayClient(options, resolveEndpoint(options.url));
	client.start();
	return client;
}

import { ParleyError } from "@parley/base/portable";
import type { Client, ClientOptions } from "./client.ts";
import { GatewayClient } from "./gateway-client.ts";

/**
 * Connects to a gateway until `close()`, and reconnects after each loss with delays up to 10 s. The client also ends
 * after:
 * - a refused handshake (400, 401, 403, 421)
 * - a failed first connection with `retryFirst: false`
 * - repeated protocol violations by the gateway
 *
 * All calls then reject with the reason. Throws if the URL or the token is invalid.
 */
export function createClient(options: ClientOptions): Client {
	if (options.token !== undefined && !/^[!-~]+$/.test(options.token)) {
		throw new ParleyError(
			"the token is empty or contains invalid characters: use the complete output of `parley token`",
			{
				code: "invalid_argument",
			},
		);
	}
	const client = new GatewayClient(options, resolveEndpoint(options.url));
	client.start();
	return client;
}

const websocketProtocols: Readonly<Record<string, string>> = {
	"ws:": "ws:",
	"wss:": "wss:",
	"http:": "ws:",
	"https:": "wss:",
};

/**
 * Returns the WebSocket URL for the address of a gateway. Without a path, `http://HOST:PORT` becomes
 * `ws://HOST:PORT/api/ws`. Throws `invalid_argument` if the text is not a URL with the scheme http, https, ws or wss.
 * Also throws if the URL has a user, a password, a query or a fragment.
 */
export function resolveEndpoint(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const protocol = url && websocketProtocols[url.protocol];
	if (!url || !protocol) {
		throw new ParleyError(
			`"${text}" is not the address of a gateway: use an address such as http://127.0.0.1:7777`,
			{
				code: "invalid_argument",
			},
		);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new ParleyError(
			`the gateway's address on ${url.host} has a user name, password, query or fragment: use only host, port and path`,
			{
				code: "invalid_argument",
			},
		);
	}
	url.protocol = protocol;
	if (url.pathname === "/") url.pathname = "/api/ws";
	return url;
}

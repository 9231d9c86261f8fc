import { ParleyError } from "@parley/base";
import type { Client, ClientOptions } from "./client.ts";
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

const websocketProtocols: Readonly<Record<string, string>> = {
	"ws:": "ws:",
	"wss:": "wss:",
	"http:": "ws:",
	"https:": "wss:",
};

/**
 * The address of the WebSocket for what a person writes: `http://HOST:PORT` means `ws://HOST:PORT/api/ws`, a path that
 * is given stays. Throws `invalid_argument` for anything else, also for a URL with a user or password in it.
 */
export function resolveEndpoint(text: string): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const protocol = url && websocketProtocols[url.protocol];
	if (!url || !protocol) {
		throw new ParleyError(`"${text}" is not a gateway's address: write it like http://127.0.0.1:7777`, {
			code: "invalid_argument",
		});
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new ParleyError(`the gateway's address on ${url.host} holds more than host, port and path`, {
			code: "invalid_argument",
		});
	}
	url.protocol = protocol;
	if (url.pathname === "/") url.pathname = "/api/ws";
	return url;
}

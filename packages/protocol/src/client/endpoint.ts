import { ParleyError } from "@parley/base";

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

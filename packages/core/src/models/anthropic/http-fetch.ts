import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Clock } from "@parley/base";

/** How long a connection may take to be there, in milliseconds, with all that TLS needs. */
const CONNECT_MS = 10_000;

/**
 * A `fetch` for requests whose body is a text: Node's HTTP client without the streams that `fetch` puts around it, which
 * are most of what lies between a request and the first byte of its answer. Follows no redirect and asks for nothing
 * compressed. Connections and proxies are those of Node's own agents. Of the response the body is to be iterated over,
 * and nothing else of it works.
 */
export function createHttpFetch(clock: Clock): typeof fetch {
	return async (input, init = {}) => responseOf(await ask(String(input), init, clock));
}

function ask(url: string, init: RequestInit, clock: Clock): Promise<IncomingMessage> {
	const { method = "GET", headers, signal } = init;
	const named = headers instanceof Headers ? headers : new Headers(headers);
	const request = url.startsWith("https:") ? requestSecure : requestPlain;
	return new Promise((resolve, reject) => {
		const asking = request(url, {
			method,
			headers: { ...Object.fromEntries(named), "accept-encoding": "identity" },
			...(signal && { signal }),
		});
		limitConnecting(asking, clock);
		asking.once("response", resolve);
		asking.on("error", reject);
		asking.end(init.body);
	});
}

/** Whether a host is there shows within seconds; what it then says may take minutes. */
function limitConnecting(asking: ClientRequest, clock: Clock): void {
	asking.once("socket", (socket) => {
		if (!socket.connecting) return;
		const timer = clock.after(CONNECT_MS, () => {
			asking.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }));
		});
		const stop = (): void => timer.cancel();
		socket.once("encrypted" in socket ? "secureConnect" : "connect", stop);
		asking.on("error", stop).on("close", stop);
	});
}

/** What is around the body of a `Response` by itself is what takes the time. */
function responseOf(answer: IncomingMessage): Response {
	const { statusCode: status = 0, statusMessage: statusText = "", headers } = answer;
	const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
	const response = new Response(null, { status, statusText, headers: named });
	return Object.defineProperty(response, "body", { value: answer, configurable: true });
}

import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { TLSSocket } from "node:tls";
import type { Clock } from "@parley/base";

/** How long a connection may take to be there, in milliseconds, with all that TLS needs. */
const CONNECT_MS = 10_000;

/**
 * A `fetch` for requests whose body is a text: Node's HTTP client without the streams that `fetch` puts around it, which
 * are most of what lies between a request and the first byte of its answer. Follows no redirect and asks for nothing
 * compressed. Connections and proxies are those of Node's own agents. Of the response there are the status and the headers,
 * and a body to be iterated over.
 */
export function createHttpFetch(clock: Clock): typeof fetch {
	return async (input, init = {}) => responseOf(await ask(String(input), init, clock));
}

function ask(url: string, init: RequestInit, clock: Clock): Promise<IncomingMessage> {
	const { method = "GET", headers, signal } = init;
	signal?.throwIfAborted();
	const named = headers instanceof Headers ? headers : new Headers(headers);
	const request = url.startsWith("https:") ? requestSecure : requestPlain;
	return new Promise((resolve, reject) => {
		const asking = request(url, {
			method,
			headers: { ...Object.fromEntries(named), "accept-encoding": "identity" },
		});
		asking.on("response", resolve);
		asking.on("error", reject);
		const abort = (): void => {
			// Where nothing else is told of its end: before it has a socket, and of an answer that is none of HTTP's.
			reject(signal?.reason);
			asking.destroy();
		};
		// Node's own option for it looks after streams of any kind: more than this one needs.
		signal?.addEventListener("abort", abort, { once: true });
		asking.on("close", () => reject(failure("ECONNRESET", "the connection was closed without an answer")));
		limitConnecting(asking, clock, reject);
		asking.end(init.body);
	});
}

/** Whether a host is there shows within seconds, behind a proxy too; what it then says may take minutes. */
function limitConnecting(asking: ClientRequest, clock: Clock, reject: (reason: Error) => void): void {
	const timer = clock.after(CONNECT_MS, () => {
		reject(failure("ETIMEDOUT", "no connection in time"));
		asking.destroy();
	});
	const stop = (): void => timer.cancel();
	asking.on("error", stop).on("close", stop);
	asking.on("socket", (socket) => {
		// One of TLS that is there already was kept from an earlier request.
		if (socket instanceof TLSSocket && socket.getProtocol() === null) socket.once("secureConnect", stop);
		else if (socket.connecting) socket.once("connect", stop);
		else stop();
	});
}

/** As much of a response as anybody asks for. */
interface Told extends Pick<Response, "status" | "statusText" | "ok" | "headers"> {
	readonly body: IncomingMessage;
}

/** What is around the body of a `Response` by itself is what takes the time. */
function responseOf(answer: IncomingMessage): Response {
	const { statusCode: status = 0, statusMessage: statusText = "", headers } = answer;
	if (status < 200 || status > 599) {
		answer.destroy();
		throw failure("HPE_INVALID_STATUS", `the status ${status} is none of HTTP's`);
	}
	const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
	const told: Told = { status, statusText, ok: status < 300, headers: new Headers(named), body: answer };
	// True of what the SDK asks of a response that is streamed, and of what `Exchange` does.
	return told as unknown as Response;
}

function failure(code: string, message: string): Error {
	return Object.assign(new Error(message), { code });
}

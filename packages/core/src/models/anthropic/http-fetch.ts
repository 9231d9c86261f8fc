import {
	type ClientRequest,
	type IncomingMessage,
	Agent as PlainAgent,
	request as requestPlain,
} from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import type { Clock } from "@parley/base";

/** How long a connection may take to be there, in milliseconds, with all that TLS needs. */
const CONNECT_MS = 10_000;

/** How long a connection that nobody uses stays open, in milliseconds; servers may say less with `Keep-Alive`. */
const IDLE_MS = 60_000;

/** How a request fails whose connection the server had closed before it came. */
const closed: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

/**
 * A `fetch` for requests whose body is a text: Node's HTTP client without the streams that `fetch` puts around it, which
 * are most of what lies between a request and the first byte of its answer. Follows no redirect and asks for nothing
 * compressed. Connections are kept for the next request, which takes another where the server has closed its own. Of the
 * response the body is to be iterated over, and nothing else of it works. Goes through the proxy of the environment
 * where that tells Node to (`NODE_USE_ENV_PROXY=1`).
 */
export function createHttpFetch(clock: Clock, environment = process.env): typeof fetch {
	const proxied = environment["NODE_USE_ENV_PROXY"] === "1" && { proxyEnv: environment };
	const kept = { keepAlive: true, timeout: IDLE_MS, ...proxied };
	const plain = new PlainAgent(kept);
	const secure = new SecureAgent(kept);
	const open = (url: string, init: RequestInit): ClientRequest => {
		const options = optionsOf(init);
		return url.startsWith("https:")
			? requestSecure(url, { ...options, agent: secure })
			: requestPlain(url, { ...options, agent: plain });
	};
	const ask = (url: string, init: RequestInit): Promise<IncomingMessage> =>
		new Promise((resolve, reject) => {
			let answered = false;
			const asking = open(url, init);
			limitConnecting(asking, clock);
			asking.on("response", (answer) => {
				answered = true;
				resolve(answer);
			});
			asking.on("error", (reason: NodeJS.ErrnoException) => {
				// Nothing of it was read by anybody, and there is one kept connection less to try.
				if (!answered && asking.reusedSocket && closed.has(reason.code)) resolve(ask(url, init));
				else reject(reason);
			});
			asking.end(init.body);
		});
	return async (input, init = {}) => responseOf(await ask(String(input), init));
}

function optionsOf({ method = "GET", headers, signal }: RequestInit) {
	const named = headers instanceof Headers ? headers : new Headers(headers);
	return {
		method,
		headers: { ...Object.fromEntries(named), "accept-encoding": "identity" },
		...(signal && { signal }),
	};
}

/** Whether a host is there shows within seconds; what it then says may take minutes. */
function limitConnecting(asking: ClientRequest, clock: Clock): void {
	asking.on("socket", (socket) => {
		if (!socket.connecting) return;
		const timer = clock.after(CONNECT_MS, () => {
			asking.destroy(Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" }));
		});
		const stop = (): void => timer.cancel();
		socket.once("encrypted" in socket ? "secureConnect" : "connect", stop).once("close", stop);
	});
}

/** What is around the body of a `Response` by itself is what takes the time. */
function responseOf(answer: IncomingMessage): Response {
	const { statusCode: status = 0, statusMessage: statusText = "", headers } = answer;
	const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
	const response = new Response(null, { status, statusText, headers: named });
	return Object.defineProperty(response, "body", { value: answer, configurable: true });
}

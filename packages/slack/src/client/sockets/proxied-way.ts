import type { Duplex } from "node:stream";
import { type Dispatcher, EnvHttpProxyAgent } from "undici";

/**
 * Whether Node sends what `fetch` asks through the proxies of the environment: then sockets, of which Node knows nothing,
 * go there, too. https://nodejs.org/docs/latest-v24.x/api/cli.html#node_use_env_proxy1
 */
export function usesProxies(environment: Readonly<Record<string, string | undefined>>): boolean {
	return environment["NODE_USE_ENV_PROXY"] === "1";
}

/** The way of one socket through the proxies of HTTPS_PROXY and HTTP_PROXY, but for the hosts of NO_PROXY. */
export class ProxiedWay {
	// HTTP/2, which proxies let through, would share one connection between sockets.
	readonly #agent = new EnvHttpProxyAgent({ allowH2: false });
	#stream: Duplex | undefined;
	/** For the client that opens the socket. */
	readonly dispatcher: Dispatcher = this.#agent.compose(
		(dispatch) => (options, handler) => dispatch(options, this.#keeping(handler)),
	);

	/** Ends the connection, whatever the other side says to that: the client can do so only where it goes another way. */
	end(): void {
		this.#stream?.destroy();
		// Nobody waits for what is still on its way.
		void this.#agent.destroy();
	}

	/** Hands everything on, and keeps the connection that becomes a socket. */
	#keeping(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
		return {
			onRequestStart: (...given) => handler.onRequestStart?.(...given),
			onRequestUpgrade: (controller, status, headers, stream) => {
				this.#stream = stream;
				return handler.onRequestUpgrade?.(controller, status, headers, stream);
			},
			onResponseStart: (...given) => handler.onResponseStart?.(...given),
			onResponseData: (...given) => handler.onResponseData?.(...given),
			onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
			onResponseError: (...given) => handler.onResponseError?.(...given),
		};
	}
}

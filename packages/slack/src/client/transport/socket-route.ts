import type { Duplex } from "node:stream";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";

/**
 * Whether Node sends the requests of `fetch` through the proxies of the environment. Node does not do so for sockets, so
 * that the route of a socket does. https://nodejs.org/docs/latest-v24.x/api/cli.html#node_use_env_proxy1
 */
export function usesProxies(environment: Readonly<Record<string, string | undefined>>): boolean {
	return environment["NODE_USE_ENV_PROXY"] === "1";
}

/** The connection of one socket: direct, or through the proxies of HTTPS_PROXY and HTTP_PROXY except for NO_PROXY. */
export class SocketRoute {
	readonly #agent: Agent | EnvHttpProxyAgent;
	#stream: Duplex | undefined;
	/** Opens the connection of the socket. */
	readonly dispatcher: Dispatcher;

	constructor(useProxies: boolean) {
		// HTTP/2 would share one connection between sockets, also through a proxy.
		this.#agent = useProxies ? new EnvHttpProxyAgent({ allowH2: false }) : new Agent({ allowH2: false });
		this.dispatcher = this.#agent.compose(
			(dispatch) => (options, handler) => dispatch(options, this.#keeping(handler)),
		);
	}

	/** Ends the connection at once, without an answer of the other side. A WebSocket itself cannot do so. */
	end(): void {
		this.#stream?.destroy();
		// A request that is still running ends with an error, which the socket reports.
		void this.#agent.destroy();
	}

	/** Passes every call on, and keeps the connection that becomes a socket. */
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

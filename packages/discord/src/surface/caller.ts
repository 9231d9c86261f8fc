import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type RateLimit } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordPort, DiscordRequest } from "../vocabulary/discord-port.ts";
import type { RateLimits, Route } from "./rate-limits.ts";
import { refusalOf } from "./refused.ts";

/** Response to a request that Discord executed. */
export interface ApiResponse {
	readonly body: unknown;
	/** Buckets that are empty or nearly empty. */
	readonly limits: readonly RateLimit[];
}

export interface CallerParts {
	readonly port: DiscordPort;
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Pause in milliseconds after a refused token, because 10,000 refusals in ten minutes lead to a ban. */
const refusedMs = 60_000;

/** Sends single requests. Rejects with a `DeliveryError` unless the request succeeds. */
export class Caller {
	readonly #parts: CallerParts;
	#refusedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: CallerParts) {
		this.#parts = parts;
	}

	/**
	 * Sends a request. `channel` is the scope of the rate limit. Without `channel`, the response's rate limits
	 * are ignored.
	 */
	async ask(request: DiscordRequest, route: Route, channel?: string): Promise<ApiResponse> {
		const { port, limits, clock, log } = this.#parts;
		const own = request.authorized !== false;
		if (own && clock.monotonic() < this.#refusedUntil) throw refusedToken();
		const response = await port.request(request).catch((cause: unknown) => {
			throw DeliveryError.from(cause);
		});
		if (own && response.status === 401) {
			this.#refusedUntil = clock.monotonic() + refusedMs;
			log.error(deliveryTexts.tokenRefused);
			throw refusedToken();
		}
		if (response.status >= 300)
			throw refusalOf(response, limits.nameOf(route, channel ?? "without a channel"));
		return {
			body: response.body,
			limits: channel === undefined ? [] : limits.learn(route, channel, response),
		};
	}
}

function refusedToken(): DeliveryError {
	return new DeliveryError(deliveryTexts.tokenRefused, { kind: "unknown" });
}

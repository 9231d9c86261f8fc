import type { Clock, Logger } from "@parley/base";
import { DeliveryError, type RateLimit } from "@parley/connector";
import type { DiscordPort, DiscordRequest } from "../vocabulary/discord-port.ts";
import type { RateLimits, Route } from "./rate-limits.ts";
import { refusalOf } from "./refused.ts";

/** What Discord answered to a request that it carried out. */
export interface Carried {
	readonly body: unknown;
	/** Buckets that are empty, or nearly. */
	readonly limits: readonly RateLimit[];
}

export interface CallerParts {
	readonly port: DiscordPort;
	readonly limits: RateLimits;
	readonly clock: Clock;
	readonly log: Logger;
}

/** After Discord has refused the token it is not asked for this long: 10,000 refusals in ten minutes are a ban. */
const refusedMs = 60_000;

/** Makes single requests, and turns what is no success into a `DeliveryError`. */
export class Caller {
	readonly #parts: CallerParts;
	#refusedUntil = Number.NEGATIVE_INFINITY;

	constructor(parts: CallerParts) {
		this.#parts = parts;
	}

	/** `channel` is what the route is limited by; absent where the token stands in the path, which is not limited. */
	async ask(request: DiscordRequest, route: Route, channel?: string): Promise<Carried> {
		const { port, limits, clock, log } = this.#parts;
		const own = request.authorized !== false;
		if (own && clock.monotonic() < this.#refusedUntil) throw refusedToken();
		const response = await port.request(request).catch((cause: unknown) => {
			throw DeliveryError.from(cause);
		});
		if (own && response.status === 401) {
			this.#refusedUntil = clock.monotonic() + refusedMs;
			log.error("Discord refuses the bot's token: give the connector another one");
			throw refusedToken();
		}
		if (response.status >= 300) throw refusalOf(response, limits.nameOf(route, channel ?? "of no channel"));
		return {
			body: response.body,
			limits: channel === undefined ? [] : limits.learn(route, channel, response),
		};
	}
}

function refusedToken(): DeliveryError {
	return new DeliveryError("Discord refuses the bot's token", { kind: "unknown" });
}

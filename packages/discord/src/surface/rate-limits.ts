import type { Clock } from "@parley/base";
import type { RateLimit, Request } from "@parley/connector";
import type { DiscordResponse } from "../vocabulary/discord-port.ts";

/** Routes of Discord's API. Their rate limits are separate for each channel. */
export type Route = "create" | "edit" | "delete" | "typing" | "thread" | "rename" | "read" | "reaction";

/** Bucket of all requests: topics/rate-limits#global-rate-limit */
export const everything = "everything";

/** Default global limit of a bot, in requests per second: topics/rate-limits#global-rate-limit */
const usualPerSecond = 50;
/** Reserve in requests per second, for requests that are already in flight when the limit is reached. */
const inFlightReserve = 32;
/**
 * Minimum share of the global limit that the connector may use. The REST client refuses requests above the global
 * limit without sending them.
 */
const minShare = 1 / 3;
/** Share of a bucket that is reserved for urgent posts, because people wait for these posts. */
const reserve = 0.3;
const patient: ReadonlySet<Request["lane"]> = new Set(["milestone", "progress", "typing"]);

/** Rate limits from Discord's headers: topics/rate-limits#header-format */
export class RateLimits {
	readonly #clock: Clock;
	/** Discord's bucket names by route. Routes may share a bucket. */
	readonly #buckets = new Map<Route, string>();
	readonly #maxPerSecond: number;
	#second = { startedAt: 0, count: 0 };

	constructor(clock: Clock, perSecond: number = usualPerSecond) {
		this.#clock = clock;
		// `perSecond` is the global limit of the bot.
		this.#maxPerSecond = Math.max(perSecond - inFlightReserve, Math.ceil(perSecond * minShare));
	}

	nameOf(route: Route, channel: string): string {
		return `${this.#buckets.get(route) ?? route} ${channel}`;
	}

	scopes(route: Route, channel: string, lane: Request["lane"]): string[] {
		const name = this.nameOf(route, channel);
		return patient.has(lane) ? [everything, name, restOf(name)] : [everything, name];
	}

	/** Records a response. Returns the buckets that are empty, or that have only the reserve for urgent posts left. */
	learn(route: Route, channel: string, { headers }: DiscordResponse): RateLimit[] {
		const bucket = headers["x-ratelimit-bucket"];
		if (bucket !== undefined) this.#buckets.set(route, bucket);
		const [limit, remaining, after] = ["limit", "remaining", "reset-after"].map((name) =>
			Number(headers[`x-ratelimit-${name}`] ?? Number.NaN),
		);
		const name = this.nameOf(route, channel);
		const paced = this.#pace();
		if (limit === undefined || remaining === undefined || !(after !== undefined && after >= 0)) return paced;
		const retryAfterMs = after * 1000;
		if (remaining <= 0) paced.push({ scope: name, retryAfterMs });
		else if (remaining <= Math.floor(limit * reserve)) paced.push({ scope: restOf(name), retryAfterMs });
		return paced;
	}

	#pace(): RateLimit[] {
		const now = this.#clock.monotonic();
		if (now - this.#second.startedAt >= 1000) this.#second = { startedAt: now, count: 0 };
		this.#second.count += 1;
		if (this.#second.count < this.#maxPerSecond) return [];
		return [{ scope: everything, retryAfterMs: Math.max(1, this.#second.startedAt + 1000 - now) }];
	}
}

function restOf(name: string): string {
	return `${name} rest`;
}

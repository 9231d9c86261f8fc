import type { Clock } from "@parley/base";
import { DeliveryError, type RateLimit, type Request } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import { channelPosts, type Method, perMinute } from "../vocabulary/limits.ts";

/** Name of the limit on all calls. */
export const everything = "everything";

/** Share of a limit that is reserved for urgent calls. */
const reserve = 0.3;
const patient: ReadonlySet<Request["lane"]> = new Set(["milestone", "progress", "typing"]);
const minuteMs = 60_000;

/** A call with the data that determines its rate limits. */
export interface Counted {
	readonly method: Method;
	/** Channel, for a limit per channel. */
	readonly channel?: string;
	/** Lane of the post. Patient lanes leave three tenths of a limit to urgent ones. */
	readonly lane?: Request["lane"];
	/** Whether the call must follow an earlier call. Such a call is counted but never delayed. */
	readonly mustFollow?: boolean;
}

interface Bucket {
	readonly name: string;
	readonly maximum: number;
	readonly perMs: number;
}

/**
 * Counts calls as Slack does, so that calls wait instead of being refused. Slack counts calls per method in a
 * workspace, and also counts posts per channel (https://docs.slack.dev/apis/web-api/rate-limits).
 */
export class RateLimits {
	readonly #clock: Clock;
	/** Times of calls on the monotonic clock, by limit. This is not a cache: an eviction would allow further calls. */
	readonly #calls = new Map<string, number[]>();

	readonly #isUnlimited: boolean;

	/** Removes all limits if `unlimited` is true. */
	constructor(clock: Clock, { unlimited = false }: { readonly unlimited?: boolean | undefined } = {}) {
		this.#clock = clock;
		this.#isUnlimited = unlimited;
	}

	/** Returns the number of limits with recorded calls. */
	get size(): number {
		return this.#calls.size;
	}

	/** Returns the name of the limit that a refused call has exceeded. */
	nameOf({ method, channel }: Counted): string {
		return bucketsOf(method, channel).at(-1)?.name ?? method;
	}

	scopes({ method, channel, lane }: Counted): string[] {
		const names = bucketsOf(method, channel).map(({ name }) => name);
		return [everything, ...names, ...(isPatient(lane) ? names.map(restOf) : [])];
	}

	/** Counts a call. If the call must wait, throws `rate-limited` without counting it. */
	count({ method, channel, lane, mustFollow = false }: Counted): void {
		if (this.#isUnlimited) return;
		const buckets = bucketsOf(method, channel);
		const spare = (bucket: Bucket): number => (isPatient(lane) ? reserveOf(bucket) : 0);
		for (const bucket of mustFollow ? [] : buckets) {
			const wait = this.#waitFor(bucket, spare(bucket));
			if (wait <= 0) continue;
			const scope = this.#waitFor(bucket, 0) > 0 ? bucket.name : restOf(bucket.name);
			throw new DeliveryError(deliveryTexts.limited({ method: bucket.name }), {
				kind: "rate-limited",
				limit: { scope, retryAfterMs: wait },
			});
		}
		for (const bucket of buckets) this.#count(bucket, this.#clock.monotonic());
	}

	/** Returns the limits that are exhausted after a call, or that have only the reserve left. */
	emptied({ method, channel }: Counted): RateLimit[] {
		return bucketsOf(method, channel).flatMap((bucket) => {
			const wait = this.#waitFor(bucket, 0);
			if (wait > 0) return [{ scope: bucket.name, retryAfterMs: wait }];
			const rest = this.#waitFor(bucket, reserveOf(bucket));
			return rest > 0 ? [{ scope: restOf(bucket.name), retryAfterMs: rest }] : [];
		});
	}

	/**
	 * Returns the milliseconds until a call would leave `spare` calls of the limit. Returns at most 0 if no wait is
	 * necessary.
	 */
	#waitFor(bucket: Bucket, spare: number): number {
		const recent = this.#recent(bucket);
		const tooMany = recent.length + 1 + spare - bucket.maximum;
		const at = tooMany > 0 ? recent[tooMany - 1] : undefined;
		return at === undefined ? 0 : at + bucket.perMs - this.#clock.monotonic();
	}

	#recent({ name, perMs }: Bucket): number[] {
		const since = this.#clock.monotonic() - perMs;
		return (this.#calls.get(name) ?? []).filter((at) => at > since);
	}

	#count(bucket: Bucket, now: number): void {
		const recent = this.#recent(bucket);
		// The most recently used limit is last.
		this.#calls.delete(bucket.name);
		this.#calls.set(bucket.name, [...recent, now]);
		for (const [oldest, callTimes] of this.#calls) {
			if ((callTimes.at(-1) ?? now) > now - minuteMs) break;
			this.#calls.delete(oldest);
		}
	}
}

function bucketsOf(method: Method, channel: string | undefined): Bucket[] {
	const all = { name: method, maximum: perMinute[method], perMs: minuteMs };
	if (method !== "chat.postMessage" || channel === undefined) return [all];
	return [all, { name: `${method} ${channel}`, ...channelPosts }];
}

function reserveOf({ maximum }: Bucket): number {
	return Math.ceil(maximum * reserve);
}

function isPatient(lane: Request["lane"] | undefined): boolean {
	return lane !== undefined && patient.has(lane);
}

function restOf(name: string): string {
	return `${name} rest`;
}

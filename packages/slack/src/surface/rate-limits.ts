import type { Clock } from "@parley/base";
import { DeliveryError, type RateLimit, type Request } from "@parley/connector";
import { channelPosts, type Method, perMinute } from "../vocabulary/limits.ts";

/** Counts for all calls. */
export const everything = "everything";

/** The part of a bucket that is kept for what people wait for. */
const reserve = 0.3;
const patient: ReadonlySet<Request["lane"]> = new Set(["milestone", "progress", "typing"]);
const minuteMs = 60_000;

/** What a call counts towards, and how it is taken. */
export interface Counted {
	readonly method: Method;
	/** Of what is limited in each channel. */
	readonly channel?: string;
	/** What can wait leaves three tenths of a bucket to what cannot. */
	readonly lane?: Request["lane"];
	/** The call must follow one that was made: it is counted and never held up. */
	readonly owed?: boolean;
}

interface Bucket {
	readonly name: string;
	readonly most: number;
	readonly perMs: number;
}

/**
 * Counts calls as Slack does, for each method in a workspace, and posts in each channel
 * (https://docs.slack.dev/apis/web-api/rate-limits), so that none is refused that could have waited.
 */
export class RateLimits {
	readonly #clock: Clock;
	/** Monotonic times of the calls that may still count, by bucket. No cache: an evicted bucket would allow calls again. */
	readonly #calls = new Map<string, number[]>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** How many buckets are counted at the moment. */
	get size(): number {
		return this.#calls.size;
	}

	/** What is closed where Slack says that a call was one too many: nothing else. */
	nameOf({ method, channel }: Counted): string {
		return bucketsOf(method, channel).at(-1)?.name ?? method;
	}

	scopes({ method, channel, lane }: Counted): string[] {
		const names = bucketsOf(method, channel).map(({ name }) => name);
		return [everything, ...names, ...(isPatient(lane) ? names.map(restOf) : [])];
	}

	/** Counts a call, or throws `rate-limited` where it has to wait; then nothing is counted. */
	take({ method, channel, lane, owed = false }: Counted): void {
		const buckets = bucketsOf(method, channel);
		const spare = (bucket: Bucket): number => (isPatient(lane) ? reserveOf(bucket) : 0);
		for (const bucket of owed ? [] : buckets) {
			const wait = this.#waitFor(bucket, spare(bucket));
			if (wait <= 0) continue;
			const scope = this.#waitFor(bucket, 0) > 0 ? bucket.name : restOf(bucket.name);
			throw new DeliveryError(`${bucket.name} has had its calls for now`, {
				kind: "rate-limited",
				limit: { scope, retryAfterMs: wait },
			});
		}
		for (const bucket of buckets) this.#count(bucket, this.#clock.monotonic());
	}

	/** What is empty after a call, or full enough only for what is urgent. */
	emptied({ method, channel }: Counted): RateLimit[] {
		return bucketsOf(method, channel).flatMap((bucket) => {
			const wait = this.#waitFor(bucket, 0);
			if (wait > 0) return [{ scope: bucket.name, retryAfterMs: wait }];
			const rest = this.#waitFor(bucket, reserveOf(bucket));
			return rest > 0 ? [{ scope: restOf(bucket.name), retryAfterMs: rest }] : [];
		});
	}

	/** How long until one more call leaves `spare` of them. */
	#waitFor(bucket: Bucket, spare: number): number {
		const recent = this.#recent(bucket);
		const tooMany = recent.length + 1 + spare - bucket.most;
		const at = tooMany > 0 ? recent[tooMany - 1] : undefined;
		return at === undefined ? 0 : at + bucket.perMs - this.#clock.monotonic();
	}

	#recent({ name, perMs }: Bucket): number[] {
		const since = this.#clock.monotonic() - perMs;
		return (this.#calls.get(name) ?? []).filter((at) => at > since);
	}

	/** Channels in which nothing was posted for a while are forgotten: the last used is the last. */
	#count(bucket: Bucket, now: number): void {
		const recent = this.#recent(bucket);
		this.#calls.delete(bucket.name);
		this.#calls.set(bucket.name, [...recent, now]);
		for (const [oldest, made] of this.#calls) {
			if ((made.at(-1) ?? now) > now - minuteMs) break;
			this.#calls.delete(oldest);
		}
	}
}

function bucketsOf(method: Method, channel: string | undefined): Bucket[] {
	const all = { name: method, most: perMinute[method], perMs: minuteMs };
	if (method !== "chat.postMessage" || channel === undefined) return [all];
	return [all, { name: `${method} ${channel}`, ...channelPosts }];
}

function reserveOf({ most }: Bucket): number {
	return Math.ceil(most * reserve);
}

function isPatient(lane: Request["lane"] | undefined): boolean {
	return lane !== undefined && patient.has(lane);
}

function restOf(name: string): string {
	return `${name} rest`;
}

import { createHash } from "node:crypto";
import { Refusal, refusals } from "../platform/refusal.ts";
import type { Allowance } from "../platform/settings.ts";
import type { State } from "../platform/state.ts";

interface Window {
	count: number;
	endsAt: number;
}

export interface Counted {
	/** Method and route, for example `POST /channels/{channel_id}/messages`. */
	readonly label: string;
	readonly params: Readonly<Record<string, string>>;
	/** Whether the request needs no token. If so, the global limit does not apply. */
	readonly open: boolean;
}

const writes = /^(POST|PATCH|DELETE) \/channels\/\{channel_id\}\/messages/;

/** Rate limits of the app: https://discord.com/developers/docs/topics/rate-limits */
export class RateLimits {
	readonly #state: State;
	readonly #windows = new Map<string, Window>();
	#invalid: number[] = [];

	constructor(state: State) {
		this.#state = state;
	}

	/**
	 * Counts a request and returns the headers of its bucket. Throws a refusal with status 429 if a limit is
	 * reached.
	 */
	count(counted: Counted): Record<string, string> {
		const { global, channelWrites } = this.#state.settings;
		if (!counted.open) {
			const wait = this.#spend("global", global);
			if (wait !== undefined) throw limited(wait, "global");
		}
		const bucket = this.#bucket(counted);
		const headers = this.#headers(counted, bucket);
		if (bucket.wait !== undefined) throw withHeaders(limited(bucket.wait, "user"), headers);
		const channel = counted.params["channel_id"];
		if (channel === undefined || !writes.test(counted.label)) return headers;
		const wait = this.#spend(`writes/${channel}`, channelWrites);
		if (wait !== undefined) throw withHeaders(refusals.channelWrites(wait / 1000), headers);
		return headers;
	}

	/**
	 * Counts a response with 401, 403 or 429, unless the limit was shared:
	 * https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
	 */
	countInvalid({ status, details }: Refusal): void {
		const counts = [401, 403, 429].includes(status) && details.scope !== "shared";
		if (counts) this.#invalid = [...this.#recentInvalid(), this.#state.now()];
	}

	/** Returns the number of invalid requests in the time window of their limit. */
	get invalid(): number {
		return this.#recentInvalid().length;
	}

	get banned(): boolean {
		return this.invalid >= this.#state.settings.invalid.limit;
	}

	#recentInvalid(): number[] {
		const since = this.#state.now() - this.#state.settings.invalid.perMs;
		return this.#invalid.filter((at) => at > since);
	}

	#bucket({ label, params }: Counted) {
		const allowance = this.#state.settings.buckets[label] ?? this.#state.settings.bucket;
		// Each channel, guild, webhook token and interaction token has its own bucket. Discord calls these
		// "top-level resources": https://discord.com/developers/docs/topics/rate-limits
		const major =
			params["channel_id"] ?? params["guild_id"] ?? params["webhook_token"] ?? params["interaction_token"];
		const key = `${label}/${major ?? ""}`;
		return { key, allowance, wait: this.#spend(key, allowance) };
	}

	#spend(key: string, { limit, perMs }: Allowance): number | undefined {
		const now = this.#state.now();
		const known = this.#windows.get(key);
		const window = known && known.endsAt > now ? known : { count: 0, endsAt: now + perMs };
		this.#windows.set(key, window);
		if (window.count >= limit) return window.endsAt - now;
		window.count += 1;
		return undefined;
	}

	#headers(
		{ label }: Counted,
		{ key, allowance }: { readonly key: string; readonly allowance: Allowance },
	): Record<string, string> {
		const { count, endsAt } = this.#windows.get(key) ?? { count: 0, endsAt: this.#state.now() };
		return {
			"x-ratelimit-limit": String(allowance.limit),
			"x-ratelimit-remaining": String(allowance.limit - count),
			"x-ratelimit-reset": (endsAt / 1000).toFixed(3),
			"x-ratelimit-reset-after": ((endsAt - this.#state.now()) / 1000).toFixed(3),
			"x-ratelimit-bucket": createHash("sha256").update(label).digest("hex").slice(0, 32),
		};
	}
}

/** A refusal with the headers that describe its bucket. */
export class LimitedRefusal extends Refusal {
	readonly headers: Readonly<Record<string, string>>;

	constructor(refusal: Refusal, headers: Readonly<Record<string, string>>) {
		super(refusal.status, refusal.code, refusal.message, refusal.details);
		this.headers = headers;
	}
}

function withHeaders(refusal: Refusal, headers: Readonly<Record<string, string>>): LimitedRefusal {
	return new LimitedRefusal(refusal, headers);
}

export function limited(waitMs: number, scope: "user" | "global" | "shared"): Refusal {
	return new Refusal(429, 0, "You are being rate limited.", { retryAfter: waitMs / 1000, scope });
}

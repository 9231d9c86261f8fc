import { rateLimited } from "../platform/refusal.ts";
import type { Allowance } from "../platform/settings.ts";
import type { State } from "../platform/state.ts";
import type { Method } from "./method.ts";

const minute = 60_000;
/** Methods with lower limits for commercial apps: https://docs.slack.dev/apis/web-api/rate-limits#non-marketplace */
const history = new Set(["conversations.history", "conversations.replies"]);

/** Slack's rate limits: https://docs.slack.dev/apis/web-api/rate-limits */
export class RateLimits {
	readonly #state: State;
	readonly #calls = new Map<string, number[]>();

	constructor(state: State) {
		this.#state = state;
	}

	/**
	 * Counts a call. If the limit is reached, throws a refusal with status 429 and a waiting time, and does not count the
	 * call.
	 */
	count({ name, tier }: Method, channel: unknown): void {
		const { settings } = this.#state;
		if (tier === "post") {
			this.#spend(`${name} ${String(channel)}`, settings.posts);
			return;
		}
		const isSlow = settings.app === "commercial" && history.has(name);
		this.#spend(name, { limit: isSlow ? 1 : settings.tiers[tier], perMs: minute });
	}

	#spend(key: string, { limit, perMs }: Allowance): void {
		const now = this.#state.now();
		const recent = (this.#calls.get(key) ?? []).filter((at) => at > now - perMs);
		this.#calls.set(key, recent);
		const [oldest] = recent;
		if (oldest !== undefined && recent.length >= limit) throw rateLimited(oldest + perMs - now);
		recent.push(now);
	}
}

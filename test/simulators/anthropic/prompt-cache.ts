import { createHash } from "node:crypto";
import type { Clock } from "@parley/base";
import type { PromptBlock } from "./tokenizer.ts";

const lifetimes = { "5m": 300_000, "1h": 3_600_000 } as const;

/** Number of blocks in which to find a cached prefix: the block with the breakpoint and the 19 blocks before it. */
const LOOKBACK = 20;

/** Minimum length in tokens. Some models require longer prefixes. */
const LEAST_TOKENS = 1_024;

/** Tokens of one prompt, grouped by their use of the cache. */
export interface CacheUse {
	readonly read: number;
	readonly written5m: number;
	readonly written1h: number;
	/** Tokens that are neither read from the cache nor written to it. */
	readonly rest: number;
}

interface Entry {
	readonly lifetime: number;
	expires: number;
}

/**
 * Prompt caching as documented by the service. The prefix up to a breakpoint is cached for five minutes or an
 * hour after its last use. A later prompt reads the longest cached prefix that ends at one of its breakpoints
 * or at one of the 19 blocks before it. https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export class PromptCache {
	readonly #entries = new Map<string, Entry>();
	readonly #clock: Clock;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Returns the use of the cache by a prompt, and caches the prompt. `scope` is the model, because each model has
	 * its own cache entries.
	 */
	use(scope: string, blocks: readonly PromptBlock[]): CacheUse {
		const prefixes = prefixesOf(scope, blocks);
		const total = prefixes.at(-1)?.tokens ?? 0;
		const breakpoints = [...blocks.entries()].flatMap(([index, { ttl }]) => (ttl ? [{ index, ttl }] : []));
		const hit = this.#longestHit(
			prefixes,
			breakpoints.map(({ index }) => index),
		);
		const read = hit === undefined ? 0 : (prefixes[hit]?.tokens ?? 0);
		const written = { "5m": 0, "1h": 0 };
		let upTo = read;
		for (const { index, ttl } of breakpoints) {
			const prefix = prefixes[index];
			if (!prefix || prefix.tokens < LEAST_TOKENS) continue;
			this.#store(prefix.key, lifetimes[ttl]);
			written[ttl] += Math.max(0, prefix.tokens - upTo);
			upTo = Math.max(upTo, prefix.tokens);
		}
		return { read, written5m: written["5m"], written1h: written["1h"], rest: total - upTo };
	}

	#longestHit(
		prefixes: readonly { readonly key: string }[],
		breakpoints: readonly number[],
	): number | undefined {
		const now = this.#clock.now();
		for (const breakpoint of breakpoints.toReversed()) {
			for (let index = breakpoint; index >= 0 && index > breakpoint - LOOKBACK; index--) {
				const entry = this.#entries.get(prefixes[index]?.key ?? "");
				if (!entry || entry.expires <= now) continue;
				entry.expires = now + entry.lifetime;
				return index;
			}
		}
		return undefined;
	}

	#store(key: string, lifetime: number): void {
		this.#entries.set(key, { lifetime, expires: this.#clock.now() + lifetime });
	}
}

function prefixesOf(scope: string, blocks: readonly PromptBlock[]): { key: string; tokens: number }[] {
	const hash = createHash("sha256").update(scope);
	let tokens = 0;
	return blocks.map((block) => {
		tokens += block.tokens;
		hash.update("\0").update(block.text);
		return { key: hash.copy().digest("base64"), tokens };
	});
}

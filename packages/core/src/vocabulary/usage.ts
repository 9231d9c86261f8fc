/** Tokens of one model call, or of many: counts of the provider, whole numbers, never negative. */
export interface Usage {
	/** All that the model read, what came out of a cache included. */
	readonly inputTokens: number;
	readonly outputTokens: number;
	/** What of `inputTokens` was read from the provider's cache. */
	readonly cacheReadTokens: number;
	/** What of `inputTokens` was written to the provider's cache. */
	readonly cacheWriteTokens: number;
}

/** What was used and what it cost, in billionths of a US dollar. */
export interface Spent extends Usage {
	readonly cost: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
	return {
		inputTokens: a.inputTokens + b.inputTokens,
		outputTokens: a.outputTokens + b.outputTokens,
		// What an earlier version recorded knows of no cache.
		cacheReadTokens: (a.cacheReadTokens ?? 0) + (b.cacheReadTokens ?? 0),
		cacheWriteTokens: (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0),
	};
}

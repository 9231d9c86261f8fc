import { dollars, type Usage } from "@parley/core";
import type { TokensPayload, UsagePayload } from "@parley/protocol";

export function encodeTokens(usage: Usage): TokensPayload {
	return {
		tokens_input: usage.inputTokens,
		tokens_output: usage.outputTokens,
		tokens_cache_read: usage.cacheReadTokens,
		tokens_cache_write: usage.cacheWriteTokens,
	};
}

export function encodeUsage(usage: Usage & { readonly cost: number }): UsagePayload {
	return { ...encodeTokens(usage), cost_usd: dollars(usage.cost) };
}

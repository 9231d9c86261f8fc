/** Tokens of one model call, or of many: both are counts of the provider, never negative. */
export interface Usage {
	readonly inputTokens: number;
	readonly outputTokens: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
	return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}

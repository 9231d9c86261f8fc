/** A name for whatever model is the newest of its kind. */
export const tiers = ["fast", "standard", "max"] as const;
export type Tier = (typeof tiers)[number];

/** US dollars for a million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

/**
 * none: it cannot think. budget: thinks up to a number of tokens. adaptive: thinks as much as it needs, more or less
 * by an effort. between_tools: adaptive, and the least it can be told is to think between tool calls only; told not to
 * think at all, it refuses. always: adaptive, and cannot be told to think less than the lowest effort does.
 */
export const reasoningKinds = ["none", "budget", "adaptive", "between_tools", "always"] as const;
export type ReasoningKind = (typeof reasoningKinds)[number];

/** What is known of one model. */
export interface ModelInfo {
	/** The provider's name of it. */
	readonly id: string;
	readonly provider: string;
	/** Tokens of input and output together. */
	readonly contextWindow: number;
	/** Tokens of one reply at most. */
	readonly maxOutput: number;
	readonly reasoning: ReasoningKind;
	/** Whether temperature, top-p and top-k are taken; newer models refuse them. */
	readonly sampling: boolean;
	readonly images: boolean;
	/** Absent where nobody knows: its costs count as 0. */
	readonly prices?: Prices;
	/** Where the price depends on the length of the prompt: what holds above so many input tokens. */
	readonly longPrompt?: { readonly above: number; readonly prices: Prices };
	readonly tier?: Tier;
}

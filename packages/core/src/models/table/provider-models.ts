import type { ModelInfo, Prices } from "./model-table.ts";

type Facts = Omit<ModelInfo, "id" | "provider">;

// Since GPT-6, OpenAI charges 1.25 times the input price for a cache write.
const usd = (input: number, output: number, cacheRead: number, cacheWrite = input): Prices => ({
	input,
	output,
	cacheRead,
	cacheWrite,
});

const gpt6 = { contextWindow: 1_050_000, maxOutput: 128_000, images: true, sampling: false } as const;
const gpt5 = { contextWindow: 400_000, maxOutput: 128_000, images: true, sampling: false } as const;
const gpt41 = {
	contextWindow: 1_047_576,
	maxOutput: 32_768,
	images: true,
	sampling: true,
	reasoning: "none",
} as const;

interface LongPrices {
	readonly prices: Prices;
	readonly longPrompt: NonNullable<Facts["longPrompt"]>;
}

function withLongPrompt(prices: Prices): LongPrices {
	const { input, output, cacheRead, cacheWrite } = prices;
	const long = usd(2 * input, 1.5 * output, 2 * cacheRead, 2 * cacheWrite);
	return { prices, longPrompt: { above: 272_000, prices: long } };
}

/**
 * Facts from the vendor's documentation of November 2026.
 * - Windows, limits, and the lowest reasoning effort: https://developers.openai.com/api/docs/models
 * - Prices: https://developers.openai.com/api/docs/pricing. The prices of GPT-6.2 were compared with other lists on 29
 *   November 2026.
 */
const openai: Readonly<Record<string, Facts>> = {
	"gpt-6.2-astra": { ...gpt6, reasoning: "always", ...withLongPrompt(usd(8, 40, 0.4, 10)), tier: "max" },
	"gpt-6.2-sol": { ...gpt6, reasoning: "always", ...withLongPrompt(usd(2, 10, 0.1, 2.5)), tier: "standard" },
	"gpt-6.1-sol": { ...gpt6, reasoning: "always", ...withLongPrompt(usd(2, 10, 0.1, 2.5)) },
	"gpt-6-sol": { ...gpt6, reasoning: "adaptive", ...withLongPrompt(usd(2, 10, 0.2, 2.5)) },
	"gpt-6-luna": {
		...gpt6,
		reasoning: "adaptive",
		...withLongPrompt(usd(0.1, 0.5, 0.01, 0.125)),
		tier: "fast",
	},
	"gpt-6-astra": { ...gpt6, reasoning: "always", ...withLongPrompt(usd(10, 50, 1, 12.5)) },
	"gpt-5.1": { ...gpt5, reasoning: "adaptive", prices: usd(1.25, 10, 0.125) },
	"gpt-5": { ...gpt5, reasoning: "always", prices: usd(1.25, 10, 0.125) },
	"gpt-5-mini": { ...gpt5, reasoning: "always", prices: usd(0.25, 2, 0.025) },
	"gpt-5-nano": { ...gpt5, reasoning: "always", prices: usd(0.05, 0.4, 0.005) },
	"gpt-4.1": { ...gpt41, prices: usd(2, 8, 0.5) },
	"gpt-4.1-mini": { ...gpt41, prices: usd(0.4, 1.6, 0.1) },
};

const gemini4 = {
	contextWindow: 1_048_576,
	maxOutput: 65_536,
	images: true,
	sampling: true,
	reasoning: "always",
} as const;

/**
 * Facts from the vendor's documentation of November 2026.
 * - Windows, limits and thinking levels: https://ai.google.dev/gemini-api/docs/models
 * - Prices: https://ai.google.dev/gemini-api/docs/pricing, compared with other lists on 29 November 2026. The prices of
 *   Gemini 4 Argon and Carbon apply from 1 December 2026. The prices of Gemini 3.8 Flash double on 1 January 2027.
 */
const gemini: Readonly<Record<string, Facts>> = {
	"gemini-4-carbon": { ...gemini4, prices: usd(4, 20, 0.2), tier: "max" },
	"gemini-4-argon": { ...gemini4, prices: usd(4, 20, 0.2) },
	"gemini-4-neon": { ...gemini4, prices: usd(3, 15, 0.15) },
	"gemini-4-hydrogen": { ...gemini4, prices: usd(1.5, 7.5, 0.075), tier: "standard" },
	"gemini-3.8-flash": { ...gemini4, prices: usd(0.75, 3.75, 0.075), tier: "fast" },
	"gemini-2.5-pro": {
		...gemini4,
		prices: usd(1.25, 10, 0.125),
		longPrompt: { above: 200_000, prices: usd(2.5, 15, 0.25) },
	},
	"gemini-2.5-flash": { ...gemini4, reasoning: "adaptive", prices: usd(0.3, 2.5, 0.03) },
	"gemini-2.5-flash-lite": { ...gemini4, reasoning: "adaptive", prices: usd(0.1, 0.4, 0.01) },
};

/**
 * Facts about a model that a subscription includes, so that its tokens have no price: https://www.kimi.com/code/docs,
 * read on 29 November 2026.
 */
const kimi: Readonly<Record<string, Facts>> = {
	"kimi-for-coding": {
		contextWindow: 262_144,
		maxOutput: 32_000,
		images: true,
		sampling: true,
		reasoning: "none",
		prices: usd(0, 0, 0),
		isSubscription: true,
		tier: "standard",
	},
};

/** Facts about Moonshot's models. They control their own thinking and have fixed sampling settings. */
const moonshotFacts = { images: true, sampling: false, reasoning: "none" } as const;

/**
 * Facts from the vendor's documentation, read on 29 November 2026.
 * - Windows and prices: https://platform.kimi.ai/docs/pricing/chat
 * - The maximum tokens of a kimi-k2.6 reply are not published. The value here is the maximum that other programs use.
 */
const moonshot: Readonly<Record<string, Facts>> = {
	"kimi-k3": {
		...moonshotFacts,
		contextWindow: 1_048_576,
		maxOutput: 131_072,
		prices: usd(3, 15, 0.3),
		tier: "max",
	},
	"kimi-k2.6": {
		...moonshotFacts,
		contextWindow: 262_144,
		maxOutput: 32_768,
		prices: usd(0.95, 4, 0.16),
		tier: "standard",
	},
};

/**
 * Known models of remote providers except Anthropic, newest first for each provider. Other models work with assumed
 * limits.
 */
export const providerModels: readonly ModelInfo[] = Object.entries({
	openai,
	gemini,
	kimi,
	moonshot,
}).flatMap(([provider, models]) => Object.entries(models).map(([id, facts]) => ({ id, provider, ...facts })));

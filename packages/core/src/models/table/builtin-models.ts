import type { Model } from "@anthropic-ai/sdk/resources/messages";
import type { ModelInfo, Prices } from "./model-table.ts";
import { providerModels } from "./provider-models.ts";

/** Names that the SDK lists. The SDK's type also allows any other string. */
type ListedName<Name> = Name extends string ? (string extends Name ? never : Name) : never;

type Facts = Omit<ModelInfo, "id" | "provider">;

const usd = (input: number, output: number, cacheRead: number): Prices => ({
	input,
	output,
	cacheRead,
	// The factors for cache writes are the same for all models of Anthropic.
	cacheWrite: input * 1.25,
	cacheHour: input * 2,
});

const large = { contextWindow: 1_000_000, maxOutput: 128_000, images: true, sampling: false } as const;
const small = { contextWindow: 200_000, maxOutput: 64_000, images: true, sampling: true } as const;

const haiku55: Facts = {
	...large,
	reasoning: "adaptive",
	prices: usd(0.1, 0.5, 0.01),
	longPrompt: { above: 100_000, prices: usd(0.5, 2.5, 0.05) },
	tier: "fast",
};
/**
 * Facts of Claude Sonnet 5.5. The model refuses a request that turns thinking off:
 * https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
 */
const sonnet55: Facts = {
	...large,
	reasoning: "between_tools",
	prices: usd(2, 10, 0.1),
	tier: "standard",
};
const opus55: Facts = { ...large, reasoning: "always", prices: usd(4, 20, 0.2), tier: "max" };
const fable52: Facts = { ...large, reasoning: "always", prices: usd(8, 40, 0.2) };
const fable51: Facts = { ...large, reasoning: "always", prices: usd(10, 50, 0.25) };
const fable5: Facts = { ...large, reasoning: "always", prices: usd(10, 50, 1) };
const opus5: Facts = { ...large, reasoning: "adaptive", prices: usd(5, 25, 0.5) };
const haiku45: Facts = { ...small, reasoning: "budget", prices: usd(1, 5, 0.1) };
const opus45: Facts = { ...small, reasoning: "budget", prices: usd(5, 25, 0.5) };
const sonnet45: Facts = { ...small, reasoning: "budget", prices: usd(3, 15, 0.3) };

/**
 * Facts from the vendor's documentation of November 2026.
 * - Windows, limits and thinking: https://platform.claude.com/docs/en/models/NAME/overview (NAME as in haiku-5-5).
 * - Prices: https://platform.claude.com/docs/en/about-claude/pricing
 * - Models that refuse temperature, top-p and top-k: https://platform.claude.com/docs/en/models/NAME/migration-guide
 */
const claude = {
	"claude-fable-5-2": fable52,
	"claude-mythos-5-2": fable52,
	"claude-haiku-5-5": haiku55,
	"claude-sonnet-5-5": sonnet55,
	"claude-fable-5-1": fable51,
	"claude-opus-5-5": opus55,
	"claude-mythos-5-1": fable51,
	"claude-sonnet-5": { ...large, reasoning: "adaptive", prices: usd(2, 10, 0.2) },
	"claude-fable-5": fable5,
	"claude-mythos-5": fable5,
	"claude-opus-5": opus5,
	"claude-opus-4-8": opus5,
	"claude-opus-4-7": opus5,
	// The vendor never published prices for Claude Mythos Preview.
	"claude-mythos-preview": { ...large, reasoning: "always" },
	"claude-opus-4-6": { ...opus5, sampling: true },
	"claude-sonnet-4-6": { ...large, sampling: true, reasoning: "adaptive", prices: usd(3, 15, 0.3) },
	"claude-haiku-4-5": haiku45,
	"claude-haiku-4-5-20251001": haiku45,
	"claude-opus-4-5": opus45,
	"claude-opus-4-5-20251101": opus45,
	"claude-sonnet-4-5": sonnet45,
	"claude-sonnet-4-5-20250929": sonnet45,
} satisfies Record<ListedName<Model>, Facts>;

/**
 * All models that the SDK lists, newest first. If an update of the SDK adds a name, the compiler rejects the table
 * until the table contains it.
 */
export const claudeModels: readonly ModelInfo[] = Object.entries<Facts>(claude).map(([id, facts]) => ({
	id,
	provider: "anthropic",
	...facts,
}));

const offline: ModelInfo = {
	id: "offline",
	provider: "offline",
	contextWindow: 200_000,
	maxOutput: 64_000,
	reasoning: "none",
	sampling: false,
	images: false,
	prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	tier: "standard",
};

/** Models that are known without `models.json`. */
export const builtinModels: readonly ModelInfo[] = [...claudeModels, ...providerModels, offline];

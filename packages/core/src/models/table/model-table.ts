import type { Usage } from "../../vocabulary/usage.ts";
import { type ModelInfo, type Prices, tiers } from "./model-info.ts";
import { nearNames } from "./near-names.ts";

/** All models that are known by name: those of the program, and those that the operator added or corrected. */
export class ModelTable {
	readonly #models: readonly ModelInfo[];
	readonly #listed: readonly ModelInfo[];
	/** Made when it is asked for first: each run asks for it several times. */
	#byProvider: ReadonlyMap<string, readonly ModelInfo[]> | undefined;

	/** Of models with the same tier and provider the first has it. Where only some are to be listed: those. */
	constructor(models: readonly ModelInfo[] = [], listed: readonly ModelInfo[] = models) {
		this.#models = models;
		this.#listed = listed;
	}

	/** The model of that name. A tier stands for the provider's model of it, or for its default where it has none. */
	find(name: string, provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		const named = models.find((model) => model.id === name);
		if (named || !isTier(name)) return named;
		return models.find((model) => model.tier === name) ?? this.defaultOf(provider);
	}

	/** Names and tiers of the provider that look like this one, at most three. */
	near(name: string, provider: string): string[] {
		const models = this.#of(provider);
		const used = tiers.filter((tier) => models.some((model) => model.tier === tier));
		return nearNames(name, [...used, ...models.map((model) => model.id)]);
	}

	/** In the order in which they are told: the newest first. */
	list(provider?: string): readonly ModelInfo[] {
		if (provider === undefined) return this.#listed;
		return this.#listed.filter((model) => model.provider === provider);
	}

	/** The provider's standard model; its first where none is called so. */
	defaultOf(provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		return models.find((model) => model.tier === "standard") ?? models[0];
	}

	#of(provider: string): readonly ModelInfo[] {
		this.#byProvider ??= Map.groupBy(this.#models, (model) => model.provider);
		return this.#byProvider.get(provider) ?? [];
	}
}

function isTier(name: string): boolean {
	return tiers.some((tier) => tier === name);
}

/**
 * What the usage of one call costs, in billionths of a US dollar, rounded to whole ones; 0 where the model or its
 * prices are unknown. Prices count to a millionth of a dollar.
 */
export function costOf(model: ModelInfo | undefined, usage: Usage): number {
	const prices = model && pricesFor(model, usage.inputTokens);
	if (!prices) return 0;
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
	const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
	// Whole numbers all the way: a sum of dollars would not be exact.
	const sum =
		uncached * whole(prices.input) +
		outputTokens * whole(prices.output) +
		cacheReadTokens * whole(prices.cacheRead) +
		cacheWriteTokens * whole(prices.cacheWrite);
	return Math.round(sum / 1000);
}

/** The whole call has the price of its length, cached or not: the vendors count prompts so. */
function pricesFor({ prices, longPrompt }: ModelInfo, inputTokens: number): Prices | undefined {
	return longPrompt && inputTokens > longPrompt.above ? longPrompt.prices : prices;
}

/** Dollars for a million tokens, in millionths of a dollar: thousand times the billionths for one token. */
function whole(price: number): number {
	return Math.round(price * 1_000_000);
}

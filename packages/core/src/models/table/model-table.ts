import type { Usage } from "../../vocabulary/usage.ts";

/** Table of all models with known facts: built-in models, and models that the operator added or changed. */
export class ModelTable {
	readonly #models: readonly ModelInfo[];
	readonly #listed: readonly ModelInfo[];
	readonly #routes: Routes;
	/** Cached models by provider, because each run looks them up several times. */
	#byProvider: ReadonlyMap<string, readonly ModelInfo[]> | undefined;

	/**
	 * Creates a table that finds all `models`, lists only the models of `listed`, and combines the providers of
	 * `routes`. If several models of a provider have the same tier, the tier selects the first of these models.
	 */
	constructor(
		models: readonly ModelInfo[] = [],
		listed: readonly ModelInfo[] = models,
		routes: Routes = { home: "", others: [] },
	) {
		this.#models = models;
		this.#listed = listed;
		this.#routes = routes;
	}

	/**
	 * Returns the model with the name `name`, or undefined if the model is unknown. If `name` is a tier, returns the
	 * provider's model of that tier, or the provider's default model if no model has the tier. If `provider` is the home
	 * provider of the routes, `other/name` is a model of another provider.
	 */
	find(name: string, provider: string): ModelInfo | undefined {
		if (provider !== this.#routes.home) return this.findOwn(name, provider);
		const other = this.#routes.others.find((one) => name.startsWith(`${one}/`));
		const found = this.findOwn(name, other ?? provider);
		return found && (other === undefined ? this.#atHome(found) : qualified(found));
	}

	/**
	 * Returns the name of a model of the home provider. The name gets the home provider's prefix if `id` begins with the
	 * prefix of any provider in the routes.
	 */
	homeName(id: string): string {
		const { home, others } = this.#routes;
		return [home, ...others].some((one) => id.startsWith(`${one}/`)) ? `${home}/${id}` : id;
	}

	#atHome(model: ModelInfo): ModelInfo {
		const id = this.homeName(model.id);
		return id === model.id ? model : { ...model, id };
	}

	/**
	 * Returns the model of `provider` with the name or tier `name`, or undefined. Unlike `find`, never returns a model
	 * of another provider.
	 */
	findOwn(name: string, provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		const plain = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
		const named = models.find((model) => model.id === plain) ?? models.find((model) => model.id === name);
		if (named) return named;
		if (!isTier(plain)) return this.#vendorModel(plain, provider);
		return models.find((model) => model.tier === plain) ?? this.defaultOf(provider);
	}

	/**
	 * Returns facts about a deployment at `provider`: the facts about the vendor's model with the same name. Returns
	 * undefined if there is no such model. Omits prices, because the contract with the provider determines the prices.
	 */
	#vendorModel(name: string, provider: string): ModelInfo | undefined {
		const vendor = deployed.get(provider);
		const model = vendor && this.#of(vendor).find(({ id }) => id === name);
		if (!model) return undefined;
		const { tier: _, prices: _prices, longPrompt: _long, ...facts } = model;
		return { ...facts, provider };
	}

	/** Whether an unlisted name can be a model of another provider. */
	admits(name: string): boolean {
		return this.#routes.others.some((one) => name.startsWith(`${one}/`) && name.length > one.length + 1);
	}

	/**
	 * Returns at most three similar names and tiers of the provider. For the home provider, includes names of other
	 * providers.
	 */
	near(name: string, provider: string): string[] {
		const models = this.#of(provider);
		const used = tiers.filter((tier) => models.some((model) => model.tier === tier));
		const others = this.#ofOthers(provider, this.#models).map(({ id }) => id);
		const own = provider === this.#routes.home ? models.map((model) => this.#atHome(model)) : models;
		return nearNames(name, [...used, ...own.map((model) => model.id), ...others]);
	}

	/**
	 * Returns the listed models of `provider`, or of all providers if `provider` is undefined, in the order of the
	 * table. If `provider` is the home provider of the routes, the listed models of the other providers follow.
	 */
	list(provider?: string): readonly ModelInfo[] {
		if (provider === undefined) return this.#listed;
		const own = this.#listed.filter((model) => model.provider === provider);
		if (provider !== this.#routes.home) return own;
		return [...own.map((model) => this.#atHome(model)), ...this.#ofOthers(provider, this.#listed)];
	}

	#ofOthers(provider: string, models: readonly ModelInfo[]): ModelInfo[] {
		const { home, others } = this.#routes;
		if (provider !== home) return [];
		return others.flatMap((one) => models.filter((model) => model.provider === one).map(qualified));
	}

	/**
	 * Returns the provider's standard model, otherwise its first model. Returns undefined if the table has no model of
	 * the provider.
	 */
	defaultOf(provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		return models.find((model) => model.tier === "standard") ?? models[0];
	}

	#of(provider: string): readonly ModelInfo[] {
		this.#byProvider ??= Map.groupBy(this.#models, (model) => model.provider);
		return this.#byProvider.get(provider) ?? [];
	}
}

/** Vendors by provider. The provider deploys the vendor's models, usually under the names that the vendor uses. */
const deployed: ReadonlyMap<string, string> = new Map([["azure", "openai"]]);

/**
 * Names of providers that one gateway combines. The name of a model from one of the `others` begins with the name of
 * the provider and `/`. The name of a model from the `home` provider usually has no prefix: see `homeName`.
 */
export interface Routes {
	readonly home: string;
	readonly others: readonly string[];
}

/** Adds the provider to the model's name. Omits the tier, because a tier never means a model of another provider. */
function qualified({ tier: _, ...model }: ModelInfo): ModelInfo {
	return { ...model, id: `${model.provider}/${model.id}` };
}

function isTier(name: string): boolean {
	return tiers.some((tier) => tier === name);
}

/**
 * Returns the cost of one model call in whole billionths of a US dollar, or 0 if the model or its prices are unknown.
 * Prices are rounded to a millionth of a dollar.
 */
export function costOf(model: ModelInfo | undefined, usage: Usage): number {
	const prices = model && pricesFor(model, usage.inputTokens);
	if (!prices) return 0;
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheHourTokens = 0 } = usage;
	const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
	// Computed with whole numbers, because a sum of dollars would not be exact.
	const sum =
		uncached * millionths(prices.input) +
		outputTokens * millionths(prices.output) +
		cacheReadTokens * millionths(prices.cacheRead) +
		(cacheWriteTokens - cacheHourTokens) * millionths(prices.cacheWrite) +
		cacheHourTokens * millionths(prices.cacheHour ?? prices.cacheWrite);
	return Math.round(sum / 1000);
}

/**
 * Returns the prices for a call. If the input exceeds `longPrompt.above` tokens, the prices for long prompts apply to
 * all tokens of the call.
 */
function pricesFor({ prices, longPrompt }: ModelInfo, inputTokens: number): Prices | undefined {
	return longPrompt && inputTokens > longPrompt.above ? longPrompt.prices : prices;
}

/**
 * Converts a price in dollars to millionths of a dollar. If `price` is per million tokens, one token costs a thousandth
 * of the result in billionths of a dollar.
 */
function millionths(price: number): number {
	return Math.round(price * 1_000_000);
}

/** Names of model tiers. Each tier selects one model of a provider. */
export const tiers = ["fast", "standard", "max"] as const;
type Tier = (typeof tiers)[number];

/** Prices in US dollars per million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** Price of writing to a cache that lasts an hour. Default: `cacheWrite`. */
	readonly cacheHour?: number;
}

/**
 * Kinds of thinking.
 * - none: no thinking.
 * - budget: thinking up to a number of tokens.
 * - adaptive: as much as needed, adjusted by an effort.
 * - between_tools: adaptive. The lowest setting still thinks between tool calls, so thinking cannot be turned off.
 * - always: adaptive. The lowest setting is the lowest effort.
 */
export const reasoningKinds = ["none", "budget", "adaptive", "between_tools", "always"] as const;
export type ReasoningKind = (typeof reasoningKinds)[number];

export interface ModelInfo {
	/** The provider's name of the model. */
	readonly id: string;
	readonly provider: string;
	/** Maximum tokens of input and output together. */
	readonly contextWindow: number;
	/** Maximum tokens of one reply. */
	readonly maxOutput: number;
	/**
	 * Maximum tokens of a request before older parts of the conversation are shortened. Default: only the window limits a
	 * request.
	 */
	readonly compactAbove?: number;
	readonly reasoning: ReasoningKind;
	/** Whether the model accepts temperature, top-p and top-k. */
	readonly sampling: boolean;
	readonly images: boolean;
	/** Prices of the model. Absent if they are unknown, and the cost of a call is then 0. */
	readonly prices?: Prices;
	/** Whether a subscription pays for the tokens, so that the prices are 0. */
	readonly isSubscription?: true;
	/** Prices for prompts with more than `above` input tokens. */
	readonly longPrompt?: { readonly above: number; readonly prices: Prices };
	readonly tier?: Tier;
}

/**
 * Minimum share of pairs. A similar name must contain at least this share of the word's character pairs, and of the
 * word's letter pairs.
 */
const enough = 0.5;

/**
 * Returns at most three of `names` that are similar to `word`, most similar first. `word` may be a part of a name, or
 * contain a few typing errors. Matching digits alone are not enough.
 */
function nearNames(word: string, names: readonly string[]): string[] {
	const requested = pairsOf(word);
	const letters = new Set([...requested].filter((pair) => /^\p{L}{2}$/u.test(pair)));
	return names
		.map((name) => ({ name, pairs: pairsOf(name) }))
		.map(({ name, pairs }) => ({ name, likeness: share(requested, pairs), words: share(letters, pairs) }))
		.filter(({ likeness, words }) => likeness >= enough && words >= enough)
		.sort((a, b) => b.likeness - a.likeness)
		.slice(0, 3)
		.map(({ name }) => name);
}

function share(requested: ReadonlySet<string>, pairs: ReadonlySet<string>): number {
	return requested.intersection(pairs).size / requested.size;
}

function pairsOf(text: string): ReadonlySet<string> {
	const plain = text
		.slice(0, 200)
		.toLowerCase()
		.replaceAll(/[\s._/]+/g, "-");
	return new Set(Array.from(plain).map((letter, at, letters) => letter + (letters[at + 1] ?? "")));
}

/** Assumed context window of an unknown model, in tokens. Most models have at least 32,768 tokens. */
export const unknownWindow = 32_768;
export const unknownOutput = 8_192;

/** Returns the assumed facts about a model that is not in the table. */
export function unknownModel(id: string, provider: string): ModelInfo {
	return {
		id,
		provider,
		contextWindow: unknownWindow,
		maxOutput: unknownOutput,
		reasoning: "none",
		sampling: true,
		images: true,
	};
}

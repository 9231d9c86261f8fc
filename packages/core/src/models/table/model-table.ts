import type { Usage } from "../../vocabulary/usage.ts";

/** All models with known facts: built-in models, and those that the operator added or corrected. */
export class ModelTable {
	readonly #models: readonly ModelInfo[];
	readonly #listed: readonly ModelInfo[];
	readonly #routes: Routes;
	/** Computed at the first use, because each run uses it several times. */
	#byProvider: ReadonlyMap<string, readonly ModelInfo[]> | undefined;

	/**
	 * Among models with the same tier and provider, the first one has it. `listed`: the models to list, if not all. `routes`:
	 * the providers that are used together.
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
	 * Model of that name. A tier means the provider's model of that tier, or its default without one. For the home provider of
	 * the routes, `other/name` is the model of another provider.
	 */
	find(name: string, provider: string): ModelInfo | undefined {
		if (provider !== this.#routes.home) return this.findOwn(name, provider);
		const other = this.#routes.others.find((one) => name.startsWith(`${one}/`));
		const found = this.findOwn(name, other ?? provider);
		return found && (other === undefined ? this.#atHome(found) : qualified(found));
	}

	/** The name of a model of the home provider: with its prefix if the name begins with that of a provider. */
	homeName(id: string): string {
		const { home, others } = this.#routes;
		return [home, ...others].some((one) => id.startsWith(`${one}/`)) ? `${home}/${id}` : id;
	}

	#atHome(model: ModelInfo): ModelInfo {
		const id = this.homeName(model.id);
		return id === model.id ? model : { ...model, id };
	}

	/** As `find`, but never the model of another provider. */
	findOwn(name: string, provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		const plain = name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name;
		const named = models.find((model) => model.id === plain) ?? models.find((model) => model.id === name);
		if (named) return named;
		if (!isTier(plain)) return this.#namesake(plain, provider);
		return models.find((model) => model.tier === plain) ?? this.defaultOf(provider);
	}

	/** The model behind a deployment with its name. The price is in the contract with the provider. */
	#namesake(name: string, provider: string): ModelInfo | undefined {
		const vendor = deployed.get(provider);
		const model = vendor && this.#of(vendor).find(({ id }) => id === name);
		if (!model) return undefined;
		const { tier: _, prices: _prices, longPrompt: _long, ...facts } = model;
		return { ...facts, provider };
	}

	/** Whether a name that is not in the table can be a model of another provider. */
	admits(name: string): boolean {
		return this.#routes.others.some((one) => name.startsWith(`${one}/`) && name.length > one.length + 1);
	}

	/** Names and tiers of the provider that look like this one, at most three. */
	near(name: string, provider: string): string[] {
		const models = this.#of(provider);
		const used = tiers.filter((tier) => models.some((model) => model.tier === tier));
		const others = this.#ofOthers(provider, this.#models).map(({ id }) => id);
		const own = provider === this.#routes.home ? models.map((model) => this.#atHome(model)) : models;
		return nearNames(name, [...used, ...own.map((model) => model.id), ...others]);
	}

	/** Newest first. For the home provider of the routes, the models of the other providers follow. */
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

	/** The provider's standard model, or its first one. */
	defaultOf(provider: string): ModelInfo | undefined {
		const models = this.#of(provider);
		return models.find((model) => model.tier === "standard") ?? models[0];
	}

	#of(provider: string): readonly ModelInfo[] {
		this.#byProvider ??= Map.groupBy(this.#models, (model) => model.provider);
		return this.#byProvider.get(provider) ?? [];
	}
}

/** Providers that deploy the models of another vendor, usually under the vendor's names. */
const deployed: ReadonlyMap<string, string> = new Map([["azure", "openai"]]);

/** Providers that are used together: the home provider, whose names have no prefix, and the others. */
export interface Routes {
	readonly home: string;
	readonly others: readonly string[];
}

/** The row with the name `provider/model`. A tier alone never means a model of another provider. */
function qualified({ tier: _, ...model }: ModelInfo): ModelInfo {
	return { ...model, id: `${model.provider}/${model.id}` };
}

function isTier(name: string): boolean {
	return tiers.some((tier) => tier === name);
}

/**
 * Cost of one call in billionths of a US dollar, rounded to whole ones. 0 if the model or its prices are unknown. Prices
 * have a precision of a millionth of a dollar.
 */
export function costOf(model: ModelInfo | undefined, usage: Usage): number {
	const prices = model && pricesFor(model, usage.inputTokens);
	if (!prices) return 0;
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheHourTokens = 0 } = usage;
	const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
	// Whole numbers all the way: a sum of dollars would not be exact.
	const sum =
		uncached * whole(prices.input) +
		outputTokens * whole(prices.output) +
		cacheReadTokens * whole(prices.cacheRead) +
		(cacheWriteTokens - cacheHourTokens) * whole(prices.cacheWrite) +
		cacheHourTokens * whole(prices.cacheHour ?? prices.cacheWrite);
	return Math.round(sum / 1000);
}

/** The complete call has the price of its length, cached or not: the vendors charge for prompts in this way. */
function pricesFor({ prices, longPrompt }: ModelInfo, inputTokens: number): Prices | undefined {
	return longPrompt && inputTokens > longPrompt.above ? longPrompt.prices : prices;
}

/** Dollars for a million tokens, in millionths of a dollar: thousand times the billionths for one token. */
function whole(price: number): number {
	return Math.round(price * 1_000_000);
}

/** Names of the newest model of each kind. */
export const tiers = ["fast", "standard", "max"] as const;
type Tier = (typeof tiers)[number];

/** US dollars for a million tokens. */
export interface Prices {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	/** Writing to a cache that lasts an hour. Default: `cacheWrite`. */
	readonly cacheHour?: number;
}

/**
 * Thinking of a model.
 * - none: no thinking.
 * - budget: up to a number of tokens.
 * - adaptive: as needed, adjusted by an effort.
 * - between_tools: adaptive, with thinking between tool calls as the lowest setting. It cannot be switched off.
 * - always: adaptive, with the lowest effort as the lowest setting.
 */
export const reasoningKinds = ["none", "budget", "adaptive", "between_tools", "always"] as const;
export type ReasoningKind = (typeof reasoningKinds)[number];

export interface ModelInfo {
	/** Name of the model at the provider. */
	readonly id: string;
	readonly provider: string;
	/** Tokens of input and output together. */
	readonly contextWindow: number;
	/** Tokens of one reply at most. */
	readonly maxOutput: number;
	/** Tokens of a request above which older parts of the conversation are shortened. Default: the window alone decides. */
	readonly compactAbove?: number;
	readonly reasoning: ReasoningKind;
	/** Whether it accepts temperature, top-p and top-k. Newer models reject them. */
	readonly sampling: boolean;
	readonly images: boolean;
	/** Absent if unknown. Then costs are 0. */
	readonly prices?: Prices;
	/** Whether a subscription pays for the tokens. The prices are 0. */
	readonly isSubscription?: true;
	/** Prices for prompts above this number of input tokens. */
	readonly longPrompt?: { readonly above: number; readonly prices: Prices };
	readonly tier?: Tier;
}

/** Minimum share of character pairs of the word that a name must contain. */
const enough = 0.5;

/**
 * Names that are similar to a word, at most three, most similar first, otherwise in the given order. Parts of names match,
 * and a typing error or two are tolerated. A number alone does not match.
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

/** Share of the first that is in the second. */
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

/** Window of an unknown model: small enough for most. An operator can set more. */
export const unknownWindow = 32_768;
export const unknownOutput = 8_192;

/** Assumed facts about a model that exists and is not in the table. */
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

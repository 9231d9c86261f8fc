import { defined, ParleyError } from "@parley/base";
import * as z from "zod";
import { builtinModels } from "./builtin-models.ts";
import { type ModelInfo, type Prices, reasoningKinds, tiers } from "./model-table.ts";
import { modelFileTexts } from "./texts.ts";

/** Minimum of `compact_above` in tokens, because a summary and the newest parts need room. */
const leastThreshold = 4_000;

/** Creates the schemas of `models.json`. Called when the first file is read, because most gateways have no file. */
function makeSchemas() {
	const tokens = z.int({ error: modelFileTexts.tokens }).min(1, modelFileTexts.tokens);
	const price = z
		.number({ error: modelFileTexts.price })
		.min(0, modelFileTexts.price)
		.max(1_000_000, modelFileTexts.maxPrice);
	const yesOrNo = z.boolean({ error: "true, false" });
	const name = z.string({ error: "a name" }).min(1, "a name").max(200, modelFileTexts.name);

	const prices = z
		.strictObject(
			{ input: price, output: price, cache_read: price, cache_write: price },
			{ error: modelFileTexts.prices },
		)
		.partial();

	const row = z
		.strictObject(
			{
				provider: name,
				context_window: tokens,
				max_output: tokens,
				compact_above: z
					.int({ error: modelFileTexts.threshold })
					.min(leastThreshold, modelFileTexts.threshold)
					.nullable(),
				reasoning: z.enum(reasoningKinds, { error: reasoningKinds.join(", ") }),
				sampling: yesOrNo,
				images: yesOrNo,
				prices,
				long_prompt: z
					.strictObject({ above: tokens, prices }, { error: modelFileTexts.longPrompts })
					.nullable(),
				tier: z.enum(tiers, { error: tiers.join(", ") }),
			},
			{ error: modelFileTexts.model },
		)
		.partial()
		.extend({ id: name });

	const file = z.strictObject(
		{ $schema: z.string().optional(), models: z.array(row, { error: modelFileTexts.models }) },
		{ error: modelFileTexts.file },
	);
	return { file, row, prices };
}

let cachedSchemas: ReturnType<typeof makeSchemas> | undefined;

function schemas(): ReturnType<typeof makeSchemas> {
	cachedSchemas ??= makeSchemas();
	return cachedSchemas;
}

type Row = z.infer<ReturnType<typeof makeSchemas>["row"]>;

/**
 * Returns the known models with the changes in the operator's file: `{ "models": [row, …] }`. Throws `invalid_argument`
 * with the position in `origin` if the file is invalid.
 *
 * - A row with the `id` and `provider` (default: anthropic) of a known model replaces the fields that it contains.
 * - Any other row adds a model and needs `context_window` and `max_output`.
 * - `prices` must contain `input` and `output`, unless the model already has prices. A missing cache price keeps its
 *   known value. Without a known value, the cache price equals the input price.
 * - `long_prompt: null` removes the price for long prompts, and `compact_above: null` removes the threshold.
 * - If a row has a `tier`, the model that had the tier at the same provider loses its tier.
 */
export function modelsFromFile(
	value: unknown,
	origin: string,
	known: readonly ModelInfo[] = builtinModels,
): ModelInfo[] {
	const { success, data, error } = schemas().file.safeParse(value);
	if (!success) throw explain(error, value, origin);
	const models = new Map(known.map((model) => [keyOf(model), model]));
	const seen = new Set<string>();
	for (const [index, row] of data.models.entries()) {
		const at = (field: string): string => `models[${index}].${field} (${origin})`;
		const key = keyOf({ id: row.id, provider: row.provider ?? "anthropic" });
		if (seen.has(key)) throw refused(modelFileTexts.twice(row.id, at("id")));
		seen.add(key);
		const model = merge(row, models.get(key), at);
		if (row.tier !== undefined) removeTier(models, model);
		models.set(key, model);
	}
	return [...models.values()];
}

function keyOf({ id, provider }: { readonly id: string; readonly provider: string }): string {
	return `${provider} ${id}`;
}

function removeTier(models: Map<string, ModelInfo>, { provider, tier }: ModelInfo): void {
	for (const [key, model] of models) {
		if (model.provider !== provider || model.tier !== tier) continue;
		const { tier: _, ...rest } = model;
		models.set(key, rest);
	}
}

function merge(row: Row, known: ModelInfo | undefined, at: (field: string) => string): ModelInfo {
	const contextWindow = row.context_window ?? known?.contextWindow ?? missing(row, at("context_window"));
	const maxOutput = row.max_output ?? known?.maxOutput ?? missing(row, at("max_output"));
	if (maxOutput > contextWindow) {
		throw refused(modelFileTexts.maxOutput(maxOutput, at("max_output"), contextWindow));
	}
	const prices = row.prices ? pricesOf(row.prices, known?.prices, at("prices")) : known?.prices;
	const longPrompt =
		row.long_prompt === undefined ? known?.longPrompt : longPromptOf(row.long_prompt, prices, at);
	const tier = row.tier ?? known?.tier;
	const compactAbove =
		row.compact_above === undefined ? known?.compactAbove : (row.compact_above ?? undefined);
	return {
		id: row.id,
		provider: row.provider ?? "anthropic",
		contextWindow,
		maxOutput,
		reasoning: row.reasoning ?? known?.reasoning ?? "none",
		sampling: row.sampling ?? known?.sampling ?? true,
		images: row.images ?? known?.images ?? false,
		...defined({ compactAbove, prices, longPrompt, tier }),
	};
}

function missing({ id }: Row, place: string): never {
	throw refused(modelFileTexts.missing(place, id));
}

function longPromptOf(
	row: NonNullable<Row["long_prompt"]> | null,
	prices: Prices | undefined,
	at: (field: string) => string,
): ModelInfo["longPrompt"] {
	return row
		? { above: row.above, prices: pricesOf(row.prices, prices, at("long_prompt.prices")) }
		: undefined;
}

function pricesOf(prices: NonNullable<Row["prices"]>, known: Prices | undefined, place: string): Prices {
	const input = prices.input ?? known?.input;
	const output = prices.output ?? known?.output;
	if (input === undefined || output === undefined) {
		throw refused(modelFileTexts.needsBoth(place));
	}
	const cacheRead = prices.cache_read ?? known?.cacheRead ?? input;
	const cacheWrite = prices.cache_write ?? known?.cacheWrite ?? input;
	// A `cache_write` in the file also replaces the table's price for an hour of caching.
	const cacheHour = prices.cache_write === undefined ? known?.cacheHour : undefined;
	return { input, output, cacheRead, cacheWrite, ...defined({ cacheHour }) };
}

function explain({ issues: [issue] }: z.ZodError, value: unknown, origin: string): ParleyError {
	const path = issue?.path ?? [];
	const found = path.reduce<unknown>(
		(inside, key) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined),
		value,
	);
	const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
	const where = `${place.replace(/^\./, "") || modelFileTexts.theFile} (${origin})`;
	if (issue?.code === "unrecognized_keys") {
		const allowed = settingsAt(path).join(", ");
		return refused(modelFileTexts.unknownSetting(issue.keys[0] ?? "", where, allowed));
	}
	if (found === undefined) return refused(modelFileTexts.needed(where, issue?.message ?? ""));
	const shown = JSON.stringify(found).slice(0, 200);
	return refused(modelFileTexts.notAllowed(shown, where, issue?.message ?? ""));
}

function settingsAt(path: readonly PropertyKey[]): string[] {
	const { file, row, prices } = schemas();
	const last = path.at(-1);
	if (last === "prices") return Object.keys(prices.shape);
	if (last === "long_prompt") return ["above", "prices"];
	return Object.keys((last === undefined ? file : row).shape);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

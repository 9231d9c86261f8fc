import { defined, ParleyError } from "@parley/base";
import * as z from "zod";
import { builtinModels } from "./builtin-models.ts";
import { type ModelInfo, type Prices, reasoningKinds, tiers } from "./model-table.ts";

/** Minimum of `compact_above`: a summary and the newest parts need room. */
const leastThreshold = 4_000;

/** Constructed when the first file is read, because most gateways have no file. */
function makeSchemas() {
	const tokens = z
		.int({ error: "a whole number of tokens from 1" })
		.min(1, "a whole number of tokens from 1");
	const price = z
		.number({ error: "dollars for a million tokens, from 0" })
		.min(0, "dollars for a million tokens, from 0")
		.max(1_000_000, "dollars for a million tokens, at most 1000000");
	const yesOrNo = z.boolean({ error: "true, false" });
	const name = z.string({ error: "a name" }).min(1, "a name").max(200, "a name of at most 200 characters");

	const prices = z
		.strictObject(
			{ input: price, output: price, cache_read: price, cache_write: price },
			{ error: "an object with input, output, cache_read, cache_write" },
		)
		.partial();

	const row = z
		.strictObject(
			{
				provider: name,
				context_window: tokens,
				max_output: tokens,
				compact_above: z
					.int({ error: "a whole number of tokens from 4000, or null" })
					.min(leastThreshold, "a whole number of tokens from 4000, or null")
					.nullable(),
				reasoning: z.enum(reasoningKinds, { error: reasoningKinds.join(", ") }),
				sampling: yesOrNo,
				images: yesOrNo,
				prices,
				long_prompt: z
					.strictObject({ above: tokens, prices }, { error: "an object with above and prices, or null" })
					.nullable(),
				tier: z.enum(tiers, { error: tiers.join(", ") }),
			},
			{ error: "an object with an id" },
		)
		.partial()
		.extend({ id: name });

	const file = z.strictObject(
		{ $schema: z.string().optional(), models: z.array(row, { error: "a list of models" }) },
		{ error: "an object with models" },
	);
	return { file, row, prices };
}

let made: ReturnType<typeof makeSchemas> | undefined;

function schemas(): ReturnType<typeof makeSchemas> {
	made ??= makeSchemas();
	return made;
}

type Row = z.infer<ReturnType<typeof makeSchemas>["row"]>;

/**
 * Known models, changed by the operator's file: `{ "models": [row, …] }`. A row with the `id` and `provider` (default:
 * anthropic) of a known model replaces the fields that it mentions. Any other row adds a model and needs `context_window`
 * and `max_output`. `prices` are dollars per million tokens; missing prices of the cache are those of input. `long_prompt:
 * null` removes a price for long prompts, and `compact_above: null` a threshold. A `tier` moves from its model to the row that claims it. Throws `invalid_argument`
 * with the position in `origin`, the value and what is allowed.
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
		if (seen.has(key)) throw refused(`${JSON.stringify(row.id)} stands twice: ${at("id")}`);
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
		throw refused(`${maxOutput} is not allowed for ${at("max_output")}; allowed: up to the context window`);
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
	throw refused(`${place} is missing: ${JSON.stringify(id)} is not a built-in model`);
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

function pricesOf(given: NonNullable<Row["prices"]>, known: Prices | undefined, place: string): Prices {
	const input = given.input ?? known?.input;
	const output = given.output ?? known?.output;
	if (input === undefined || output === undefined) {
		throw refused(`${place} needs both input and output`);
	}
	const cacheRead = given.cache_read ?? known?.cacheRead ?? input;
	const cacheWrite = given.cache_write ?? known?.cacheWrite ?? input;
	// The price of the table does not fit another price of writing.
	const cacheHour = given.cache_write === undefined ? known?.cacheHour : undefined;
	return { input, output, cacheRead, cacheWrite, ...defined({ cacheHour }) };
}

function explain({ issues: [issue] }: z.ZodError, value: unknown, origin: string): ParleyError {
	const path = issue?.path ?? [];
	const found = path.reduce<unknown>(
		(inside, key) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined),
		value,
	);
	const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
	const where = `${place.replace(/^\./, "") || "the file"} (${origin})`;
	if (issue?.code === "unrecognized_keys") {
		const allowed = settingsAt(path).join(", ");
		return refused(`unknown setting ${JSON.stringify(issue.keys[0])} in ${where}; allowed: ${allowed}`);
	}
	if (found === undefined) return refused(`${where} is missing; allowed: ${issue?.message ?? ""}`);
	const shown = JSON.stringify(found).slice(0, 200);
	return refused(`${shown} is not allowed for ${where}; allowed: ${issue?.message ?? ""}`);
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

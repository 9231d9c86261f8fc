import { type Repeated, rowOf } from "./seeds.ts";

export interface OddUsage {
	readonly name: string;
	readonly usage: unknown;
}

/** Row of the fault table for unusual token usage. */
export const oddUsages: readonly (OddUsage & Repeated)[] = rowOf<OddUsage>([
	{ name: "missing", usage: undefined },
	{ name: "null", usage: null },
	{ name: "a word", usage: "many" },
	{ name: "empty", usage: {} },
	{ name: "negative", usage: { input_tokens: -3, output_tokens: -1, cache_read_input_tokens: -1 } },
	{ name: "1e18", usage: { input_tokens: 1e18, output_tokens: 1e18, cache_read_input_tokens: 1e18 } },
	{ name: "the largest number", usage: { input_tokens: Number.MAX_VALUE, output_tokens: 3 } },
	{ name: "fractions", usage: { input_tokens: 10.5, output_tokens: 0.1 } },
	{ name: "words", usage: { input_tokens: "12", output_tokens: true, cache_read_input_tokens: [] } },
]);

import type { MethodResult } from "@parley/protocol";
import { formatRoughly } from "../text/amounts.ts";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type ModelList = MethodResult<"list_models">;
type Listed = ModelList["models"][number];

/** The models in rows; `▸` stands before the one that answers unless told. */
export function modelTable(list: ModelList, look: Look): string[] {
	const { models, default: chosen } = list;
	const notes = noteRows(list, look);
	if (models.length === 0) return notes;
	const head = ["", "NAME", "TIER", "WINDOW", "REPLY", "THINKS", "IMAGES", "$/M IN", "CACHED", "OUT"];
	const rows = models.map((model) => [model.name === chosen ? "▸" : "", ...cellsOf(model)]);
	const table = tableRows(
		{ rows: [head, ...rows], right: [3, 4, 7, 8, 9], optional: [6, 8], elastic: 1 },
		look,
	);
	return [...table, ...models.flatMap((model) => longPromptRows(model, look)), ...notes];
}

/** What the table cannot say of a server of the operator's own. */
function noteRows({ models, default: chosen, any_model }: ModelList, { columns, styles }: Look): string[] {
	const isListed = models.some(({ name }) => name === chosen);
	const notes = [
		...(isListed ? [] : [`${visibleLine(chosen)} answers; nothing more is known of it`]),
		...(any_model ? ["the server may have other models: any name can be chosen"] : []),
	];
	return notes.flatMap((note) => wrapText(note, columns)).map(styles.dim);
}

/** A price that goes up with the length of the prompt has no room in the table. */
function longPromptRows({ name, long_prompt }: Listed, { columns, styles }: Look): string[] {
	if (!long_prompt) return [];
	const { above, prices } = long_prompt;
	const [input, cached, output] = [prices.input, prices.cache_read, prices.output].map(priceOf);
	const words = `${visibleLine(name)}, prompts above ${formatRoughly(above)} tokens: ${input} in, ${cached} cached, ${output} out`;
	return wrapText(words, columns).map(styles.dim);
}

function cellsOf({ name, tier, context_window, max_output, reasoning, images, prices }: Listed): string[] {
	return [
		visibleLine(name),
		visibleLine(tier ?? ""),
		formatRoughly(context_window),
		formatRoughly(max_output),
		reasoning === "none" ? "no" : visibleLine(reasoning.replace(/_.*/, "")),
		images ? "yes" : "no",
		...[prices?.input, prices?.cache_read, prices?.output].map(priceOf),
	];
}

/** Dollars for a million tokens: prices are told as their lists tell them, `?` where nobody knows. */
function priceOf(price: number | undefined): string {
	if (price === undefined) return "?";
	return Number.isInteger(price * 100) ? price.toFixed(2) : String(price);
}

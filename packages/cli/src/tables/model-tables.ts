import { definedItems, formatUsd, formatUsdLimit } from "@parley/base";
import type { ProviderReport } from "@parley/gateway";
import type { MethodResult } from "@parley/protocol";
import { formatCount, formatRoughly } from "../text/amounts.ts";
import { alignColumns, tableRows } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat, Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf, wrapText } from "../text/wrap.ts";
import { modelTableTexts, usageTableTexts } from "../texts/tables/models.ts";

type ModelList = MethodResult<"list_models">;
type ListedModel = ModelList["models"][number];

/**
 * Returns the rows of the models, followed by notes about prices and unlisted models. `▸` marks the default
 * model.
 */
export function modelTable(list: ModelList, format: OutputFormat): string[] {
	const { models, default: chosen } = list;
	const notes = modelNotes(list, format);
	if (models.length === 0) return notes;
	const rows = models.map((model) => [model.name === chosen ? "▸" : "", ...modelCells(model)]);
	const table = tableRows(
		{ rows: [modelTableTexts.columns, ...rows], right: [3, 4, 7, 8, 9], optional: [6, 8], elastic: 1 },
		format,
	);
	return [...table, ...models.flatMap((model) => priceRows(model, format)), ...notes];
}

/** Returns notes about models that are not in the table. */
function modelNotes(
	{ models, default: chosen, any_model }: ModelList,
	{ columns, styles }: OutputFormat,
): string[] {
	const isListed = models.some(({ name }) => name === chosen);
	const notes = definedItems([
		isListed ? undefined : modelTableTexts.unlistedDefault({ model: visibleLine(chosen) }),
		any_model ? modelTableTexts.anyModel : undefined,
	]);
	return notes.flatMap((note) => wrapText(note, columns)).map(styles.dim);
}

/** Returns a note if a subscription pays for the model, or if long prompts have other prices. */
function priceRows(
	{ name, long_prompt, subscription }: ListedModel,
	{ columns, styles }: OutputFormat,
): string[] {
	if (subscription)
		return wrapText(modelTableTexts.subscription({ model: visibleLine(name) }), columns).map(styles.dim);
	if (!long_prompt) return [];
	const { above, prices } = long_prompt;
	const [input, cached, output] = [prices.input, prices.cache_read, prices.output].map(priceOf);
	const words = modelTableTexts.longPrompt({
		model: visibleLine(name),
		above: formatRoughly(above),
		input,
		cached,
		output,
	});
	return wrapText(words, columns).map(styles.dim);
}

function modelCells({
	name,
	tier,
	context_window,
	max_output,
	reasoning,
	images,
	prices,
	subscription,
}: ListedModel): string[] {
	return [
		visibleLine(name),
		visibleLine(tier ?? ""),
		formatRoughly(context_window),
		formatRoughly(max_output),
		reasoning === "none" ? "no" : visibleLine(reasoning.replace(/_.*/, "")),
		images ? "yes" : "no",
		...[prices?.input, prices?.cache_read, prices?.output].map((price) =>
			subscription ? "-" : priceOf(price),
		),
	];
}

/** Returns US dollars per million tokens, as in the vendor's price list, or `?` if the price is unknown. */
function priceOf(price: number | undefined): string {
	if (price === undefined) return "?";
	return Number.isInteger(price * 100) ? price.toFixed(2) : String(price);
}

/** Returns the rows of the providers, followed by their problems. */
export function providerTable(providers: readonly ProviderReport[], format: OutputFormat): string[] {
	if (providers.length === 0) return [modelTableTexts.noProvider];
	const rows = providers.map(({ name, host, key, keyFound, models }) => [
		...[name, host].map(visibleLine),
		host === ""
			? "?"
			: key === undefined
				? modelTableTexts.noKeyNeeded
				: keyFound
					? modelTableTexts.keyFound({ key: visibleLine(key) })
					: modelTableTexts.keyMissing({ key: visibleLine(key) }),
		models === undefined ? "?" : formatCount(models),
	]);
	const problems = providers.flatMap(({ name, problem }): string[] =>
		problem === undefined
			? []
			: wrapText(`✗ ${visibleLine(name)}: ${visibleLine(problem)}`, format.columns).map(format.styles.red),
	);
	const table = { rows: [modelTableTexts.providerColumns, ...rows], right: [3], elastic: 1 };
	return [...tableRows(table, format), ...problems];
}

type AgentList = MethodResult<"list_agents">;
type Agent = AgentList["agents"][number];

/** Returns the rows of the agent profiles, followed by the invalid profiles with their reasons. */
export function agentTable({ agents, problems }: AgentList, format: OutputFormat): string[] {
	const cells = [modelTableTexts.agentColumns, ...agents.map(agentCells)];
	const broken = problems.flatMap(({ name, message }) =>
		wrapText(`✗ ${visibleLine(name)}: ${visibleLine(message)}`, format.columns).map(format.styles.red),
	);
	return [...tableRows({ rows: cells, optional: [1], elastic: 4 }, format), ...broken];
}

function agentCells({ name, title, model, reasoning, tools, server }: Agent): string[] {
	const named = modelTableTexts.modelAt({ model, server });
	const allowed =
		tools === undefined ? modelTableTexts.allTools : tools.join(", ") || modelTableTexts.noTools;
	return [name, title, named, reasoning ?? "", allowed].map(visibleLine);
}

export type UsageReport = MethodResult<"usage">;
type UsageRow = UsageReport["rows"][number];

const groupings = ["day", "model", "session"] as const;
export type Grouping = (typeof groupings)[number];

/**
 * Returns usage as rows: one row for each day, model or session, a sum if there are several, notes about missing
 * prices, and the budgets.
 */
export function usageRows(
	{ rows, total, budgets }: UsageReport,
	by: Grouping,
	format: OutputFormat,
): string[] {
	const known = budgetRows(budgets, format);
	const limits = known.length === 0 ? [] : ["", ...known];
	if (total.calls === 0) return [usageTableTexts.noUsage, ...limits];
	const cells = definedItems([
		[by.toUpperCase(), ...usageTableTexts.columns],
		...rows.map((row) => usageCells(nameOf(row, by), row)),
		rows.length > 1 ? usageCells(usageTableTexts.total, total) : undefined,
	]);
	const table = tableRows({ rows: cells, right: [1, 2, 3, 4, 5], optional: [1], elastic: 0 }, format);
	return [...table, ...priceNotes(rows, format), ...limits];
}

function nameOf({ day, model, session_id }: UsageRow, by: Grouping): string {
	return visibleLine({ day, model, session: session_id }[by] ?? "");
}

function usageCells(name: string, used: UsageReport["total"]): string[] {
	const { calls, tokens_input, tokens_cache_read, tokens_output, cost_usd } = used;
	const counts = [calls, tokens_input, tokens_cache_read, tokens_output].map(formatCount);
	return [name, ...counts, formatUsd(cost_usd)];
}

/** Returns a note about models without a price, because their cost of $0.00 would be misleading. */
function priceNotes(rows: readonly UsageRow[], { columns, styles }: OutputFormat): string[] {
	const free = rows.filter(({ model, provider, cost_usd }) => {
		return model !== undefined && provider !== "offline" && cost_usd === 0;
	});
	if (free.length === 0) return [];
	const names = free.map(({ model = "" }) => visibleLine(model)).join(", ");
	return wrapText(usageTableTexts.noPrice({ models: names }), columns).map(styles.dim);
}

type Budget = MethodResult<"usage">["budgets"][number];

const longestBar = 20;
const shortestBar = 5;

/**
 * Returns the rows of the budgets: the spent part, a bar if the terminal is wide enough, and the source of the
 * limit. A budget without a limit has a row only if the operator has set it.
 */
export function budgetRows(all: readonly Budget[], { columns, styles }: OutputFormat): string[] {
	const budgets = all
		.filter(({ limit_usd, source }) => limit_usd !== null || source === "set")
		.sort((a, b) => orderOf(a) - orderOf(b));
	const cells = budgets.map((budget) => [
		scopeOf(budget),
		spentOf(budget),
		budget.limit_usd === null ? "" : `${percentOf(budget)} %`,
		budget.source === "set" ? usageTableTexts.setByOperator : usageTableTexts.configured,
	]);
	const width = Math.max(0, ...alignColumns(cells).map(widthOf));
	const bar = Math.min(longestBar, columns - width - 2);
	const rows = budgets.map((budget, index) => {
		const [scope = "", spent = "", percent = "", setBy = ""] = cells[index] ?? [];
		return definedItems([scope, bar < shortestBar ? undefined : barOf(budget, bar), percent, spent, setBy]);
	});
	const percentAt = bar < shortestBar ? 1 : 2;
	const plain = alignColumns(rows, new Set([percentAt])).map((row) => shorten(row, columns));
	return plain.map((row, index) => {
		const budget = budgets[index];
		return budget ? colourOf(budget, styles)(row) : row;
	});
}

/**
 * Returns the sort key of a budget: budgets of the gateway before budgets of sessions, and daily budgets before
 * monthly budgets.
 */
function orderOf({ scope, period }: Budget): number {
	return (scope === "gateway" ? 0 : 2) + (period === "day" ? 0 : 1);
}

function scopeOf({ scope, session_id, period }: Budget): string {
	const scopeName =
		scope === "gateway"
			? usageTableTexts.allSessions
			: visibleLine(session_id ?? usageTableTexts.thisSession);
	return `${scopeName}, ${period === "day" ? usageTableTexts.today : usageTableTexts.thisMonth}`;
}

function spentOf({ spent_usd, limit_usd }: Budget): string {
	const spent = formatUsd(spent_usd);
	return limit_usd === null
		? usageTableTexts.noLimit({ spent })
		: usageTableTexts.spentOf({ spent, limit: formatUsdLimit(limit_usd) });
}

/** Returns the spent percentage, rounded down, so that 100 % means that the budget is spent. */
function percentOf({ spent_usd, limit_usd }: Budget): number {
	if (limit_usd === null) return 0;
	if (limit_usd === 0) return 100;
	// The code calculates with whole billionths. In floating point, 0.29 of a dollar is less than 29 % of a dollar.
	const [spent, limit] = [spent_usd, limit_usd].map((usd) => BigInt(Math.round(usd * 1e9)));
	return spent === undefined || !limit ? 100 : Number((spent * 100n) / limit);
}

function barOf(budget: Budget, length: number): string {
	if (budget.limit_usd === null) return "";
	const full = Math.min(length, Math.floor((percentOf(budget) * length) / 100));
	return "█".repeat(full) + "░".repeat(length - full);
}

function colourOf(budget: Budget, { red, yellow }: Styles): (text: string) => string {
	if (budget.limit_usd === null || percentOf(budget) < 80) return (text) => text;
	return percentOf(budget) < 100 ? yellow : red;
}

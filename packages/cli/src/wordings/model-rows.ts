import { definedItems, formatUsd } from "@parley/base";
import type { AssistantMessagePayload, EventPayloads, OzzieEvent } from "@parley/protocol";
import { formatRoughly } from "../text/amounts.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";
import { compactionListWords } from "./list-words.ts";

/** Minimum width of a reason, in columns. */
const leastReason = 10;

const compacted: Readonly<Record<EventPayloads["context.compacted"]["level"], string>> = {
	tool_results: eventTexts.toolResultsLeftOut,
	thinking: eventTexts.thinkingLeftOut,
	summary: eventTexts.summarised,
};

/** Returns rows below an answer with the model, tokens and cost. Returns none for the offline model. */
export function metricRows(
	{ model, provider, tokens, costUsd }: RunMetrics,
	{ columns, styles }: OutputFormat,
): string[] {
	if (provider === "offline") return [];
	const { tokens_input, tokens_cache_read, tokens_output } = tokens;
	const parts = definedItems([
		visibleLine(model),
		eventTexts.tokens({
			input: formatRoughly(tokens_input),
			output: formatRoughly(tokens_output),
			cached: tokens_cache_read > 0 ? formatRoughly(tokens_cache_read) : undefined,
		}),
		costUsd ? formatUsd(costUsd) : undefined,
	]);
	return wrapText(parts.join(" · "), columns).map(styles.dim);
}

/** Returns the reason and time of a retry in one line. A long reason is shortened. */
export function retryWords(
	{ reason, in_ms, attempt }: EventPayloads["run.retrying"],
	columns = Number.POSITIVE_INFINITY,
): string {
	const seconds = Math.max(1, Math.round(in_ms / 1000));
	const when = in_ms < 1 ? "" : eventTexts.retrying({ seconds, attempt: attempt + 1 });
	return `${shorten(visibleLine(reason), Math.max(leastReason, columns - when.length))}${when}`;
}

export function budgetReachedRows(
	{ message }: EventPayloads["budget.reached"],
	{ columns, styles }: OutputFormat,
): string[] {
	return wrapText(visibleText(message), columns).map(styles.yellow);
}

export function compactedRows(
	{ level, tokens_before, tokens_after, error }: EventPayloads["context.compacted"],
	{ columns, styles }: OutputFormat,
): string[] {
	const sizes = eventTexts.reduced({
		before: formatRoughly(tokens_before),
		after: formatRoughly(tokens_after),
	});
	const words =
		error === ""
			? `${compacted[level]}: ${sizes}`
			: eventTexts.shortenedWithoutSummary({ error: visibleLine(error), sizes });
	return wrapText(words, columns).map(styles.dim);
}

/**
 * Returns the rows of a compaction in the chat. Returns none if a client requested the compaction, because
 * `compaction.ended` reports the sizes.
 */
export function compactedChatRows(
	compaction: EventPayloads["context.compacted"],
	format: OutputFormat,
): string[] {
	return compaction.run_id === "" ? [] : compactedRows(compaction, format);
}

/** Returns rows about the end of a compaction that a client requested. */
export function compactionEndRows(
	end: EventPayloads["compaction.ended"],
	{ columns, styles }: OutputFormat,
): string[] {
	const { words, failed = false } = compactionListWords(end);
	return wrapText(visibleLine(words), columns).map(failed ? styles.yellow : styles.dim);
}

type Used = Extract<OzzieEvent, { event: "usage.updated" }>["payload"]["run"];

export interface RunMetrics {
	readonly model: string;
	/** Provider of the run. Undefined if unknown. */
	readonly provider: string | undefined;
	readonly tokens: Omit<Used, "cost_usd">;
	/** Cost in US dollars. Undefined if unknown. */
	readonly costUsd: number | undefined;
}

/** Collects the metrics of each run from the events of a session. */
export class RunMetricsCollector {
	#provider: string | undefined;
	#used: Used | undefined;

	/**
	 * Processes an event. If the event ends a run that called a model, returns the metrics of the run. Otherwise,
	 * returns undefined.
	 */
	receive(event: OzzieEvent): RunMetrics | undefined {
		if (event.event === "internal.llm.call") this.#provider = event.payload.provider;
		if (event.event === "usage.updated") this.#used = event.payload.run;
		return event.event === "assistant.message" ? this.#end(event.payload) : undefined;
	}

	#end({ context: { model, usage } }: AssistantMessagePayload): RunMetrics | undefined {
		const used = this.#used;
		const provider = this.#provider;
		this.#used = undefined;
		this.#provider = undefined;
		const tokens = used ?? usage;
		if (model === undefined || tokens === undefined) return undefined;
		const { tokens_input, tokens_output, tokens_cache_read, tokens_cache_write } = tokens;
		return {
			model,
			provider,
			costUsd: used?.cost_usd,
			tokens: { tokens_input, tokens_output, tokens_cache_read, tokens_cache_write },
		};
	}
}

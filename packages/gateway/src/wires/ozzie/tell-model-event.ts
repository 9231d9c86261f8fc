import {
	type BudgetReached,
	dollars,
	formatDollars,
	type RecordedEvent,
	type TransientEvent,
} from "@parley/core";
import type { EventPayloads } from "@parley/protocol";
import type { Told } from "./codec.ts";
import { encodeUsage } from "./usage-codec.ts";

export type ModelEvent = Extract<
	RecordedEvent | TransientEvent,
	{
		readonly type:
			| "model.calling"
			| "model.called"
			| "run.retrying"
			| "usage.updated"
			| "budget.reached"
			| "context.compacted";
	}
>;

const nanosecondsPerMs = 1_000_000;
const nothingYet = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 };

/** The events about models and money as this wire shows them. */
export function tellModelEvent(event: ModelEvent): Told {
	switch (event.type) {
		case "model.calling":
			return tellCall("start", { ...event, usage: nothingYet, cost: 0, durationMs: 0, error: "" });
		case "model.called":
			return tellCall("end", event);
		case "run.retrying": {
			const { runId, reason, inMs, attempt, model } = event;
			return { event: event.type, payload: { run_id: runId, reason, in_ms: inMs, attempt, model } };
		}
		case "usage.updated": {
			const { runId, run, session } = event;
			return {
				event: event.type,
				payload: { run_id: runId, run: encodeUsage(run), session: encodeUsage(session) },
			};
		}
		case "budget.reached":
			return { event: event.type, payload: encodeBudget(event) };
		case "context.compacted": {
			const { runId, level, tokensBefore, tokensAfter, error = "" } = event;
			const tokens = { tokens_before: tokensBefore, tokens_after: tokensAfter };
			return { event: event.type, payload: { run_id: runId, level, ...tokens, error } };
		}
	}
}

function tellCall(
	phase: "start" | "end",
	call: Omit<Extract<RecordedEvent, { type: "model.called" }>, "type">,
): Told {
	const { runId, model, provider, messages, usage, cost, durationMs, error } = call;
	return {
		event: "internal.llm.call",
		payload: {
			...{ phase, model, provider, message_count: messages },
			...encodeUsage({ ...usage, cost }),
			...{ duration: Math.round(durationMs * nanosecondsPerMs), error, run_id: runId },
		},
	};
}

function encodeBudget(reached: BudgetReached): EventPayloads["budget.reached"] {
	const { scope, period, percent, spent, limit } = reached;
	return {
		...{ scope, period, percent, spent_usd: dollars(spent), limit_usd: dollars(limit) },
		message: inWords(reached),
	};
}

function inWords({ scope, period, percent, spent, limit }: BudgetReached): string {
	const whose = scope === "gateway" ? "the gateway's" : "this session's";
	const figures = `${formatDollars(spent)} of ${formatDollars(limit)}`;
	if (percent < 100) return `${percent} % of ${whose} budget for this ${period} (UTC) is spent: ${figures}`;
	return `${whose} budget for this ${period} (UTC) is spent: ${figures}; no model is called until the operator raises it`;
}

import { isOzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { decodeEventName, encodeEvent, encodeModelEvent, type ModelEvent } from "./event-json.ts";

const usage = { inputTokens: 1_200, outputTokens: 450, cacheReadTokens: 1_000, cacheWriteTokens: 50 };
const shown = { tokens_input: 1_200, tokens_output: 450, tokens_cache_read: 1_000, tokens_cache_write: 50 };
const nothing = { tokens_input: 0, tokens_output: 0, tokens_cache_read: 0, tokens_cache_write: 0 };
const call = { runId: "run_1", model: "m", provider: "p", messages: 5 };
const shownCall = { run_id: "run_1", model: "m", provider: "p", message_count: 5 };

/** Events of models with their frames. A type without its frame fails to compile. */
const encoded: {
	readonly [Type in ModelEvent["type"]]: readonly [
		event: Extract<ModelEvent, { type: Type }>,
		name: string,
		payload: object,
	];
} = {
	"model.calling": [
		{ type: "model.calling", ...call },
		"internal.llm.call",
		{ phase: "start", ...shownCall, ...nothing, cost_usd: 0, duration: 0, error: "" },
	],
	"model.called": [
		{
			type: "model.called",
			...call,
			usage,
			cost: 12_345_678,
			durationMs: 3_200.000_000_4,
			error: "broke off",
		},
		"internal.llm.call",
		{
			phase: "end",
			...shownCall,
			...shown,
			cost_usd: 0.012_345_678,
			duration: 3_200_000_000,
			error: "broke off",
		},
	],
	"run.retrying": [
		{ type: "run.retrying", runId: "run_1", reason: "overloaded", inMs: 2_000, attempt: 2, model: "m" },
		"run.retrying",
		{ run_id: "run_1", reason: "overloaded", in_ms: 2_000, attempt: 2, model: "m" },
	],
	"usage.updated": [
		{ type: "usage.updated", runId: "run_1", run: { ...usage, cost: 1 }, session: { ...usage, cost: 2 } },
		"usage.updated",
		{
			run_id: "run_1",
			run: { ...shown, cost_usd: 0.000_000_001 },
			session: { ...shown, cost_usd: 0.000_000_002 },
		},
	],
	"budget.reached": [
		{
			type: "budget.reached",
			scope: "session",
			period: "day",
			percent: 80,
			spent: 4_100_000_000,
			limit: 5_000_000_000,
		},
		"budget.reached",
		{
			scope: "session",
			period: "day",
			percent: 80,
			spent_usd: 4.1,
			limit_usd: 5,
			message: "80 % of this session's budget for this day (UTC) is spent: $4.10 of $5.00",
		},
	],
	"context.compacted": [
		{ type: "context.compacted", runId: "run_1", level: "summary", tokensBefore: 9_000, tokensAfter: 800 },
		"context.compacted",
		{ run_id: "run_1", level: "summary", tokens_before: 9_000, tokens_after: 800, error: "" },
	],
	"compaction.ended": [
		{ type: "compaction.ended", status: "failed", tokensBefore: 0, tokensAfter: 0, error: "overloaded" },
		"compaction.ended",
		{ status: "failed", tokens_before: 0, tokens_after: 0, error: "overloaded" },
	],
};

test.each(Object.values(encoded))("$type becomes one frame of the protocol", (event, name, payload) => {
	expect(encodeModelEvent(event)).toEqual({ event: name, payload });
	const place = { sessionId: "sess_1", seq: 7 };
	const frame =
		event.type === "model.calling"
			? encodeEvent({ ...place, transient: true, event })
			: encodeEvent({ ...place, transient: false, id: "evt_1", at: 0, event });
	expect(isOzzieEvent(frame)).toBe(true);
	expect(frame.transient).toBe(event.type === "model.calling" ? true : undefined);
	if (!frame.transient) expect(decodeEventName(name)).toEqual([event.type]);
});

test("a spent budget states the consequence", () => {
	const event: ModelEvent = {
		type: "budget.reached",
		scope: "gateway",
		period: "month",
		percent: 100,
		spent: 100_020_000_000,
		limit: 100_000_000_000,
	};
	expect(encodeModelEvent(event).payload).toMatchObject({
		percent: 100,
		message:
			"the gateway's budget for this month (UTC) is spent: $100.02 of $100.00; " +
			"models are not called until the operator raises it",
	});
});

import { expect, test } from "vitest";
import { answered, event, modelCall, usageUpdated } from "../testing/events.ts";
import { RunMetricsCollector } from "./model-rows.ts";

const tokens = {
	tokens_input: 12_345,
	tokens_output: 1_200,
	tokens_cache_read: 10_000,
	tokens_cache_write: 0,
};

test("returns the model, tokens and cost at the end of a run", () => {
	const metrics = new RunMetricsCollector();
	expect(
		[modelCall("start"), modelCall("end"), usageUpdated(0.5)].map((one) => metrics.receive(one)),
	).toEqual([undefined, undefined, undefined]);
	expect(metrics.receive(answered("hi", "claude"))).toEqual({
		model: "claude",
		provider: "anthropic",
		costUsd: 0.5,
		tokens,
	});
});

test("uses the tokens of the last event if earlier events are missing, without a cost", () => {
	expect(new RunMetricsCollector().receive(answered("hi", "claude"))).toEqual({
		model: "claude",
		provider: undefined,
		costUsd: undefined,
		tokens,
	});
});

test("returns no metrics for a run without a model call, also after another run", () => {
	const metrics = new RunMetricsCollector();
	for (const one of [modelCall("end"), usageUpdated(0.5), answered("hi", "claude")]) metrics.receive(one);
	const failed = event("assistant.message", { content: "", error: "budget spent", context: {} });
	expect(metrics.receive(failed)).toBeUndefined();
});

import { MemoryLogger } from "@parley/base/testing";
import type { RecordedEvent } from "@parley/core";
import { expect, test } from "vitest";
import { metricValues } from "../testing/metric-values.ts";
import { countEvents, type EventMetricTable } from "./event-metrics.ts";
import { MetricRecorder } from "./recorder.ts";

const modelCall: RecordedEvent = {
	type: "model.called",
	runId: "run_1",
	model: "m",
	provider: "p",
	messages: 1,
	usage: { inputTokens: 5, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 0 },
	cost: 1_500_000_000,
	durationMs: 250,
	error: "",
};

test("a cost in billionths is counted in dollars", async () => {
	const recorder = new MetricRecorder(new MemoryLogger());
	const count = countEvents(recorder, []);
	count({ transient: false, id: "e1", sessionId: "s", seq: 1, at: 0, event: modelCall });
	expect(await metricValues(recorder, "parley_model_cost_dollars_total")).toEqual({
		"parley_model_cost_dollars_total p m": 1.5,
	});
});

test("a table without a decision about an event does not compile", () => {
	const complete = (table: EventMetricTable): EventMetricTable => table;
	const without = ({ "run.retrying": _left, ...rest }: EventMetricTable): unknown =>
		// @ts-expect-error The entry of `run.retrying` is missing.
		complete(rest);
	expect(without).toBeTypeOf("function");
});

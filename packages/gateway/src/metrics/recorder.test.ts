import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { metricValues } from "../testing/metric-values.ts";
import { MetricRecorder } from "./recorder.ts";

function open(): MetricRecorder {
	return new MetricRecorder(new MemoryLogger());
}

async function exposition(recorder: MetricRecorder, name: string): Promise<string> {
	return (await recorder.load()).registry.getSingleMetricAsString(name);
}

test("a metric is its help text, its type and one line for each series", async () => {
	const recorder = open();
	recorder.count("parley_tool_calls_total", { tool: "read", outcome: "completed" });
	recorder.count("parley_tool_calls_total", { tool: "read", outcome: "completed" }, 2);
	recorder.count("parley_tool_calls_total", { tool: "read", outcome: "failed" });
	expect(await exposition(recorder, "parley_tool_calls_total")).toBe(
		[
			"# HELP parley_tool_calls_total Tool calls that ended.",
			"# TYPE parley_tool_calls_total counter",
			'parley_tool_calls_total{tool="read",outcome="completed"} 3',
			'parley_tool_calls_total{tool="read",outcome="failed"} 1',
		].join("\n"),
	);
});

test("the value of a label cannot end a line or a value", async () => {
	const recorder = open();
	recorder.count("parley_model_retries_total", { model: 'a"b\\c\nd' });
	expect(await exposition(recorder, "parley_model_retries_total")).toContain(
		'\nparley_model_retries_total{model="a\\"b\\\\c\\nd"} 1',
	);
});

test("a bucket counts the values up to its bound", async () => {
	const recorder = open();
	for (const commands of [0.5, 1, 2, 201]) recorder.observe("parley_store_commit_commands", {}, commands);
	expect(await metricValues(recorder, "parley_store_commit_commands")).toEqual({
		"parley_store_commit_commands 1": 2,
		...Object.fromEntries(
			[2, 5, 10, 20, 50, 100, 200].map((le) => [`parley_store_commit_commands ${le}`, 3]),
		),
		"parley_store_commit_commands +Inf": 4,
		parley_store_commit_commands: 4,
	});
});

test("names from outside do not add series without limit", async () => {
	const recorder = open();
	for (let n = 0; n < 2_000; n++) recorder.count("parley_model_retries_total", { model: `m${n}` });
	recorder.count("parley_model_retries_total", { model: "m0" });
	const values = await metricValues(recorder, "parley_model_retries_total");
	expect(Object.keys(values)).toHaveLength(501);
	expect(values).toMatchObject({
		"parley_model_retries_total m0": 2,
		"parley_model_retries_total other": 1_500,
	});
});

test("measurements before and after the library is loaded add up", async () => {
	const recorder = open();
	// The 1,000th measurement loads prom-client.
	for (let n = 0; n < 1_000; n++) recorder.count("parley_files_total", {});
	const loading = recorder.load();
	recorder.count("parley_files_total", {});
	await loading;
	recorder.count("parley_files_total", {});
	expect(await metricValues(recorder, "parley_files_total")).toEqual({ parley_files_total: 1_002 });
});

test("a counter without labels starts at 0", async () => {
	expect(await metricValues(open(), "parley_upload_bytes_total")).toEqual({ parley_upload_bytes_total: 0 });
});

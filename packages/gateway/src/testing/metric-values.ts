import type { MetricRecorder } from "../metrics/recorder.ts";

/**
 * Returns the values of the metrics with names that start with `prefix`. The key of a value contains the metric's
 * name and the label values, for example `parley_tasks_total failed`.
 */
export async function metricValues(
	recorder: MetricRecorder,
	prefix: string,
): Promise<Record<string, number>> {
	const { registry } = await recorder.load();
	const values: Record<string, number> = {};
	for (const metric of await registry.getMetricsAsJSON()) {
		if (!metric.name.startsWith(prefix)) continue;
		for (const { labels, value } of metric.values)
			values[[metric.name, ...Object.values(labels)].join(" ")] = value;
	}
	return values;
}

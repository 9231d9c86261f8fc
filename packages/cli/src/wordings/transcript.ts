import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import type { OutputFormat } from "../text/styles.ts";
import { transcriptRows } from "./event-wordings.ts";
import { metricRows, RunMetricsCollector } from "./model-rows.ts";

/** The transcript of a session in rows, from its beginning. */
export function sessionTranscript(events: readonly ShownEvent[], format: OutputFormat): string[] {
	const metrics = new RunMetricsCollector();
	return events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		const metricsOfRun = metrics.receive(event);
		const rows = transcriptRows(event, { at: new Date(shown.timestamp ?? 0), format });
		return metricsOfRun ? [...rows, ...metricRows(metricsOfRun, format)] : rows;
	});
}

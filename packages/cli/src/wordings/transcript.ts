import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import type { Look } from "../text/styles.ts";
import { transcriptRows } from "./event-wordings.ts";
import { metricRows, RunMetricsCollector } from "./model-rows.ts";

/** The transcript of a session in rows, from its beginning. */
export function sessionTranscript(events: readonly ShownEvent[], look: Look): string[] {
	const metrics = new RunMetricsCollector();
	return events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		const metricsOfRun = metrics.receive(event);
		const rows = transcriptRows(event, { at: new Date(shown.timestamp ?? 0), look });
		return metricsOfRun ? [...rows, ...metricRows(metricsOfRun, look)] : rows;
	});
}

import { defined } from "@parley/base";
import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import type { OutputFormat } from "../text/styles.ts";
import { transcriptRows } from "./event-wordings.ts";
import { metricRows, RunMetricsCollector } from "./model-rows.ts";
import { SessionHistory } from "./session-history.ts";

/** Returns the transcript of a session as rows, from its beginning. */
export function sessionTranscript(events: readonly ShownEvent[], format: OutputFormat): string[] {
	const metrics = new RunMetricsCollector();
	const history = new SessionHistory();
	return events.flatMap((shown) => {
		const received = toOzzieEvent(shown);
		if (!received) return [];
		const { event, number } = history.receive(received);
		const metricsOfRun = metrics.receive(event);
		const at = new Date(shown.timestamp ?? 0);
		const rows = transcriptRows(event, { at, format, ...defined({ number }) });
		return metricsOfRun ? [...rows, ...metricRows(metricsOfRun, format)] : rows;
	});
}

import { type ShownEvent, toOzzieEvent } from "../client/past-events.ts";
import type { Look } from "../text/styles.ts";
import { transcriptRows } from "./event-wordings.ts";
import { figureRows, RunFigures } from "./model-rows.ts";

/** The transcript of a session in rows, from its beginning. */
export function sessionTranscript(events: readonly ShownEvent[], look: Look): string[] {
	const figures = new RunFigures();
	return events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		const taken = figures.take(event);
		const rows = transcriptRows(event, { at: new Date(shown.timestamp ?? 0), look });
		return taken ? [...rows, ...figureRows(taken, look)] : rows;
	});
}

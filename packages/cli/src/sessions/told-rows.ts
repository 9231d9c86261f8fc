import { figureRows } from "../model-rows.ts";
import { RunFigures } from "../run-figures.ts";
import type { Look } from "../text/styles.ts";
import { transcriptRows } from "../wordings/event-wordings.ts";
import { type ShownEvent, toOzzieEvent } from "./past-events.ts";

/** The transcript of a session in rows, from its beginning. */
export function toldRows(events: readonly ShownEvent[], look: Look): string[] {
	const figures = new RunFigures();
	return events.flatMap((shown) => {
		const event = toOzzieEvent(shown);
		if (!event) return [];
		const taken = figures.take(event);
		const rows = transcriptRows(event, { at: new Date(shown.timestamp ?? 0), look });
		return taken ? [...rows, ...figureRows(taken, look)] : rows;
	});
}

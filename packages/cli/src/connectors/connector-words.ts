import { duration } from "../text/time-ago.ts";
import type { ConnectorStanding } from "./connector-report.ts";

/** How a connector is doing, in a line for people. */
export function connectorWords(standing: ConnectorStanding, now: number): string {
	const { state, detail, since, pid } = standing;
	const reason = detail === undefined ? "" : `: ${detail}`;
	const span = duration(Math.max(0, now - since));
	switch (state) {
		case "starting":
			return `starting (process ${pid})`;
		case "connected":
			return `connected for ${span} (process ${pid})${loadOf(standing)}`;
		case "waiting":
			return `waits since ${span}${reason}${loadOf(standing)}`;
		case "refused":
			return `does not run${reason}`;
		case "failed":
			return `has ended${reason}`;
		case "silent":
			return `does not work${reason}`;
	}
}

/** The same in rows of names and facts, with what mends it. */
export function connectorRows(standing: ConnectorStanding, now: number): [string, string][] {
	const fix = connectorFix(standing);
	return [
		[standing.platform, connectorWords(standing, now)],
		...(fix === undefined ? [] : [["", fix] satisfies [string, string]]),
	];
}

/** What mends it; undefined where nothing has to be mended. */
export function connectorFix({ platform, state, held = 0 }: ConnectorStanding): string | undefined {
	switch (state) {
		case "refused":
			return `do that, then start parley again; parley ${platform} doctor looks closer`;
		case "failed":
		case "silent":
			return `parley start starts it again by itself where it runs it; parley ${platform} doctor looks closer`;
		case "waiting":
			return `it goes on by itself; parley ${platform} doctor looks closer`;
		case "starting":
		case "connected":
			return held > 0 ? `parley ${platform} posts lists what waits for a decision` : undefined;
	}
}

function loadOf({ waiting = 0, open = 0, held = 0 }: ConnectorStanding): string {
	const facts = [
		...(waiting > 0 ? [`${waiting} to be handled`] : []),
		...(open - held > 0 ? [`${open - held} to be posted`] : []),
		...(held > 0 ? [`${held} held for a decision`] : []),
	];
	return facts.length > 0 ? `; ${facts.join(", ")}` : "";
}

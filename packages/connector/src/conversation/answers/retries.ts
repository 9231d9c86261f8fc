import type { EventPayloads } from "@parley/protocol";
import type { Scene, Step, Told } from "../vocabulary/reducer.ts";
import { showRetrying, showRetryOver } from "./cards.ts";
import { type AnswersSlice, withChange } from "./runs.ts";

/** A first failure passes before anybody has read of it. */
const triesInSilence = 1;

/** A model call has failed and is made again: one card for each run tells of it. */
export function retrying(
	slice: AnswersSlice,
	{ at, payload }: Pick<Told, "at"> & { readonly payload: EventPayloads["run.retrying"] },
	scene: Scene,
): Step<AnswersSlice> {
	const { run_id, reason, attempt, in_ms } = payload;
	const run = slice.open.find(({ id }) => id === run_id);
	if (run === undefined || attempt <= triesInSilence) return { slice, intentions: [] };
	return {
		slice: withChange(slice, { ...run, retrying: true }),
		intentions: [showRetrying(run, { reason, attempt, at: at + in_ms }, scene)],
	};
}

/** A model call has ended: where it went well, none is made again. */
export function called(
	slice: AnswersSlice,
	{ run_id, phase, error }: EventPayloads["internal.llm.call"],
	scene: Scene,
): Step<AnswersSlice> {
	const run = slice.open.find(({ id }) => id === run_id);
	if (run?.retrying !== true || phase === "start" || error !== "") return { slice, intentions: [] };
	return {
		slice: withChange(slice, { ...run, retrying: false }),
		intentions: showRetryOver(run, "The model answers again.", scene),
	};
}

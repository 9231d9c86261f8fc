import type { EventPayloads } from "@parley/protocol";
import { accept } from "./answers/accept.ts";
import { showQueueOver, showRetryOver, showSteps, showStepsOver } from "./answers/cards.ts";
import { finish } from "./answers/finish.ts";
import { called, retrying } from "./answers/retries.ts";
import { type AnswersSlice, withChange } from "./answers/runs.ts";
import { created, missed, removed } from "./answers/scheduled.ts";
import { share } from "./answers/share.ts";
import { stepsOf } from "./tasks/step-lines.ts";
import { plain } from "./vocabulary/plain.ts";
import type { Part, Scene, Step } from "./vocabulary/reducer.ts";
import type { ShowIntention } from "./vocabulary/render-operation.ts";

export type { AnswersSlice };

const empty: AnswersSlice = { open: [], ended: [] };

/** The life of messages and of the runs that answer them. */
export const answers: Part<AnswersSlice> = {
	empty,
	tell(slice, told, scene) {
		const { event } = told;
		switch (event.event) {
			case "user.message":
				return accept({ ...slice, usedAt: told.at }, event.payload, scene);
			case "assistant.message":
				return finish({ ...slice, usedAt: told.at }, event.payload, scene);
			case "run.retrying":
				return retrying(slice, { at: told.at, payload: event.payload }, scene);
			case "internal.llm.call":
				return called(slice, event.payload, scene);
			case "todo.updated":
				return listed(slice, event.payload, scene);
			case "file.created":
				return { slice, intentions: [share(slice, event.payload)] };
			case "budget.reached":
				return { slice, intentions: [notice("error", sentence(event.payload.message))] };
			case "session.renamed":
				return { slice, intentions: renamed(event.payload) };
			case "schedule.created":
				return { slice, intentions: [created(event.payload)] };
			case "schedule.trigger":
				return { slice, intentions: missed(event.payload) };
			case "schedule.removed":
				return { slice, intentions: removed(event.payload) };
			case "session.deleted":
				return deleted(slice, scene);
			default:
				return { slice, intentions: [] };
		}
	},
};

/** The steps of a run have changed: its card shows them. */
function listed(
	slice: AnswersSlice,
	{ run_id, plan }: EventPayloads["todo.updated"],
	scene: Scene,
): Step<AnswersSlice> {
	const run = slice.open.find(({ id }) => id === run_id);
	if (run === undefined) return { slice, intentions: [] };
	const steps = stepsOf(plan);
	return {
		slice: withChange(slice, { ...run, steps }),
		intentions: [showSteps(run, { steps, ended: false }, scene)],
	};
}

function notice(lane: ShowIntention["lane"], text: string): ShowIntention {
	return { type: "show", lane, text };
}

function sentence(words: string): string {
	const text = plain(words.replace(/[.\s]+$/u, ""), 600);
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A title that a model has chosen is no news. */
function renamed({ title, by }: EventPayloads["session.renamed"]): ShowIntention[] {
	if (by === "model" || title === "") return [];
	return [notice("milestone", `This conversation is called “${plain(title, 200)}” from now on.`)];
}

/** Nothing follows: no card may go on promising something. */
function deleted({ open }: AnswersSlice, scene: Scene): Step<AnswersSlice> {
	const over = "This conversation was deleted.";
	const cards = open.flatMap((run) => [
		...showQueueOver(run, over, scene),
		...showRetryOver(run, over, scene),
		...showStepsOver(run, scene),
	]);
	return { slice: empty, intentions: cards };
}

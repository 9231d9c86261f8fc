import type { EventPayloads } from "@parley/protocol";
import type { Control } from "../../platform/posting.ts";
import { isBlank } from "../vocabulary/is-blank.ts";
import { plain } from "../vocabulary/plain.ts";
import type { Scene, Step } from "../vocabulary/reducer.ts";
import type { ShowIntention } from "../vocabulary/render-operation.ts";
import { showMoved, showQueueOver, showRetryOver, showStepsOver } from "./cards.ts";
import { control } from "./control.ts";
import { type AnswersSlice, type Run, withoutRun } from "./runs.ts";
import { placeOf, scheduleFoot } from "./scheduled.ts";

type Answer = EventPayloads["assistant.message"];

/** A run has ended: with an answer, with an error, or because somebody stopped it. */
export function finish(slice: AnswersSlice, answer: Answer, scene: Scene): Step<AnswersSlice> {
	const { open } = slice;
	const index = answer.run_id === undefined ? 0 : open.findIndex(({ id }) => id === answer.run_id);
	const run = open[index];
	const id = run?.id ?? answer.run_id;
	if (run === undefined) {
		return {
			slice: id === undefined ? slice : withoutRun(slice, { id }),
			intentions: answered(answer, id, undefined, scene),
		};
	}
	const left = withoutRun(slice, run);
	// Who took a message back out of the line has seen that: nobody waits for an answer to it.
	const dropped = index > 0 && answer.error === "cancelled" && isBlank(answer.content);
	return {
		slice: left,
		intentions: [
			...showQueueOver(run, queueOver(answer, dropped), scene),
			...showRetryOver(run, retryOver(answer), scene),
			...showStepsOver(run, scene),
			...(dropped ? [] : answered(answer, run.id, run, scene)),
			...showMoved(left.open, index, scene),
		],
	};
}

function queueOver({ error }: Answer, dropped: boolean): string {
	if (dropped) return "Taken out of the line: nobody answers it.";
	return error === "cancelled" ? "Stopped." : "It was your turn: see below.";
}

function retryOver({ error }: Answer): string {
	if (error === "cancelled") return "The model has not answered: stopped.";
	return error === "" ? "The model answers again." : "The model has not answered: no more tries.";
}

/** `run` is missing where nobody remembers what is answered. */
function answered(
	answer: Answer,
	id: string | undefined,
	run: Run | undefined,
	scene: Scene,
): ShowIntention[] {
	const { content, error, origin } = answer;
	const isQuiet = origin?.show === "silent" && (error === "" || error === "cancelled");
	if (isQuiet) return [];
	const foot = footOf(answer, scene);
	const reply = {
		...(run?.message !== undefined && { replyTo: run.message }),
		...(origin && placeOf(id, origin, scene)),
	};
	const controls = (...kinds: Parameters<typeof control>[0][]): { controls?: Control[][] } =>
		id === undefined ? {} : { controls: [kinds.map((kind) => control(kind, id, scene))] };
	const said: ShowIntention = { type: "show", lane: "final", text: content, ...reply, ...foot };
	const isSilent = isBlank(content);
	if (error === "cancelled" && isSilent) return [{ ...said, text: stopped(run), ...controls("again") }];
	if (error === "" || error === "cancelled") {
		const text = isSilent ? "Done. There is nothing to add." : content;
		return [{ ...said, text, ...controls("good", "bad", "again") }];
	}
	const failure: ShowIntention = {
		type: "show",
		lane: "error",
		text: failed(error),
		...reply,
		...(origin && foot),
	};
	return [...(isSilent ? [] : [said]), { ...failure, ...controls("again") }];
}

function stopped(run: Run | undefined): string {
	return run === undefined ? "Stopped." : `Stopped: “${plain(run.about, 80)}”`;
}

function failed(error: string): string {
	if (error === "internal error") {
		return "Something broke inside the gateway; its log tells the operator what. Again tries once more.";
	}
	return `That did not work: ${plain(error.replace(/[.\s]+$/u, ""), 600)}.`;
}

/** What holds for the whole answer. */
function footOf({ content, error, context, origin }: Answer, { platform }: Scene): { foot?: string } {
	const until = context.trusted && platform.moment(Date.parse(context.trusted.until), "relative");
	const parts = [
		...(origin ? [scheduleFoot(origin, { platform })] : []),
		...(error === "cancelled" && !isBlank(content) ? ["stopped here"] : []),
		...(until === undefined ? [] : [`trusted channel: ran without asking; the trust ends ${until}`]),
	];
	return parts.length === 0 ? {} : { foot: parts.join(" · ") };
}

import { defined, definedItems } from "@parley/base";
import type { Lane } from "../../platform/lane.ts";
import type { CardState } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import { taskTexts } from "../../texts/tasks.ts";
import { type PlanStep, stepLines } from "../tasks/step-lines.ts";
import { barOf } from "../tasks/task-words.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { RenderOperation, ShowOperation } from "../vocabulary/render-operation.ts";
import { control } from "./control.ts";
import type { Run } from "./runs.ts";
import { showStatus } from "./status-reactions.ts";

interface CardContent {
	readonly lane: Lane;
	readonly text: string;
	readonly state: CardState;
	readonly list?: ShowOperation["list"];
	readonly stop?: true;
	readonly join?: true;
}

function showWaiting(run: Run, position: number, scene: Scene): ShowOperation {
	const text = answerTexts.queue.waiting({ position, waitsFor: scene.waitsFor });
	const card = { lane: "acknowledgement", state: "waiting", text, stop: true } as const;
	return showQueue(run, { ...card, ...defined({ join: run.offers }) }, scene);
}

/**
 * Updates the notices or reactions of the queued messages in `runs`, starting at the position `from`. For the
 * message at position 0, which is now active, the notice is deleted.
 */
export function showMoved(runs: readonly Run[], from: number, scene: Scene): RenderOperation[] {
	return runs.flatMap((run, position): RenderOperation[] => {
		if (run.waited === undefined || position < from) return [];
		if (run.reacts && !run.offers) return showQueued(run, position, scene);
		if (position === 0) return [deleteNotice(run), ...showStatus(run, "accepted")];
		return [{ ...showWaiting(run, position, scene), lane: "progress" }];
	});
}

/** Shows that a queued message has joined the active run, and removes the notice of the message. */
export function showJoined(run: Run): RenderOperation[] {
	// Without the Join button, the operation of `showStatus` also deletes the notice.
	const notice = run.reacts && !run.offers ? undefined : deleteNotice(run);
	return [...definedItems([notice]), ...showStatus(run, "accepted")];
}

function deleteNotice(run: Run): RenderOperation {
	return { type: "delete", lane: "progress", card: queueCard(run) };
}

/** Shows that a message is accepted if its position is 0, otherwise that it is queued. */
export function showQueued(run: Run, position: number, scene: Scene): RenderOperation[] {
	if (position === 0) return showStatus(run, "accepted");
	const notice = showWaiting(run, position, scene);
	// A reaction cannot have the Join button, so the notice is shown, too.
	if (run.offers) return [...showStatus(run, "queued"), notice];
	return run.reacts ? showStatus(run, "queued", notice) : [notice];
}

/**
 * Shows that a queued message left the queue without an answer: closes its notice and removes its reaction, if they
 * are shown. Returns an empty list for a message that was not queued.
 */
export function showQueueOver(run: Run, text: string, scene: Scene): RenderOperation[] {
	if (run.waited === undefined) return [];
	const notice = showQueue(run, { lane: "progress", state: "closed", text }, scene);
	if (run.offers) return [notice, ...showStatus(run, "cancelled")];
	return run.reacts ? showStatus(run, "cancelled", notice) : [notice];
}

function queueCard({ id }: Run): string {
	return `queue:${id}`;
}

function showQueue(run: Run, card: CardContent, scene: Scene): ShowOperation {
	return showCard(run, queueCard(run), card, scene);
}

/** Shows that a model call is retried at the time `at`, in milliseconds since the epoch. */
export function showRetrying(
	run: Run,
	{ reason, attempt, at }: { readonly reason: string; readonly attempt: number; readonly at: number },
	scene: Scene,
): ShowOperation {
	const text = answerTexts.retry.waiting({
		reason: plainLine(reason, 300),
		attempt: attempt + 1,
		at: scene.platform.moment(at, scene.at),
	});
	return showRetryCard(run, { lane: "progress", state: "warning", text, stop: true }, scene);
}

/** Closes the card of retries, if it is open. */
export function showRetryOver(run: Run, text: string, scene: Scene): ShowOperation[] {
	return run.retrying === true
		? [showRetryCard(run, { lane: "progress", state: "closed", text }, scene)]
		: [];
}

function showRetryCard(run: Run, card: CardContent, scene: Scene): ShowOperation {
	return showCard(run, `retry:${run.id}`, card, scene);
}

/** Shows the steps of a run. After the end of the run, no step is shown as active. */
export function showSteps(
	run: Run,
	{ steps, ended }: { readonly steps: readonly PlanStep[]; readonly ended: boolean },
	scene: Scene,
): ShowOperation {
	const counted = steps.filter(({ status }) => status !== "skipped");
	const done = counted.filter(({ status }) => status === "completed").length;
	const total = counted.length;
	const progress = barOf(done, total) ?? taskTexts.progress({ done, total });
	const shown = steps.map((step) =>
		ended && step.status === "in_progress" ? { ...step, status: "pending" as const } : step,
	);
	const state = done === total ? "done" : ended ? "closed" : "working";
	const text = [`**${answerTexts.steps}** ${progress}`, ...stepLines(shown)].join("\n");
	const list = { title: `${answerTexts.steps} ${progress}`, steps: shown };
	return showCard(run, `todo:${run.id}`, { lane: "progress", state, text, list }, scene);
}

/** Shows the active step of an ended run as pending. */
export function showStepsOver(run: Run, scene: Scene): ShowOperation[] {
	const { steps } = run;
	if (!steps?.some(({ status }) => status === "in_progress")) return [];
	return [showSteps(run, { steps, ended: true }, scene)];
}

function showCard(
	run: Run,
	card: string,
	{ lane, state, text, list, stop, join }: CardContent,
	scene: Scene,
): ShowOperation {
	const button = stop ? control("stop", run.id, scene) : undefined;
	return {
		type: "show",
		lane,
		card,
		state,
		text,
		...defined({
			list,
			// An edit may replace a post that was not sent yet, so every operation has `replyTo`.
			replyTo: run.message,
			controls: button && [definedItems([button, join ? control("join", run.id, scene) : undefined])],
			// The text of a card changes, so its post is identified by its button.
			buttons: button && (() => [button.id]),
		}),
	};
}

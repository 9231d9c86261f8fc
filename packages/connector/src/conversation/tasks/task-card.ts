import type { Lane } from "../../platform/lane.ts";
import type { Control } from "../../platform/posting.ts";
import { plain } from "../vocabulary/plain.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowIntention } from "../vocabulary/render-operation.ts";
import { stepLines } from "./step-lines.ts";
import { hasEnded, shortId, type Task, taskCard, type Worker } from "./task-state.ts";
import { barOf, because, lengthOf, spentWords, stateWords } from "./task-words.ts";

const mostWorkersShown = 8;
const mostWorkerTitle = 60;

/** What a card shows at a moment; it is edited only when that differs. */
export function cardOf(task: Task, lane: Lane, scene: Scene): ShowIntention {
	const marker = `task id ${shortId(task.id)}`;
	const spent = task.spent && spentWords(task.spent);
	const controls = controlsOf(task, scene);
	return {
		...{ type: "show", lane, card: taskCard(task.id), task: task.id, marker },
		text: [
			`**${plain(task.title, 150)}**`,
			stateLine(task, scene),
			...stepLine(task),
			...(task.steps && !hasEnded(task.state) ? stepLines(task.steps) : []),
			...waitingLine(task),
			...workerLines(task.workers),
		].join("\n"),
		foot: spent === undefined ? marker : `${marker} · ${spent}`,
		...(controls.length > 0 && { controls: [controls] }),
	};
}

function stateLine(task: Task, { platform }: Scene): string {
	const { state, startedAt, createdAt, end, why } = task;
	if (hasEnded(state)) {
		const took = end?.tookMs === undefined ? "" : ` after ${lengthOf(end.tookMs)}`;
		return `${stateWords[state]}${took}${because(task, platform)}`;
	}
	const since =
		startedAt === undefined
			? `asked for ${platform.moment(createdAt, "relative")}`
			: `started ${platform.moment(startedAt, "relative")}`;
	const cause = state === "retrying" && why !== undefined ? `: ${plain(why, 300)}` : "";
	return `${stateWords[state]}${cause} · ${since}`;
}

function stepLine({ step, state }: Task): string[] {
	const bar = step && barOf(step.done, step.total);
	if (!step || bar === undefined) return [];
	const isAtWork = !hasEnded(state) && step.done < step.total && step.label !== "";
	return [isAtWork ? `${bar} · now: ${plain(step.label, 120)}` : bar];
}

/** A worker's question is one of the card's task, too. */
function waitingLine({ id, reviews }: Task): string[] {
	const asking = reviews.find(({ task }) => task !== id);
	return asking ? [`${stateWords.suspended}: ${plain(asking.title, mostWorkerTitle)}`] : [];
}

/** The newest, each below the one that it works for. */
function workerLines(workers: readonly Worker[]): string[] {
	const shown = workers.slice(-mostWorkersShown);
	if (shown.length === 0) return [];
	const below = (parent: string, depth: number): string[] =>
		shown
			.filter((worker) => worker.parent === parent)
			.flatMap((worker) => [`${"  ".repeat(depth)}- ${wordsOf(worker)}`, ...below(worker.id, depth + 1)]);
	const tops = new Set(shown.map(({ parent }) => parent).filter((id) => shown.every((one) => one.id !== id)));
	const hidden = workers.length - shown.length;
	return [
		"",
		...[...tops].flatMap((parent) => below(parent, 0)),
		...(hidden > 0 ? [`- and ${hidden} earlier ${hidden === 1 ? "part" : "parts"}`] : []),
	];
}

function wordsOf({ title, state }: Worker): string {
	return `${stateWords[state]}: ${plain(title, mostWorkerTitle)}`;
}

function controlsOf({ id, state }: Task, { controls, session }: Scene): Control[] {
	if (!hasEnded(state)) {
		const control = controls.write({ kind: "task-cancel", session, subject: id });
		return [{ type: "button", id: control, label: "Cancel", style: "danger" }];
	}
	if (state === "completed") return [];
	const control = controls.write({ kind: "task-retry", session, subject: id });
	return [{ type: "button", id: control, label: "Retry", style: "primary" }];
}

import { isDeepStrictEqual } from "node:util";
import { defined, definedItems } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import type { Lane } from "../../platform/lane.ts";
import type { CardState, Control } from "../../platform/posting.ts";
import { taskTexts } from "../../texts/tasks.ts";
import { earlierMarker } from "../vocabulary/earlier-marker.ts";
import { oneLine, plainLine } from "../vocabulary/plain.ts";
import type { RecordedEvent, Reducer, Scene } from "../vocabulary/reducer.ts";
import type { RenderOperation, ShowOperation } from "../vocabulary/render-operation.ts";
import { lengthOf } from "./length-of.ts";
import { closedReview, openReview } from "./review-card.ts";
import { stepLines } from "./step-lines.ts";
import { changeOf, isTaskEvent, type TaskChange, type TaskEvent } from "./task-change.ts";
import {
	hasEnded,
	type Task,
	type TaskState,
	type TasksSlice,
	taskCard,
	type Worker,
	withTask,
} from "./task-state.ts";
import { barOf, because, spentWords } from "./task-words.ts";

export type { TasksSlice } from "./task-state.ts";

const { states } = taskTexts;

/**
 * Reducer for tasks in the background. Each task has a card, and a thread for its posts if the room can have threads.
 * Workers are shown on the card of their task.
 */
export const tasks: Reducer<TasksSlice> = {
	empty: { live: [], ended: [] },
	reduce(slice, recorded, scene) {
		if (recorded.event.event === "session.deleted")
			return { slice: tasks.empty, operations: closeAllTasks(slice, scene) };
		const change = changeOf(slice, recorded);
		if (!change) return { slice, operations: [] };
		const { event } = recorded;
		return {
			slice: withTask(slice, change.after),
			operations: [
				...shown(change, recorded, scene),
				...(change.before ? [] : opened(change.after, scene)),
				...(isTaskEvent(event) ? milestonesOf(event, change, scene) : []),
			],
		};
	},
};

/** Closes all cards, because no further event arrives. */
function closeAllTasks({ live }: TasksSlice, scene: Scene): RenderOperation[] {
	return live.flatMap((task) => {
		const over: Task = { ...task, state: "cancelled", why: taskTexts.conversationDeleted };
		return [cardOf(over, "milestone", scene), ...closedIn(task, over.state, scene)];
	});
}

function shown({ before, after }: TaskChange, recorded: RecordedEvent, scene: Scene): RenderOperation[] {
	const card = cardOf(after, laneOf(after, recorded), scene);
	if (before && isDeepStrictEqual(card, cardOf(before, card.lane, scene))) return [];
	return [card];
}

function laneOf({ id }: Task, { event }: RecordedEvent): Lane {
	if (!isTaskEvent(event) || event.payload.task_id !== id) return "progress";
	return event.event === "task.progress" || event.event === "task.started" ? "progress" : "milestone";
}

function opened({ id, title }: Task, { platform, threads = true }: Scene): RenderOperation[] {
	const name = oneLine(title, platform.limits.threadName) || taskTexts.thread;
	return threads ? [{ type: "thread", lane: "milestone", card: taskCard(id), name, task: id }] : [];
}

type CardContent = Omit<ShowOperation, "type" | "task" | "thread">;

function milestonesOf(event: TaskEvent, change: TaskChange, scene: Scene): ShowOperation[] {
	const { before, after } = change;
	const closed = (before?.reviews ?? []).filter(({ token }) =>
		after.reviews.every((one) => one.token !== token),
	);
	const asking = event.payload.task_id;
	const state = after.workers.find(({ id }) => id === asking)?.state ?? after.state;
	return [...closedIn({ ...after, reviews: closed }, state, scene), ...postsOf(event, change, scene)];
}

function closedIn(task: Task, state: TaskState, scene: Scene): ShowOperation[] {
	return task.reviews.map((review) =>
		inThread(task, { lane: "milestone", ...closedReview(review, state) }, scene),
	);
}

function postsOf(event: TaskEvent, change: TaskChange, scene: Scene): ShowOperation[] {
	const { after: task } = change;
	if (event.event === "task.suspended") return suspended(event.payload, task, scene);
	// Except for their questions, workers are shown only on the card of their task.
	if (event.payload.task_id !== task.id) return [];
	switch (event.event) {
		case "task.progress":
			return stepped(change, scene);
		case "task.resumed":
			return [threadPost(task, { lane: "milestone", text: taskTexts.continued }, scene)];
		case "task.completed":
			return completed(event.payload, task, scene);
		case "task.failed":
			return failed(event.payload, task, scene);
		case "task.cancelled": {
			const { reason: why, by } = event.payload;
			const text = taskTexts.cancelled({ cause: because({ why, by }, scene.platform) });
			// The person who cancelled the task needs no notification.
			const mentioned = by !== undefined && by === task.requester ? [] : mentionsOf(task, scene);
			return [lastPost(task, { lane: "milestone", text }, { mentioned, scene })];
		}
		default:
			return [];
	}
}

function suspended(payload: EventPayloads["task.suspended"], task: Task, scene: Scene): ShowOperation[] {
	const review = task.reviews.find(({ token }) => token === payload.token);
	if (!review) return [];
	const subtask = payload.task_id === task.id ? undefined : plainLine(review.title, 60);
	const plan = payload.plan_content.trim();
	// Only the first post notifies the requester.
	const mentions = mentionsOf(task, scene);
	const asking = { lane: "milestone", ...openReview(review, scene) } as const;
	if (plan === "") return [inThread(task, { ...asking, mentions }, scene)];
	const text = taskTexts.plan({ plan, subtask });
	return [threadPost(task, { lane: "milestone", text, mentions }, scene), inThread(task, asking, scene)];
}

function stepped({ before, after: task }: TaskChange, scene: Scene): ShowOperation[] {
	const { step } = task;
	const earlier = before?.step;
	const bar = step && barOf(step.done, step.total);
	if (!step || bar === undefined || step.done <= (earlier?.done ?? 0)) return [];
	// The step of the earlier event has completed, unless it is still the active step.
	const known = earlier && earlier.total > 1 && step.done === earlier.done + 1;
	const isOver = step.done === step.total || step.label !== earlier?.label;
	const which = known && isOver ? `: ${plainLine(earlier.label, 120)}` : "";
	const text = `${taskTexts.stepDone(step)}${which}`;
	return [threadPost(task, { lane: "milestone", text }, scene)];
}

function completed(payload: EventPayloads["task.completed"], task: Task, scene: Scene): ShowOperation[] {
	const { output_summary: summary, duration } = payload;
	const spent = task.spent && spentWords(task.spent);
	const { platform, threads = true } = scene;
	const place = threads ? { thread: taskCard(task.id) } : scene;
	const command = platform.command(`task show ${plainLine(task.title, 40).replace("…", "")}`, place);
	const resultHint = summary.endsWith("…") ? taskTexts.completeResult({ command }) : "";
	const took = taskTexts.took({ time: lengthOf(duration / 1_000_000) });
	const foot = `${took}${spent === undefined ? "" : ` · ${spent}`}${resultHint}`;
	const text = taskTexts.done({ result: summary.trim() });
	return [lastPost(task, { lane: "final", text, foot }, { scene })];
}

function failed(payload: EventPayloads["task.failed"], task: Task, scene: Scene): ShowOperation[] {
	const error = payload.error.trim() === "" ? taskTexts.unknownError : plainLine(payload.error, 1_000);
	if (payload.will_retry) {
		const text = taskTexts.retrying({ attempt: payload.retry_count + 2, error });
		return [threadPost(task, { lane: "milestone", text }, scene)];
	}
	return [lastPost(task, { lane: "error", text: `${states.failed}: ${error}` }, { scene })];
}

/**
 * Returns the last post of a task. The post links to the card of the task, and by default notifies the requester.
 */
function lastPost(
	task: Task,
	post: CardContent,
	{
		scene,
		mentioned = mentionsOf(task, scene),
	}: { readonly scene: Scene; readonly mentioned?: readonly string[] },
): ShowOperation {
	const { room } = scene;
	const place = room && defined({ tenant: room.tenant, channel: room.channel, thread: room.thread });
	const opens = place && { card: taskCard(task.id), label: taskTexts.buttons.card, room: place };
	return threadPost(task, { ...post, ...defined({ mentions: mentioned, opens }) }, scene);
}

/** Returns the platform id of the requester, if the requester is a person of the room's server or workspace. */
function mentionsOf({ requester = "" }: Task, { room }: Scene): string[] {
	const prefix = room && `${room.platform}:${room.tenant}:`;
	return prefix !== undefined && requester.startsWith(prefix) ? [requester.slice(prefix.length)] : [];
}

function threadPost(task: Task, { text, ...post }: CardContent, scene: Scene): ShowOperation {
	// Without a thread, the post begins with the title of the task.
	const heading = scene.threads === false ? `**${plainLine(task.title, 150)}**\n` : "";
	return inThread(task, { ...post, text: `${heading}${text}` }, scene);
}

function inThread({ id }: Task, post: CardContent, { threads = true }: Scene): ShowOperation {
	return { type: "show", ...post, task: id, ...defined({ thread: threads ? taskCard(id) : undefined }) };
}

const maxWorkersShown = 8;
const maxWorkerTitle = 60;

const cardStates: Readonly<Record<TaskState, CardState>> = {
	pending: "working",
	running: "working",
	retrying: "warning",
	suspended: "waiting",
	completed: "done",
	failed: "failed",
	cancelled: "closed",
};

function cardOf(task: Task, lane: Lane, scene: Scene): ShowOperation {
	const spent = task.spent && spentWords(task.spent);
	const controls = controlsOf(task, scene);
	return {
		type: "show",
		lane,
		card: taskCard(task.id),
		task: task.id,
		marker: earlierMarker("task", task.id),
		state: cardStates[task.state],
		text: [
			`**${plainLine(task.title, 150)}**`,
			stateLine(task, scene),
			...stepLine(task),
			...(task.steps && !hasEnded(task.state) ? stepLines(task.steps) : []),
			...waitingLine(task),
			...workerLines(task.workers),
		].join("\n"),
		...defined({ foot: spent, controls: controls.length > 0 ? [controls] : undefined }),
	};
}

function stateLine(task: Task, { platform }: Scene): string {
	const { state, startedAt, createdAt, end, why } = task;
	if (hasEnded(state)) {
		const took = end?.tookMs === undefined ? "" : taskTexts.after({ time: lengthOf(end.tookMs) });
		return `${states[state]}${took}${because(task, platform)}`;
	}
	const since =
		startedAt === undefined
			? taskTexts.requested({ at: platform.moment(createdAt) })
			: taskTexts.started({ at: platform.moment(startedAt) });
	const cause = state === "retrying" && why !== undefined ? `: ${plainLine(why, 300)}` : "";
	return `${states[state]}${cause} · ${since}`;
}

function stepLine({ step, state }: Task): string[] {
	const bar = step && barOf(step.done, step.total);
	if (!step || bar === undefined) return [];
	const isAtWork = !hasEnded(state) && step.done < step.total && step.label !== "";
	return [isAtWork ? taskTexts.currentStep({ bar, step: plainLine(step.label, 120) }) : bar];
}

function waitingLine({ id, reviews }: Task): string[] {
	const asking = reviews.find(({ task }) => task !== id);
	return asking ? [`${states.suspended}: ${plainLine(asking.title, maxWorkerTitle)}`] : [];
}

function workerLines(workers: readonly Worker[]): string[] {
	const shown = workers.slice(-maxWorkersShown);
	if (shown.length === 0) return [];
	const below = (parent: string, depth: number): string[] =>
		shown
			.filter((worker) => worker.parent === parent)
			.flatMap((worker) => [`${"  ".repeat(depth)}- ${wordsOf(worker)}`, ...below(worker.id, depth + 1)]);
	const tops = new Set(shown.map(({ parent }) => parent).filter((id) => shown.every((one) => one.id !== id)));
	const hidden = workers.length - shown.length;
	return definedItems([
		"",
		...[...tops].flatMap((parent) => below(parent, 0)),
		hidden > 0 ? taskTexts.earlierSubtasks({ count: hidden }) : undefined,
	]);
}

function wordsOf({ title, state }: Worker): string {
	return `${states[state]}: ${plainLine(title, maxWorkerTitle)}`;
}

function controlsOf({ id, state }: Task, { controls, session }: Scene): Control[] {
	if (!hasEnded(state)) {
		const control = controls.write({ kind: "task-cancel", session, subject: id });
		return [{ type: "button", id: control, label: taskTexts.buttons.cancel, style: "danger" }];
	}
	if (state === "completed") return [];
	const control = controls.write({ kind: "task-retry", session, subject: id });
	return [{ type: "button", id: control, label: taskTexts.buttons.retry, style: "primary" }];
}

import { isDeepStrictEqual } from "node:util";
import type { Lane } from "../platform/lane.ts";
import { closedIn, milestonesOf } from "./tasks/milestones.ts";
import { cardOf } from "./tasks/task-card.ts";
import { changeOf, isTaskEvent, type TaskChange } from "./tasks/task-change.ts";
import { type Task, type TasksSlice, taskCard, withTask } from "./tasks/task-state.ts";
import { oneLine } from "./vocabulary/plain.ts";
import type { Part, Scene, Told } from "./vocabulary/reducer.ts";
import type { Intention } from "./vocabulary/render-operation.ts";

export type { TasksSlice } from "./tasks/task-state.ts";

/** Work in the background: a card for each task, and a thread in which it tells of itself. */
export const tasks: Part<TasksSlice> = {
	empty: { live: [], ended: [] },
	tell(slice, told, scene) {
		if (told.event.event === "session.deleted") return { slice: tasks.empty, intentions: gone(slice, scene) };
		const change = changeOf(slice, told);
		if (!change) return { slice, intentions: [] };
		const { event } = told;
		return {
			slice: withTask(slice, change.after),
			intentions: [
				...shown(change, told, scene),
				...(change.before ? [] : opened(change.after, scene)),
				...(isTaskEvent(event) ? milestonesOf(event, change, scene) : []),
			],
		};
	},
};

/** Nothing follows: no card may go on promising something. */
function gone({ live }: TasksSlice, scene: Scene): Intention[] {
	return live.flatMap((task) => {
		const over: Task = { ...task, state: "cancelled", why: "its conversation was deleted" };
		return [cardOf(over, "milestone", scene), ...closedIn(task, over.state, scene)];
	});
}

function shown({ before, after }: TaskChange, told: Told, scene: Scene): Intention[] {
	const card = cardOf(after, laneOf(after, told), scene);
	if (before && isDeepStrictEqual(card, cardOf(before, card.lane, scene))) return [];
	return [card];
}

/** What people wait for goes before what merely moves. */
function laneOf({ id }: Task, { event }: Told): Lane {
	if (!isTaskEvent(event) || event.payload.task_id !== id) return "progress";
	return event.event === "task.progress" || event.event === "task.started" ? "progress" : "milestone";
}

function opened({ id, title }: Task, { platform, threads = true }: Scene): Intention[] {
	const name = oneLine(title, platform.limits.threadName) || "Task";
	return threads ? [{ type: "thread", lane: "milestone", card: taskCard(id), name, task: id }] : [];
}

import type { MethodResult, OzzieEvent } from "@parley/protocol";

export type Task = MethodResult<"query_tasks">["tasks"][number];

export type TaskStatus = Task["status"];

export type TaskEvent = Extract<OzzieEvent, { event: `task.${string}` }>;

export const openStatuses = ["pending", "running", "suspended"] as const satisfies readonly TaskStatus[];

const endStatuses = ["completed", "failed", "cancelled"] as const satisfies readonly TaskStatus[];

export const taskStatuses = [...openStatuses, ...endStatuses];

export function hasEnded(status: TaskStatus): boolean {
	return endStatuses.some((end) => end === status);
}

export function isTaskEvent(event: OzzieEvent): event is TaskEvent {
	return event.event.startsWith("task.");
}

import type { Task } from "./task.ts";

/** A task and how far below another one it stands: 0 where it is nobody's worker, or that one is not among them. */
export interface TreeTask {
	readonly task: Task;
	readonly depth: number;
}

/** Each task with its workers below it: these as they were made, the others in the order that they have. */
export function taskTree(tasks: readonly Task[]): TreeTask[] {
	const known = new Set(tasks.map(({ id }) => id));
	const below = (parent: string, depth: number): TreeTask[] =>
		tasks
			.filter(({ parent_id }) => parent_id === parent)
			.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
			.flatMap((task) => [{ task, depth }, ...below(task.id, depth + 1)]);
	return tasks
		.filter(({ parent_id }) => !known.has(parent_id))
		.flatMap((task) => [{ task, depth: 0 }, ...below(task.id, 1)]);
}

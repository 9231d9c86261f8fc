import { expect, test } from "vitest";
import { someTask } from "../testing/tasks.ts";
import { taskTree } from "./task-table.ts";

const at = (second: number): string => new Date(second * 1000).toISOString();

test("lists workers below their task in the order of creation", () => {
	const tasks = [
		someTask({ id: "task_new", created_at: at(9) }),
		someTask({ id: "task_w2", parent_id: "task_old", created_at: at(3) }),
		someTask({ id: "task_deep", parent_id: "task_w1", created_at: at(4) }),
		someTask({ id: "task_w1", parent_id: "task_old", created_at: at(2) }),
		someTask({ id: "task_old", created_at: at(1) }),
		someTask({ id: "task_lost", parent_id: "task_elsewhere" }),
	];
	expect(taskTree(tasks).map(({ task, depth }) => [task.id, depth])).toEqual([
		["task_new", 0],
		["task_old", 0],
		["task_w1", 1],
		["task_deep", 2],
		["task_w2", 1],
		["task_lost", 0],
	]);
});

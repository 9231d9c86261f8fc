import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { reduceTimedEvents, type TimedEvent } from "../../testing/chat-scene.ts";
import { type TasksSlice, tasks } from "./tasks.ts";

test("the newest thirty ended tasks are remembered for late presses", () => {
	const lifecycles = Array.from({ length: 40 }, (_, index): TimedEvent[] => {
		const task = { task_id: `task_${index}`, title: `T${index}` };
		return [
			[1, "task.created", { ...task, description: "", parent_id: "" }],
			[2, "task.cancelled", { task_id: task.task_id, reason: "no need", by: "operator" }],
		];
	});
	const { slice } = reduceTimedEvents(tasks, lifecycles.flat());
	expect(slice.live).toEqual([]);
	expect(slice.ended).toHaveLength(30);
	const cause = { why: "no need", by: "operator" };
	expect(slice.ended.at(-1)).toEqual({ id: "task_39", title: "T39", state: "cancelled", ...cause });
});

test("the state of tasks is bounded and survives a round trip through JSON", () => {
	const many = Array.from({ length: 120 }, (_, index): TimedEvent => {
		return [
			1,
			"task.created",
			{ task_id: `task_${index}`, title: "x".repeat(200), description: "", parent_id: "" },
		];
	});
	const { slice } = reduceTimedEvents(tasks, many);
	expect(slice.live).toHaveLength(100);
	expect(slice.live.at(-1)).toMatchObject({ id: "task_119" });
	const stored = parseJson(JSON.stringify(slice)) as TasksSlice;
	expect(stored).toEqual(slice);
	const next: TimedEvent = [2, "task.started", { task_id: "task_119", title: "x" }];
	expect(reduceTimedEvents(tasks, [next], { slice: stored }).shown).toEqual(
		reduceTimedEvents(tasks, [next], { slice }).shown,
	);
});

test("running workers of a task are remembered before ended ones", () => {
	const created = (task_id: string, parent_id: string): TimedEvent => [
		1,
		"task.created",
		{ task_id, title: task_id, description: "", parent_id },
	];
	const ended = Array.from({ length: 120 }, (_, index): TimedEvent[] => {
		const task_id = `worker_${index}`;
		return [created(task_id, "task"), [2, "task.cancelled", { task_id, reason: "", by: "operator" }]];
	});
	const { slice } = reduceTimedEvents(tasks, [
		created("task", ""),
		created("first", "task"),
		...ended.flat(),
	]);
	const workers = slice.live[0]?.workers.map(({ id }) => id) ?? [];
	expect(workers).toHaveLength(80);
	expect(workers).toContain("first");
	expect(workers.at(-1)).toBe("worker_119");
});

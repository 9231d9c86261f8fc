import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { type Happening, reduceAll } from "../../testing/chat-scene.ts";
import { type TasksSlice, tasks } from "./tasks.ts";

test("the newest thirty ended tasks are remembered for late presses", () => {
	const lifecycles = Array.from({ length: 40 }, (_, index): Happening[] => {
		const task = { task_id: `task_${index}`, title: `T${index}` };
		return [
			[1, "task.created", { ...task, description: "", parent_id: "" }],
			[2, "task.cancelled", { task_id: task.task_id, reason: "no need", by: "operator" }],
		];
	});
	const { slice } = reduceAll(tasks, lifecycles.flat());
	expect(slice.live).toEqual([]);
	expect(slice.ended).toHaveLength(30);
	const cause = { why: "no need", by: "operator" };
	expect(slice.ended.at(-1)).toEqual({ id: "task_39", title: "T39", state: "cancelled", ...cause });
});

test("the state of tasks is bounded and survives a round trip through JSON", () => {
	const many = Array.from({ length: 120 }, (_, index): Happening => {
		return [
			1,
			"task.created",
			{ task_id: `task_${index}`, title: "x".repeat(200), description: "", parent_id: "" },
		];
	});
	const { slice } = reduceAll(tasks, many);
	expect(slice.live).toHaveLength(100);
	expect(slice.live.at(-1)).toMatchObject({ id: "task_119" });
	// Parsing the JSON returns the slice, as the next line checks.
	const stored = parseJson(JSON.stringify(slice)) as TasksSlice;
	expect(stored).toEqual(slice);
	const next: Happening = [2, "task.started", { task_id: "task_119", title: "x" }];
	expect(reduceAll(tasks, [next], { slice: stored }).shown).toEqual(
		reduceAll(tasks, [next], { slice }).shown,
	);
});

import { expect, test } from "vitest";
import { type PlanStep, progressOf } from "./task.ts";

const step = (title: string, state: PlanStep["state"]): PlanStep => ({ title, state });

test.each<[string, readonly PlanStep[] | undefined, boolean, object]>([
	["no plan, at work", undefined, false, { current: 0, total: 1, label: "Task", percentage: 0 }],
	["no plan, completed", undefined, true, { current: 1, total: 1, label: "Task", percentage: 100 }],
	["all left out", [step("a", "skipped")], false, { current: 0, total: 1, label: "Task", percentage: 0 }],
	[
		"one of three, rounded down",
		[step("a", "completed"), step("b", "pending"), step("c", "in_progress")],
		false,
		{ current: 1, total: 3, label: "c", percentage: 33 },
	],
	[
		"steps that were left out do not count",
		[step("a", "completed"), step("b", "skipped"), step("c", "pending")],
		false,
		{ current: 1, total: 2, label: "c", percentage: 50 },
	],
	[
		"all done",
		[step("a", "completed"), step("b", "completed")],
		false,
		{ current: 2, total: 2, label: "b", percentage: 100 },
	],
	[
		"a completed task with an open step is complete",
		[step("a", "completed"), step("b", "pending")],
		true,
		{ current: 2, total: 2, label: "b", percentage: 100 },
	],
])("the progress of a task has its current step: %s", (_name, plan, completed, progress) => {
	expect(progressOf("Task", plan, completed)).toEqual(progress);
});

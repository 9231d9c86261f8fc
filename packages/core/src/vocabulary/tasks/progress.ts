import type { PlanStep, TaskProgress } from "./task.ts";

/**
 * How far a task has come: by the steps of its plan that are completed, without those it skipped. A task without a plan
 * is one step, which its end completes.
 */
export function progressOf(
	title: string,
	plan: readonly PlanStep[] | undefined,
	completed: boolean,
): TaskProgress {
	const steps = plan?.filter(({ state }) => state !== "skipped") ?? [];
	if (steps.length === 0) {
		return { current: completed ? 1 : 0, total: 1, label: title, percentage: completed ? 100 : 0 };
	}
	const current = steps.filter(({ state }) => state === "completed").length;
	const at =
		steps.find(({ state }) => state === "in_progress") ?? steps.find(({ state }) => state === "pending");
	const label = (at ?? steps.at(-1))?.title ?? title;
	return { current, total: steps.length, label, percentage: Math.floor((100 * current) / steps.length) };
}

import type { StepList } from "@parley/connector";
import type { PlanBlock, TaskCardBlock } from "@slack/types";

/**
 * Slack's states by the status of a step. Slack has no state for skipped steps:
 * reference/block-kit/blocks/task-card-block
 */
const states: Readonly<Record<StepList["steps"][number]["status"], TaskCardBlock["status"]>> = {
	pending: "pending",
	in_progress: "in_progress",
	completed: "complete",
	skipped: "complete",
};

/** Plan block with task cards only. Slack's type also allows other tasks. */
export interface StepsBlock extends PlanBlock {
	tasks: TaskCardBlock[];
}

/** Converts a list of steps to a plan: reference/block-kit/blocks/plan-block */
export function planBlock({ title, steps }: StepList): StepsBlock {
	const tasks = steps.map(
		(step, index): TaskCardBlock => ({
			type: "task_card",
			task_id: `step-${index + 1}`,
			title: step.status === "skipped" ? `${step.title} (skipped)` : step.title,
			status: states[step.status],
		}),
	);
	return { type: "plan", title, tasks };
}

export function planLength({ title, tasks }: StepsBlock): number {
	return tasks.reduce((sum, task) => sum + task.title.length, title.length);
}

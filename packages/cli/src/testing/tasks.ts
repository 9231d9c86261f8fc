import type { Task } from "../wordings/task.ts";

const nothing = {
	tokens_input: 0,
	tokens_output: 0,
	tokens_cache_read: 0,
	tokens_cache_write: 0,
	cost_usd: 0,
};

export function someTask(changes: Partial<Task>): Task {
	return {
		id: `task_${"a".repeat(26)}`,
		title: "Refactor",
		status: "pending",
		description: "Do it.",
		session_id: `sess_${"s".repeat(26)}`,
		conversation: `sess_${"c".repeat(26)}`,
		parent_id: "",
		progress: { current_step: 0, total_steps: 1, current_step_label: "Refactor", percentage: 0 },
		priority: "normal",
		tools: ["git"],
		agent: "default",
		autonomy: "supervised",
		depends_on: [],
		owner: "operator",
		suspend_count: 0,
		retry_count: 0,
		output: "",
		error: "",
		created_at: "2026-01-31T09:00:00.000Z",
		updated_at: "2026-01-31T09:00:00.000Z",
		usage: nothing,
		...changes,
	};
}

import type { EventPayloads } from "@parley/protocol";
import { visibleLine } from "../text/visible.ts";
import { shortId } from "./short-id.ts";
import type { Task } from "./task.ts";

/** How a person answers a task that waits. */
export function replyWords(id: string): string {
	return `\`parley task reply ${visibleLine(id)}\` answers`;
}

/** `2/5 Running tests`: what is completed, and what is at work; a single step is the task itself. */
export function stepWords({ current_step, total_steps, current_step_label }: Task["progress"]): string {
	if (total_steps <= 1) return "";
	return `${current_step}/${total_steps} ${visibleLine(current_step_label)}`.trimEnd();
}

/** What an event of the life of a worker tells, in one line. */
export function workerWords(worker: EventPayloads["internal.worker"]): string {
	const id = shortId(worker.task_id);
	switch (worker.event) {
		case "started":
			return `${id} ${worker.title}: ${worker.agent} begins`;
		case "phase":
			return `${id} ${worker.phase}`;
		case "failed":
			return `${id} failed: ${worker.error}`;
		case "completed":
		case "exited":
			return `${id} ${worker.event}`;
	}
}

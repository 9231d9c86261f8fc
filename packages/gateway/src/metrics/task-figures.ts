import type { TaskEvent, WorkerEvent } from "@parley/core";
import { Distribution } from "./distribution.ts";
import type { Family } from "./exposition.ts";
import { counter, histogram } from "./families.ts";
import { Tally } from "./tally.ts";

/** Seconds, from a word of the offline assistant to days with people in between. */
const taskBounds = [
	0.1,
	1,
	10,
	60,
	300,
	900,
	1_800,
	3_600,
	4 * 3_600,
	12 * 3_600,
	24 * 3_600,
	7 * 24 * 3_600,
];

/** What the events of tasks add up to; workers are tasks, too. */
export class TaskFigures {
	readonly #submitted = new Tally();
	readonly #ended = new Tally();
	readonly #seconds = new Distribution(taskBounds);
	readonly #suspended = new Tally();
	readonly #retries = new Tally();

	constructor() {
		for (const tally of [this.#suspended, this.#retries]) tally.add({}, 0);
	}

	count(event: TaskEvent | WorkerEvent): void {
		switch (event.type) {
			case "task.created":
				this.#submitted.add({ kind: event.parentId === "" ? "task" : "worker" });
				break;
			case "task.suspended":
				this.#suspended.add();
				break;
			case "task.completed":
				this.#seconds.add(event.durationMs / 1000);
				this.#ended.add({ outcome: "completed" });
				break;
			case "task.failed":
				if (event.willRetry) this.#retries.add();
				else this.#ended.add({ outcome: "failed" });
				break;
			case "task.cancelled":
				this.#ended.add({ outcome: "cancelled" });
				break;
			// Nothing to count: it goes on, or the task's own end says it.
			default:
		}
	}

	/** In the order in which they are told. */
	families(): Family[] {
		return [
			counter("parley_tasks_submitted_total", "Tasks, and workers of tasks.", this.#submitted),
			counter("parley_tasks_ended_total", "Tasks that ended, workers too.", this.#ended),
			histogram("parley_task_duration_seconds", "Of completed tasks, from start to end.", this.#seconds),
			counter("parley_task_suspensions_total", "Times that tasks asked for a review.", this.#suspended),
			counter("parley_task_retries_total", "Failures of providers after which tasks went on.", this.#retries),
		];
	}
}

import type { TaskEvent, WorkerEvent } from "../vocabulary/task.ts";

type Fault = string | undefined;

type Stage = "created" | "started" | "suspended" | "again" | "ended";

/** Stages in which each event may occur, and the next stage. Undefined if the stage stays. */
const moves: {
	readonly [Type in Exclude<TaskEvent["type"], "task.created">]: readonly [
		readonly Stage[],
		Stage | undefined,
	];
} = {
	"task.started": [["created", "again"], "started"],
	"task.progress": [["started"], undefined],
	"task.suspended": [["started"], "suspended"],
	"task.resumed": [["suspended"], "started"],
	"task.completed": [["started"], "ended"],
	"task.failed": [["created", "started", "suspended", "again"], "ended"],
	"task.cancelled": [["created", "started", "suspended", "again"], "ended"],
};

/** Order of the events of tasks in a session, and of the worker in a task's session. */
export class TaskOrder {
	readonly #stages = new Map<string, Stage>();
	#worker: "none" | "working" | "over" | "exited" = "none";

	/** Whether events of an active task may occur. */
	get working(): boolean {
		return [...this.#stages.values()].includes("started");
	}

	unfinished(): string[] {
		const open = [...this.#stages].filter(([, stage]) => stage !== "ended").map(([id]) => id);
		return this.#worker === "none" || this.#worker === "exited" ? open : [...open, "the worker"];
	}

	take(event: TaskEvent): Fault {
		const { taskId } = event;
		const stage = this.#stages.get(taskId);
		if (event.type === "task.created") {
			this.#stages.set(taskId, "created");
			return stage === undefined ? undefined : `${taskId} was there already`;
		}
		const [from, to] = moves[event.type];
		if (stage === undefined || !from.includes(stage)) return `${taskId} is ${stage ?? "unknown"}`;
		const retried = event.type === "task.failed" && event.willRetry;
		if (to !== undefined) this.#stages.set(taskId, retried ? "again" : to);
		return undefined;
	}

	takeWorker({ type }: WorkerEvent): Fault {
		const before = this.#worker;
		const fault = (right: boolean): Fault => (right ? undefined : `the worker is ${before}`);
		switch (type) {
			case "worker.started":
				this.#worker = "working";
				return fault(before === "none");
			case "worker.phased":
				return fault(before === "working");
			case "worker.completed":
			case "worker.failed":
				this.#worker = "over";
				return fault(before === "working");
			case "worker.exited":
				this.#worker = "exited";
				return fault(before === "over");
		}
	}
}

import type { SkillEvent } from "../vocabulary/skill.ts";
import type { TaskEvent, WorkerEvent } from "../vocabulary/task.ts";

/** Reason why an event may not occur at this point, or undefined if it may. */
export type Fault = string | undefined;

/** Checks the order in which skills and steps of skills have their events in a session. */
export class SkillOrder {
	/** Ids of the open steps of each open skill. */
	readonly #open = new Map<string, Set<string>>();
	/** Number of ended attempts, for each step. Infinity after the last attempt. */
	readonly #tries = new Map<string, number>();

	unfinished(): string[] {
		return [...this.#open.keys()];
	}

	receive(event: SkillEvent): Fault {
		const name = `${event.skill} in ${event.runId} ${event.callId}`.trim();
		const open = this.#open.get(name);
		if (event.type === "skill.started") {
			this.#open.set(name, new Set());
			return open ? `${name} was there already` : undefined;
		}
		if (!open) return `${name} is not open`;
		if (event.type === "skill.completed") {
			this.#open.delete(name);
			return open.size > 0 ? `steps without an end: ${[...open].join(", ")}` : undefined;
		}
		const { stepId, attempt } = event;
		if (event.type === "skill.step.started") {
			const ended = this.#tries.get(`${name} ${stepId}`) ?? 0;
			if (open.has(stepId)) return `${stepId} is open already`;
			open.add(stepId);
			return attempt === ended + 1 ? undefined : `${stepId} has the try ${attempt} instead of ${ended + 1}`;
		}
		this.#tries.set(`${name} ${stepId}`, event.willRetry ? attempt : Number.POSITIVE_INFINITY);
		return open.delete(stepId) ? undefined : `${stepId} is not open`;
	}
}

type Stage = "created" | "started" | "suspended" | "again" | "ended";

/** Stages in which each event may occur, and the next stage. Undefined if the stage does not change. */
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

/** Checks the order of the task events in a session, and of the worker events in a task's session. */
export class TaskOrder {
	readonly #stages = new Map<string, Stage>();
	#worker: "none" | "working" | "over" | "exited" = "none";

	/** Whether a task is active, so that runs of another session may have events here. */
	get working(): boolean {
		return [...this.#stages.values()].includes("started");
	}

	unfinished(): string[] {
		const open = [...this.#stages].filter(([, stage]) => stage !== "ended").map(([id]) => id);
		return this.#worker === "none" || this.#worker === "exited" ? open : [...open, "the worker"];
	}

	receive(event: TaskEvent): Fault {
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

	receiveWorker({ type }: WorkerEvent): Fault {
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

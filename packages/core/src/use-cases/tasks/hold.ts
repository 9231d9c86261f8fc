import { ParleyError } from "@parley/base";
import type { Services } from "../../conversation/services.ts";
import type { Session, TaskHold, TaskRunEnd } from "../../conversation/session.ts";
import { type Claim, keepClaim } from "../../conversation/tasks/claim.ts";
import { endTask, type TaskEnd, workerEnd } from "../../conversation/tasks/end-task.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import type { CheckedTask } from "../../conversation/tasks/submit.ts";
import type { Tx } from "../../store/journal.ts";
import { isStep, speakersOf, type TaskRow } from "../../store/task-rows.ts";
import { sessionTotal } from "../../usage/ledger.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import type { Person } from "../../vocabulary/principal.ts";
import { hasEnded, type NewWorker, type TaskDesk } from "../../vocabulary/task.ts";
import { type DeskRun, deepest, deskOf } from "./desk.ts";

/** Pauses before a task that a provider failed is tried again: each is twice the one before, and at most the last. */
const firstPauseMs = 15_000;
const longestPauseMs = 10 * 60 * 1000;

/** What may be better later. */
const passing: readonly ModelFault[] = [
	"rate-limited",
	"overloaded",
	"interrupted",
	"timeout",
	"unreachable",
];

/** What a hold needs from who works on the task. */
export interface HoldParts {
	readonly row: TaskRow;
	readonly claim: Claim;
	readonly home: Session;
	/** The task's conversation. */
	readonly session: Session;
	readonly services: Services;
	readonly tools: readonly string[];
	/** The conversations of the tasks above it. */
	readonly above: readonly string[];
	readonly check: (row: TaskRow, wanted: NewWorker) => Promise<CheckedTask>;
	/** Called when there may be a task to take up. */
	readonly onWork: () => void;
	/** Called with the tasks that ended together with this one: what still works on them is to stop. */
	readonly onEnded: (ids: readonly string[]) => void;
}

/** A task in the hands of a worker. */
export class Hold implements TaskHold {
	readonly taskId: string;
	readonly home: Session;
	readonly accounts: readonly string[];
	readonly tools: readonly string[];
	readonly speakers: readonly Person[];
	readonly workedMs: number;
	readonly supervised: boolean;
	readonly spawns: boolean;
	readonly isStep: boolean;
	readonly #parts: HoldParts;
	#endedWith: readonly string[] = [];
	#lost = false;

	constructor(parts: HoldParts) {
		this.taskId = parts.row.id;
		this.home = parts.home;
		this.accounts = [...parts.above, parts.home.id];
		this.tools = parts.tools;
		this.speakers = speakersOf(parts.row);
		this.workedMs = Number(parts.row.worked_ms);
		this.supervised = parts.row.autonomy === "supervised";
		this.isStep = isStep(parts.row);
		this.spawns = parts.row.depth < deepest && !this.isStep;
		this.#parts = parts;
	}

	desk(run: DeskRun, callId: string): TaskDesk {
		const { services, check, onWork: onSpawned } = this.#parts;
		return deskOf({ hold: this, run, services, callId, check, onSpawned });
	}

	/** Whether another worker has taken the task over: no claim comes back. */
	get lost(): boolean {
		return this.#lost;
	}

	async keep(tx: Tx): Promise<void> {
		const { claim, session, services } = this.#parts;
		const [run] = session.live.values();
		const workedMs = Math.round(this.workedMs + (run?.workedMs ?? 0));
		const state = await keepClaim(tx, claim, { now: services.clock.now(), workedMs });
		if (state === "cancelled" || state === "failed") for (const run of session.live.values()) run.cancel();
		if (state !== undefined) return;
		this.#lost = true;
		for (const run of session.live.values()) run.park();
		throw new ParleyError(`the task ${this.taskId} was taken over by another worker`, { code: "aborted" });
	}

	async end(tx: Tx, record: RecordTask, { error, content }: TaskRunEnd): Promise<void> {
		this.#endedWith = [];
		const { services } = this.#parts;
		const row = await findTask(tx, this.taskId);
		if (!row || hasEnded(row.state)) {
			// Somebody ended it while it was at work: people were told then.
			await record(...workerEnd(this.taskId, { error: row?.error || error }));
			return;
		}
		const end = endOf(error, content);
		const writing = { tx, now: services.clock.now(), tell: record, mine: this.taskId };
		const ended = await endTask(writing, row, end);
		this.#endedWith = ended.filter((id) => id !== this.taskId);
	}

	/** Once the run's end is durable: stops what ended with it, and wakes the workflow that waits for it. */
	afterEnd(): void {
		if (this.isStep) this.home.wake(this.taskId);
		if (this.#endedWith.length > 0) this.#parts.onEnded(this.#endedWith);
	}

	async putOff(
		{ tx, record }: { readonly tx: Tx; readonly record: RecordTask },
		failure: ParleyError,
		spend: () => Promise<void>,
	): Promise<boolean> {
		const row = await findTask(tx, this.taskId);
		if (row?.state !== "running" || !isPassing(failure) || row.retry_count >= row.max_retries) return false;
		const { clock } = this.#parts.services;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** row.retry_count);
		const asked = failure instanceof ModelError ? (failure.retryAfterMs ?? 0) : 0;
		const now = clock.now();
		await tx
			.updateTable("tasks")
			.set({
				...{ state: "pending", announce: "started", retry_count: row.retry_count + 1 },
				...{ not_before: now + Math.max(pauseMs, asked), updated_at: now, lease_until: 0 },
			})
			.where("id", "=", this.taskId)
			.execute();
		const { title, retry_count: retryCount } = row;
		await spend();
		const usage = await sessionTotal(tx, row.own_session_id);
		const told = { taskId: this.taskId, title, error: failure.message, retryCount, willRetry: true, usage };
		await record(
			{ type: "task.failed", ...told },
			{ type: "worker.phased", taskId: this.taskId, phase: "waiting" },
		);
		return true;
	}
}

function endOf(error: string, output: string): TaskEnd {
	if (error === "") return { state: "completed", output };
	return error === "cancelled" ? { state: "cancelled", reason: error } : { state: "failed", error, output };
}

type RecordTask = (...events: RecordedEvent[]) => Promise<unknown>;

function isPassing(failure: ParleyError): boolean {
	return failure instanceof ModelError && passing.includes(failure.fault);
}

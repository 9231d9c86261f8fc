import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import type { Session, SessionTask, TaskRunEnd } from "../../conversation/session.ts";
import { type Claim, renewClaim } from "../../conversation/tasks/claim.ts";
import { endTask, type TaskEnd, workerEnd } from "../../conversation/tasks/end-task.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { type CheckedTask, insertTask } from "../../conversation/tasks/submit.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { addTaint, findTaint } from "../../store/session-taint.ts";
import { isStep, planOf, reviewOf, type TaskRow, taskParticipants } from "../../store/task-rows.ts";
import { sessionTotal } from "../../usage/ledger.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import type { Person } from "../../vocabulary/principal.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import {
	hasEnded,
	type NewWorker,
	type PlanStep,
	progressOf,
	type Review,
	type ReviewReply,
	type TaskAccess,
	type TaskProgress,
	type WorkerResult,
} from "../../vocabulary/task.ts";
import { taskRefusalTexts } from "./texts.ts";

/**
 * Pause before a task is retried after a failure of its provider. The pause doubles with each retry. A longer
 * wait that the provider requests has precedence.
 */
const firstPauseMs = 15_000;
const longestPauseMs = 10 * 60 * 1000;

const temporaryFaults: readonly ModelFault[] = [
	"rate-limited",
	"overloaded",
	"interrupted",
	"timeout",
	"unreachable",
];

export interface ActiveTaskServices {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly observers: Observers;
}

export interface ActiveTaskParts {
	readonly row: TaskRow;
	readonly claim: Claim;
	readonly home: Session;
	/** Own session of the task. */
	readonly session: Session;
	readonly services: ActiveTaskServices;
	readonly tools: readonly string[];
	/** Ids of the sessions of all ancestor tasks. The nearest ancestor is first. */
	readonly above: readonly string[];
	readonly check: (row: TaskRow, requested: NewWorker) => Promise<CheckedTask>;
	/** Reports that a task may have become claimable. */
	readonly onWork: () => void;
	/** Stops the work of tasks that ended together with this task. */
	readonly onEnded: (ids: readonly string[]) => void;
}

/** A task that this process has claimed. */
export class ActiveTask implements SessionTask {
	readonly taskId: string;
	readonly home: Session;
	readonly accounts: readonly string[];
	readonly tools: readonly string[];
	readonly participants: readonly Person[];
	readonly workedMs: number;
	readonly supervised: boolean;
	readonly spawns: boolean;
	readonly isStep: boolean;
	readonly #parts: ActiveTaskParts;
	#endedWith: readonly string[] = [];
	#lost = false;

	constructor(parts: ActiveTaskParts) {
		this.taskId = parts.row.id;
		this.home = parts.home;
		this.accounts = [...parts.above, parts.home.id];
		this.tools = parts.tools;
		this.participants = taskParticipants(parts.row);
		this.workedMs = Number(parts.row.worked_ms);
		this.supervised = parts.row.autonomy === "supervised";
		this.isStep = isStep(parts.row);
		this.spawns = parts.row.depth < deepest && !this.isStep;
		this.#parts = parts;
	}

	access(run: ToolRun, callId: string): TaskAccess {
		const { services, check, onWork: onSpawned } = this.#parts;
		return accessOf({ activeTask: this, run, services, callId, check, onSpawned });
	}

	/** Whether the claim was lost, for example because another process has claimed the task. Never changes back to false. */
	get lost(): boolean {
		return this.#lost;
	}

	async renew(tx: Tx): Promise<void> {
		const { claim, session, services } = this.#parts;
		const [run] = session.live.values();
		const workedMs = Math.round(this.workedMs + (run?.workedMs ?? 0));
		const state = await renewClaim(tx, claim, { now: services.clock.now(), workedMs });
		if (state === "cancelled" || state === "failed") for (const run of session.live.values()) run.cancel();
		if (state !== undefined) return;
		this.#lost = true;
		for (const run of session.live.values()) run.park();
		throw new ParleyError(taskRefusalTexts.claimedElsewhere(this.taskId), { code: "aborted" });
	}

	async end(tx: Tx, record: RecordTask, runEnd: TaskRunEnd): Promise<void> {
		this.#endedWith = [];
		const { services } = this.#parts;
		const row = await findTask(tx, this.taskId);
		if (!row || hasEnded(row.state)) {
			// The task has already ended, for example by a cancel, and the event of its end was recorded then.
			await record(...workerEnd(this.taskId, { error: row?.error || runEnd.error }));
			return;
		}
		const end = endOf(runEnd);
		const writing = { tx, now: services.clock.now(), record, ownTask: this.taskId };
		const ended = await endTask(writing, row, end);
		this.#endedWith = ended.filter((id) => id !== this.taskId);
	}

	/**
	 * Reports the other tasks that ended together with this task, and wakes the workflow that has this task as a step. Call
	 * it when the end of the run is durable.
	 */
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
		if (row?.state !== "running" || !isTemporary(failure) || row.retry_count >= row.max_retries) return false;
		const { clock } = this.#parts.services;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** row.retry_count);
		const requestedMs = failure instanceof ModelError ? (failure.retryAfterMs ?? 0) : 0;
		const now = clock.now();
		await tx
			.updateTable("tasks")
			.set({
				state: "pending",
				announce: "started",
				retry_count: row.retry_count + 1,
				not_before: now + Math.max(pauseMs, requestedMs),
				updated_at: now,
				lease_until: 0,
			})
			.where("id", "=", this.taskId)
			.execute();
		const { title, retry_count: retryCount } = row;
		await spend();
		const usage = await sessionTotal(tx, row.own_session_id);
		const failed = { taskId: this.taskId, title, error: failure.message, retryCount, willRetry: true, usage };
		await record(
			{ type: "task.failed", ...failed },
			{ type: "worker.phased", taskId: this.taskId, phase: "waiting" },
		);
		return true;
	}
}

function endOf({ error, content: output, stoppedBy }: TaskRunEnd): TaskEnd {
	if (error === "") return { state: "completed", output };
	if (error !== "cancelled") return { state: "failed", error, output };
	return { state: "cancelled", reason: error, ...defined({ stoppedBy }) };
}

type RecordTask = (...events: RecordedEvent[]) => Promise<unknown>;

function isTemporary(failure: ParleyError): boolean {
	return failure instanceof ModelError && temporaryFaults.includes(failure.fault);
}

/** Maximum depth of workers below a submitted task, and maximum workers of one task. */
const deepest = 3;
const broadest = 8;

/** The run of the task that makes the tool call. */
interface ToolRun {
	readonly session: Session;
	/** Stops the run. The run continues when the task is claimed again. */
	park(): void;
}

interface AccessParts {
	readonly activeTask: SessionTask;
	readonly run: ToolRun;
	readonly services: ActiveTaskServices;
	readonly callId: string;
	/** Checks a requested worker. Throws an error for the model if the worker is not possible. */
	readonly check: (row: TaskRow, requested: NewWorker) => Promise<CheckedTask>;
	/** Reports that a new task can be claimed. */
	readonly onSpawned: () => void;
}

function accessOf(parts: AccessParts): TaskAccess {
	return {
		plan: (steps) => writePlan(parts, steps),
		review: (request) => review(parts, request),
		spawn: (requested) => spawn(parts, requested),
		workers: (ids) => awaitWorkers(parts, ids),
	};
}

async function writePlan(
	{ run, activeTask, services }: AccessParts,
	steps: readonly PlanStep[],
): Promise<TaskProgress> {
	const { redactor } = run.session;
	const redacted = steps.map((step) => ({ ...step, title: redactor.redact(step.title) }));
	return run.session.commit(async (tx, record) => {
		const row = await own(tx, activeTask);
		const progress = progressOf(row.title, redacted, false);
		const before = planOf(row);
		if (before && JSON.stringify(before) === JSON.stringify(redacted)) return progress;
		await change(tx, services.clock.now(), row, { plan: JSON.stringify(redacted) });
		const usage = await sessionTotal(tx, row.own_session_id);
		await record({ type: "task.progress", taskId: row.id, progress, plan: redacted, usage });
		return progress;
	});
}

/**
 * Returns the reply to the review. Without a reply, suspends the task, stops the task's run and throws `cancelled`. The
 * run repeats the call after the reply.
 */
async function review(
	{ run, activeTask, callId, services }: AccessParts,
	{ reason, content }: { readonly reason: string; readonly content: string },
): Promise<ReviewReply> {
	const { redactor } = run.session;
	const reply = await run.session.commit(async (tx, record) => {
		const row = await own(tx, activeTask);
		const known = reviewOf(row);
		if (known?.callId === callId && known.reply) return known.reply;
		const shown: Review = {
			token: services.ids.create("review"),
			callId,
			reason: redactor.redact(reason),
			content: redactor.redact(content),
		};
		const suspendCount = row.suspend_count + 1;
		await change(tx, services.clock.now(), row, {
			state: "suspended" as const,
			review: JSON.stringify(shown),
			suspend_count: suspendCount,
			lease_until: 0,
		});
		const { id: taskId, title } = row;
		const { token } = shown;
		await record(
			{ type: "worker.phased", taskId, phase: "waiting" },
			{
				type: "task.suspended",
				taskId,
				title,
				reason: shown.reason,
				content: shown.content,
				token,
				suspendCount,
				usage: await sessionTotal(tx, row.own_session_id),
			},
		);
		return undefined;
	});
	return reply ?? stopHere(run);
}

async function spawn(
	{ run, activeTask, callId, services, check, onSpawned }: AccessParts,
	requested: NewWorker,
): Promise<string> {
	const checked = await check(await services.journal.store.read((db) => own(db, activeTask)), requested);
	const { observers } = services;
	const { id, created } = await run.session.commit(async (tx, record) => {
		// The task is checked again, because it may have ended meanwhile.
		const parent = await own(tx, activeTask);
		const siblings = await tx
			.selectFrom("tasks")
			.select(["id", "spawn_call"])
			.where("parent_id", "=", parent.id)
			.execute();
		const known = siblings.find(({ spawn_call }) => spawn_call === callId);
		if (known) return { id: known.id, created: [] };
		checkLimits(parent, siblings.length);
		const { submitted_by: submittedBy, actor } = parent;
		const workers = siblings.map((sibling) => sibling.id);
		const origin = { parent, spawnCall: callId, siblings: workers, submittedBy, actor, taint: "" as const };
		const inserted = await insertTask(services, { tx, record }, activeTask.home, {
			requested: checked,
			origin,
		});
		return { id: inserted.row.id, created: inserted.created };
	});
	for (const event of created) observers.notify(event, activeTask.home.owner);
	onSpawned();
	return id;
}

function checkLimits({ depth }: TaskRow, siblings: number): void {
	if (depth >= deepest) throw invalid(taskRefusalTexts.tooDeep(deepest));
	if (siblings >= broadest) throw invalid(taskRefusalTexts.tooManyWorkers(broadest));
}

/**
 * Returns the results of the workers. If a worker has not ended, stops the run and throws `cancelled`. The
 * run repeats the call after the end of a worker.
 */
async function awaitWorkers(
	{ run, activeTask, services }: AccessParts,
	ids: readonly string[] | undefined,
): Promise<readonly WorkerResult[]> {
	const results = await run.session.commit(async (tx, record) => {
		const row = await own(tx, activeTask);
		const workers = await tx
			.selectFrom("tasks")
			.selectAll()
			.where("parent_id", "=", row.id)
			.orderBy("created_at")
			.orderBy("id")
			.execute();
		const unknown = ids?.find((id) => !workers.some((worker) => worker.id === id));
		if (unknown !== undefined) throw invalid(taskRefusalTexts.noWorker(unknown.slice(0, 100)));
		const requested = workers.filter(({ id }) => ids === undefined || ids.includes(id));
		if (requested.every(({ state }) => hasEnded(state))) {
			// The workers' results may contain text that the workers have read.
			const taints = await Promise.all(requested.map((worker) => findTaint(tx, worker.own_session_id)));
			await addTaint(tx, run.session.id, joinTaints(taints));
			return requested.map(({ id, title, state, output, error }) => ({ id, title, state, output, error }));
		}
		await change(tx, services.clock.now(), row, { state: "waiting", lease_until: 0 });
		await record({ type: "worker.phased", taskId: row.id, phase: "waiting" });
		return undefined;
	});
	return results ?? stopHere(run);
}

/** Returns the row of the task. Throws `cancelled` unless the task is running. */
async function own(tx: Tx, { taskId }: SessionTask): Promise<TaskRow> {
	const row = await findTask(tx, taskId);
	if (row?.state === "running") return row;
	throw new ParleyError(taskRefusalTexts.stopped, { code: "cancelled" });
}

async function change(tx: Tx, updated_at: number, { id }: TaskRow, to: Partial<TaskRow>): Promise<void> {
	await tx
		.updateTable("tasks")
		.set({ ...to, updated_at })
		.where("id", "=", id)
		.execute();
}

function stopHere(run: ToolRun): never {
	run.park();
	throw new ParleyError(taskRefusalTexts.continuesLater, { code: "cancelled" });
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

import { ParleyError } from "@parley/base";
import type { Services } from "../../conversation/services.ts";
import type { Session, TaskHold } from "../../conversation/session.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { type CheckedTask, insertTask } from "../../conversation/tasks/submit.ts";
import type { Tx } from "../../store/journal.ts";
import { addTaint, findTaint } from "../../store/session-taint.ts";
import { planOf, reviewOf, type TaskRow } from "../../store/task-rows.ts";
import { sessionTotal } from "../../usage/ledger.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import {
	hasEnded,
	type NewWorker,
	type PlanStep,
	progressOf,
	type Review,
	type ReviewReply,
	type TaskDesk,
	type TaskProgress,
	type WorkerResult,
} from "../../vocabulary/task.ts";

/** How deep workers may spawn workers, and how many one task may have. */
export const deepest = 3;
const broadest = 8;

/** The run that a call belongs to, as far as a desk has to know it. */
export interface DeskRun {
	readonly session: Session;
	/** Stops it where it stands, to go on when the task is taken up again. */
	park(): void;
}

/** What a desk works with. */
export interface DeskParts {
	readonly hold: Pick<TaskHold, "taskId" | "home">;
	readonly run: DeskRun;
	readonly services: Services;
	readonly callId: string;
	/** Checks what a worker is wanted for; throws what the model can mend. */
	readonly check: (row: TaskRow, wanted: NewWorker) => Promise<CheckedTask>;
	/** Called when there is a new task to take up. */
	readonly onSpawned: () => void;
}

/** What the tools of a task can do for one call. */
export function deskOf(parts: DeskParts): TaskDesk {
	return {
		plan: (steps) => writePlan(parts, steps),
		review: (asked) => review(parts, asked),
		spawn: (wanted) => spawn(parts, wanted),
		workers: (ids) => awaitWorkers(parts, ids),
	};
}

async function writePlan(
	{ run, hold, services }: DeskParts,
	steps: readonly PlanStep[],
): Promise<TaskProgress> {
	const { redactor } = run.session;
	const kept = steps.map((step) => ({ ...step, title: redactor.redact(step.title) }));
	return run.session.commit(async (tx, record) => {
		const row = await own(tx, hold);
		const progress = progressOf(row.title, kept, false);
		const before = planOf(row);
		if (before && JSON.stringify(before) === JSON.stringify(kept)) return progress;
		await change(tx, services.clock.now(), row, { plan: JSON.stringify(kept) });
		const usage = await sessionTotal(tx, row.own_session_id);
		await record({ type: "task.progress", taskId: row.id, progress, plan: kept, usage });
		return progress;
	});
}

/** Resolves with what a person said; until somebody has, the task is suspended and its run stops where it stands. */
async function review(
	{ run, hold, callId, services }: DeskParts,
	{ reason, content }: { readonly reason: string; readonly content: string },
): Promise<ReviewReply> {
	const { redactor } = run.session;
	const reply = await run.session.commit(async (tx, record) => {
		const row = await own(tx, hold);
		const asked = reviewOf(row);
		if (asked?.callId === callId && asked.reply) return asked.reply;
		const shown: Review = {
			...{ token: services.ids.create("review"), callId },
			...{ reason: redactor.redact(reason), content: redactor.redact(content) },
		};
		const suspendCount = row.suspend_count + 1;
		await change(tx, services.clock.now(), row, {
			...{ state: "suspended" as const, review: JSON.stringify(shown), suspend_count: suspendCount },
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
	{ run, hold, callId, services, check, onSpawned }: DeskParts,
	wanted: NewWorker,
): Promise<string> {
	const checked = await check(await services.journal.store.read((db) => own(db, hold)), wanted);
	const { observers } = services;
	const { id, created } = await run.session.commit(async (tx, record) => {
		// Looked at once more: who has ended meanwhile has no workers any more.
		const parent = await own(tx, hold);
		const siblings = await tx
			.selectFrom("tasks")
			.select(["id", "spawn_call"])
			.where("parent_id", "=", parent.id)
			.execute();
		const known = siblings.find(({ spawn_call }) => spawn_call === callId);
		if (known) return { id: known.id, created: [] };
		refuseBeyond(parent, siblings.length);
		const { submitted_by: submittedBy, actor } = parent;
		const workers = siblings.map((sibling) => sibling.id);
		const origin = { parent, spawnCall: callId, siblings: workers, submittedBy, actor, taint: "" as const };
		const inserted = await insertTask(services, { tx, record }, hold.home, { wanted: checked, origin });
		return { id: inserted.row.id, created: inserted.created };
	});
	for (const event of created) observers.tell(event, hold.home.owner);
	onSpawned();
	return id;
}

function refuseBeyond({ depth }: TaskRow, siblings: number): void {
	if (depth >= deepest) throw invalid(`workers go ${deepest} deep at most: do this yourself`);
	if (siblings >= broadest) throw invalid(`a task has ${broadest} workers at most: do the rest yourself`);
}

/** Resolves when all of these workers have ended; until then the run stops where it stands. */
async function awaitWorkers(
	{ run, hold, services }: DeskParts,
	ids: readonly string[] | undefined,
): Promise<readonly WorkerResult[]> {
	const results = await run.session.commit(async (tx, record) => {
		const row = await own(tx, hold);
		const workers = await tx
			.selectFrom("tasks")
			.selectAll()
			.where("parent_id", "=", row.id)
			.orderBy("created_at")
			.orderBy("id")
			.execute();
		const unknown = ids?.find((id) => !workers.some((worker) => worker.id === id));
		if (unknown !== undefined) throw invalid(`there is no worker ${JSON.stringify(unknown.slice(0, 100))}`);
		const wanted = workers.filter(({ id }) => ids === undefined || ids.includes(id));
		if (wanted.every(({ state }) => hasEnded(state))) {
			// What they have read is in what they say.
			const taints = await Promise.all(wanted.map((worker) => findTaint(tx, worker.own_session_id)));
			await addTaint(tx, run.session.id, joinTaints(taints));
			return wanted.map(({ id, title, state, output, error }) => ({ id, title, state, output, error }));
		}
		await change(tx, services.clock.now(), row, { state: "waiting", lease_until: 0 });
		await record({ type: "worker.phased", taskId: row.id, phase: "waiting" });
		return undefined;
	});
	return results ?? stopHere(run);
}

/** The task, as long as it is ours and at work. */
async function own(tx: Tx, { taskId }: Pick<TaskHold, "taskId">): Promise<TaskRow> {
	const row = await findTask(tx, taskId);
	if (row?.state === "running") return row;
	throw new ParleyError("the task was stopped", { code: "cancelled" });
}

async function change(tx: Tx, updated_at: number, { id }: TaskRow, to: Partial<TaskRow>): Promise<void> {
	await tx
		.updateTable("tasks")
		.set({ ...to, updated_at })
		.where("id", "=", id)
		.execute();
}

function stopHere(run: DeskRun): never {
	run.park();
	throw new ParleyError("the task goes on later", { code: "cancelled" });
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

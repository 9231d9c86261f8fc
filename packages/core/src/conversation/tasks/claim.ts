import { sql } from "kysely";
import type { Tx } from "../../store/journal.ts";
import type { TaskRow } from "../../store/task-rows.ts";

/** Milliseconds after the last renewal of a claim until another process may claim the task. */
export const leaseMs = 30_000;

export interface Claimer {
	/** Unique id of this process. */
	readonly worker: string;
	/** Current time in milliseconds since the epoch. */
	readonly now: number;
	/** Tasks that must not be claimed, because this process already works on them. */
	readonly except?: readonly string[];
}

/**
 * Claims and returns the most urgent claimable task for this process. Started tasks precede equally urgent tasks that
 * have not started. Returns undefined if no task is claimable, or if another process was faster. The claim is one SQL
 * statement. For a second process, the condition of the statement is false.
 */
export async function claimTask(tx: Tx, { worker, now, except = [] }: Claimer): Promise<TaskRow | undefined> {
	const { rows } = await sql<TaskRow>`
		update tasks set state = 'running', worker = ${worker}, lease_until = ${now + leaseMs},
			epoch = epoch + 1, updated_at = ${now}
		where ${claimable("tasks", now)} and id = (
			select c.id from tasks c where ${claimable("c", now)} and ${isOther(except)}
			order by c.priority desc, case when c.started_at is null then 1 else 0 end, c.created_at, c.id limit 1)
		returning *`.execute(tx);
	return rows[0];
}

/**
 * Claims and returns an ended task that has an open run and an expired claim, so that this process can end the run.
 * Returns undefined if there is no such task.
 */
export async function claimEnded(
	tx: Tx,
	{ worker, now, except = [] }: Claimer,
): Promise<TaskRow | undefined> {
	const { rows } = await sql<TaskRow>`
		update tasks set worker = ${worker}, lease_until = ${now + leaseMs}, epoch = epoch + 1
		where lease_until <= ${now} and id = (
			select c.id from ${leftOpen} where c.lease_until <= ${now} and ${isOther(except)}
			order by c.id limit 1)
		returning *`.execute(tx);
	return rows[0];
}

/**
 * Returns the time at which the next task can be claimed, or undefined. Includes running tasks, whose claims may
 * expire, and ended tasks with open runs.
 */
export async function nextClaim(db: Tx): Promise<number | undefined> {
	const { rows } = await sql<{ due: number | null }>`
		select min(due) as due from (
			select min(case when state = 'pending' then not_before else lease_until end) as due from tasks c
			where (state = 'pending' and ${areNeedsCompleted("c")}) or state = 'running'
			union all select min(c.lease_until) as due from ${leftOpen}) as dues`.execute(db);
	const due = rows[0]?.due;
	return due === null || due === undefined ? undefined : Number(due);
}

export interface Claim {
	readonly taskId: string;
	readonly worker: string;
	readonly epoch: number;
}

/** Renews a claim and returns the state of the task. Returns undefined if the claim is lost. */
export async function renewClaim(
	tx: Tx,
	{ taskId, worker, epoch }: Claim,
	{ now, workedMs }: { readonly now: number; readonly workedMs: number },
): Promise<TaskRow["state"] | undefined> {
	const row = await tx
		.updateTable("tasks")
		.set({ lease_until: now + leaseMs, worked_ms: workedMs })
		.where("id", "=", taskId)
		.where("worker", "=", worker)
		.where("epoch", "=", epoch)
		.returning("state")
		.executeTakeFirst();
	return row?.state;
}

export async function releaseClaim(tx: Tx, { taskId, worker, epoch }: Claim): Promise<void> {
	await tx
		.updateTable("tasks")
		.set({ lease_until: 0 })
		.where("id", "=", taskId)
		.where("worker", "=", worker)
		.where("epoch", "=", epoch)
		.execute();
}

/** Releases the claims of all processes. Call this function only if no other process uses the store. */
export async function releaseAll(tx: Tx): Promise<void> {
	await tx.updateTable("tasks").set({ lease_until: 0 }).where("lease_until", ">", 0).execute();
}

/** Open runs with their ended tasks `c`. Starts from the open runs, because few runs are open. */
const leftOpen = sql`runs r join sessions s on s.id = r.session_id join tasks c on c.id = s.task_id
	and r.state <> 'ended' and c.state in ('completed', 'failed', 'cancelled')`;

const isOther = (ids: readonly string[]) =>
	ids.length === 0 ? sql`1 = 1` : sql`c.id not in (${sql.join(ids)})`;

const claimable = (name: string, now: number) => {
	const t = sql.table(name);
	return sql`((${t}.state = 'pending' and ${t}.not_before <= ${now} and ${areNeedsCompleted(name)})
		or (${t}.state = 'running' and ${t}.lease_until <= ${now}))`;
};

const areNeedsCompleted = (name: string) => sql<boolean>`not exists (
	select 1 from task_needs n join tasks d on d.id = n.needs
	where n.task_id = ${sql.table(name)}.id and d.state <> 'completed')`;

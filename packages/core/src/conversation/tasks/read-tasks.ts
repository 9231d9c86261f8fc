import { definedItems } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import { type TaskRow, taskFacts } from "../../store/task-rows.ts";
import { sessionTotals } from "../../usage/ledger.ts";
import type { SessionsOf } from "../../vocabulary/principal.ts";
import type { TaskFacts, TaskFilter } from "../../vocabulary/task.ts";
import { noUsage } from "../../vocabulary/usage.ts";

export async function findTask(db: Tx, id: string): Promise<TaskRow | undefined> {
	return db.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function describeTask(db: Tx, row: TaskRow): Promise<TaskFacts | undefined> {
	const [facts] = await describeTasks(db, [row]);
	return facts;
}

async function describeTasks(db: Tx, rows: readonly TaskRow[]): Promise<TaskFacts[]> {
	if (rows.length === 0) return [];
	const ids = rows.map(({ id }) => id);
	const needs = await db
		.selectFrom("task_needs")
		.select(["task_id", "needs"])
		.where("task_id", "in", ids)
		.orderBy("needs")
		.execute();
	const conversations = rows.map(({ own_session_id }) => own_session_id);
	const usages = await sessionTotals(db, conversations);
	return rows.map((row) =>
		taskFacts(row, {
			needs: needs.flatMap((need) => (need.task_id === row.id ? [need.needs] : [])),
			usage: usages.get(row.own_session_id) ?? { ...noUsage, cost: 0 },
		}),
	);
}

/**
 * Returns tasks of the sessions that `of` selects, or of all sessions if `of` is undefined. The newest tasks are first.
 */
export async function listTasks(
	db: Tx,
	of: SessionsOf | undefined,
	{ limit, sessionId, parentId, states, before }: TaskFilter,
): Promise<TaskFacts[]> {
	let selected = db
		.selectFrom("tasks")
		.selectAll("tasks")
		.orderBy("tasks.created_at", "desc")
		.orderBy("tasks.id", "desc")
		.limit(limit);
	if (sessionId !== undefined) selected = selected.where("tasks.session_id", "=", sessionId);
	if (parentId !== undefined) selected = selected.where("tasks.parent_id", "=", parentId);
	if (states) selected = selected.where("tasks.state", "in", states);
	const last = before === undefined ? undefined : await findTask(db, before);
	if (last) {
		const { created_at: at, id } = last;
		selected = selected.where((row) =>
			row.or([
				row("tasks.created_at", "<", at),
				row.and([row("tasks.created_at", "=", at), row("tasks.id", "<", id)]),
			]),
		);
	}
	if (of) {
		const { owner, ids = [], place } = of;
		selected = selected.where("tasks.session_id", "in", (query) => {
			const ownedSessions = query
				.selectFrom("sessions")
				.select("sessions.id")
				.where((row) =>
					row.or(
						definedItems([
							row("sessions.owner", "=", owner),
							ids.length > 0 ? row("sessions.id", "in", [...ids]) : undefined,
						]),
					),
				);
			return place === undefined ? ownedSessions : ownedSessions.where("sessions.place", "=", place);
		});
	}
	return describeTasks(db, await selected.execute());
}

/** Returns the session ids of all ancestor tasks. The id of the nearest ancestor is first. */
export async function conversationsAbove(db: Tx, row: TaskRow): Promise<string[]> {
	const above: string[] = [];
	for (let id = row.parent_id; id !== null; ) {
		const parent = await findTask(db, id);
		if (!parent) break;
		above.push(parent.own_session_id);
		id = parent.parent_id;
	}
	return above;
}

import { defined } from "@parley/base";
import type { Selectable } from "kysely";
import type { Person } from "../vocabulary/principal.ts";
import type { Schedule, Trigger } from "../vocabulary/schedule.ts";
import { readTaint } from "../vocabulary/taint.ts";
import { fromRow, type Tx } from "./journal.ts";
import { stamp, type Tables } from "./tables.ts";

export async function insertSchedule(tx: Tx, schedule: Schedule): Promise<void> {
	const { id, sessionId, owner, title, prompt, trigger, show, taint } = schedule;
	await tx
		.insertInto("schedules")
		.values({
			id,
			session_id: sessionId,
			external_key: schedule.externalKey ?? null,
			owner,
			principal: JSON.stringify(schedule.principal),
			actor: schedule.person ? JSON.stringify(schedule.person) : null,
			title,
			prompt,
			trigger: JSON.stringify(trigger),
			show,
			taint,
			created_at: schedule.createdAt,
			next_due: schedule.nextDue ?? null,
			last_due: null,
			last_fired_at: null,
			last_run_id: null,
			firings: 0,
			problem: null,
			seen_seq: schedule.seenSeq,
			...stamp,
		})
		.execute();
}

export async function findSchedule(db: Tx, id: string): Promise<Schedule | undefined> {
	const row = await db.selectFrom("schedules").selectAll().where("id", "=", id).executeTakeFirst();
	return row && toSchedule(row);
}

/** Filter for schedules. If no field is set, the filter selects all schedules. */
export interface ScheduleSelection {
	readonly owner?: string | undefined;
	readonly sessionId?: string | undefined;
}

/**
 * Returns at most `limit` schedules from a selection, in the order of their due times. Schedules without a due time are
 * last.
 */
export async function listSchedules(
	db: Tx,
	{ owner, sessionId }: ScheduleSelection,
	limit: number,
): Promise<Schedule[]> {
	const rows = await db
		.selectFrom("schedules")
		.selectAll()
		.$if(owner !== undefined, (query) => query.where("owner", "=", owner ?? ""))
		.$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
		.orderBy((eb) => eb.fn.coalesce("next_due", eb.val(Number.MAX_SAFE_INTEGER)))
		.orderBy("id")
		.limit(limit)
		.execute();
	return rows.map(toSchedule);
}

export async function countSchedules(db: Tx, owner: string): Promise<number> {
	const row = await db
		.selectFrom("schedules")
		.select((eb) => eb.fn.countAll<number>().as("count"))
		.where("owner", "=", owner)
		.executeTakeFirstOrThrow();
	return Number(row.count);
}

/**
 * Returns the schedules with a due time, in the order of their due times. Leaves out schedules with an id in `except`.
 * Returns at most `limit` schedules. Default: all.
 */
export async function waitingSchedules(
	db: Tx,
	{ except, limit }: { readonly except: readonly string[]; readonly limit?: number },
): Promise<Schedule[]> {
	const rows = await db
		.selectFrom("schedules")
		.selectAll()
		.where("next_due", "is not", null)
		.$if(except.length > 0, (query) => query.where("id", "not in", except))
		.orderBy("next_due")
		.orderBy("id")
		.$if(limit !== undefined, (query) => query.limit(limit ?? 0))
		.execute();
	return rows.map(toSchedule);
}

/**
 * Returns the schedules with an event as trigger: the schedules of the session `sessionId`, or of all sessions if
 * `sessionId` is undefined.
 */
export async function eventSchedules(db: Tx, sessionId?: string): Promise<Schedule[]> {
	const rows = await db
		.selectFrom("schedules")
		.selectAll()
		.where("trigger", "like", '{"kind":"event"%')
		.$if(sessionId !== undefined, (query) => query.where("session_id", "=", sessionId ?? ""))
		.execute();
	return rows.map(toSchedule);
}

export interface ScheduleChange {
	readonly sessionId?: string;
	readonly nextDue?: number | null;
	readonly lastDue?: number;
	readonly lastFiredAt?: number;
	readonly lastRunId?: string;
	readonly firings?: number;
	readonly problem?: string | null;
	readonly seenSeq?: number;
}

export async function changeSchedule(tx: Tx, id: string, change: ScheduleChange): Promise<void> {
	const { sessionId, nextDue, lastDue, lastFiredAt, lastRunId, firings, problem, seenSeq } = change;
	const columns = {
		...defined({
			session_id: sessionId,
			next_due: nextDue,
			last_due: lastDue,
			last_fired_at: lastFiredAt,
			last_run_id: lastRunId,
			firings,
			problem,
			seen_seq: seenSeq,
		}),
	};
	await tx.updateTable("schedules").set(columns).where("id", "=", id).execute();
}

/**
 * Moves the schedules with the external key to the session that the owner has opened with the same key. The earlier
 * session was deleted. The schedules receive the events of the new session after `seenSeq`.
 */
export async function rebindSchedules(
	tx: Tx,
	{ owner, externalKey }: { readonly owner: string; readonly externalKey: string },
	{ sessionId, seenSeq }: { readonly sessionId: string; readonly seenSeq: number },
): Promise<void> {
	const rows = await tx
		.selectFrom("schedules")
		.selectAll()
		.where("external_key", "=", externalKey)
		.where("session_id", "<>", sessionId)
		.execute();
	// Different principals can use the same external key for different sessions.
	const ownSchedules = rows.map(toSchedule).filter(({ principal }) => principal.id === owner);
	for (const { id } of ownSchedules) await changeSchedule(tx, id, { sessionId, seenSeq });
}

export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
	await tx.deleteFrom("schedules").where("id", "=", id).execute();
}

function toSchedule(row: Selectable<Tables["schedules"]>): Schedule {
	const { id, owner, title, prompt, show, last_run_id, problem } = row;
	const number = (value: number | null): number | undefined => (value === null ? undefined : Number(value));
	const [nextDue, lastDue, lastFiredAt] = [
		number(row.next_due),
		number(row.last_due),
		number(row.last_fired_at),
	];
	return {
		id,
		sessionId: row.session_id,
		owner,
		title,
		prompt,
		show,
		...defined({ externalKey: row.external_key ?? undefined }),
		principal: fromRow<Schedule["principal"]>(row.principal),
		...defined({ person: row.actor === null ? undefined : fromRow<Person>(row.actor) }),
		trigger: fromRow<Trigger>(row.trigger),
		taint: readTaint(row.taint),
		createdAt: Number(row.created_at),
		...defined({ nextDue, lastDue, lastFiredAt, lastRunId: last_run_id ?? undefined }),
		firings: Number(row.firings),
		...defined({ problem: problem ?? undefined }),
		seenSeq: Number(row.seen_seq),
	};
}

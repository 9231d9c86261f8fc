import type { Kysely } from "kysely";
import { fromRow } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";

export type TodoUpdated = Extract<RecordedEvent, { readonly type: "todo.updated" }>;

const maxSearchedEvents = 10_000;

/** Returns the newest task list in the last 10,000 events of the session up to `seq`, or undefined. */
export async function newestTodo(
	db: Kysely<Tables>,
	sessionId: string,
	seq: number,
): Promise<{ readonly seq: number; readonly event: TodoUpdated } | undefined> {
	const row = await db
		.selectFrom("events")
		.select(["seq", "data"])
		.where("session_id", "=", sessionId)
		.where("type", "=", "todo.updated" satisfies TodoUpdated["type"])
		.where("seq", "<=", seq)
		.where("seq", ">", seq - maxSearchedEvents)
		.orderBy("seq", "desc")
		.limit(1)
		.executeTakeFirst();
	return row && { seq: Number(row.seq), event: fromRow<TodoUpdated>(row.data) };
}

/**
 * Returns the newest task list for a client that has received the events up to `from`. Returns undefined in the
 * following cases:
 * - The newest 10,000 events up to `last` contain no list.
 * - The list does not belong to an active run.
 * - The client has received no events: `from` is 0.
 * - The list is in an event after `from`, so the client also receives that event.
 */
export async function openTodo(
	db: Kysely<Tables>,
	sessionId: string,
	{ from, last }: { readonly from: number; readonly last: number },
): Promise<TodoUpdated | undefined> {
	if (from === 0) return undefined;
	const open = await db
		.selectFrom("runs")
		.select("id")
		.where("session_id", "=", sessionId)
		.where("state", "<>", "ended")
		.execute();
	if (open.length === 0) return undefined;
	const newest = await newestTodo(db, sessionId, last);
	const isShown = newest && newest.seq <= from && open.some(({ id }) => id === newest.event.runId);
	return isShown ? newest.event : undefined;
}

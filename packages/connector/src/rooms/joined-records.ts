import type { Kysely } from "kysely";
import type { ConnectorTables } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

/**
 * Stores, in order, the inbound events that become one request together with the event `first`. Call
 * `writeJoinedRecords` before the gateway gets the request, so that a later process sends the same request.
 */
export async function writeJoinedRecords(
	tx: Tx,
	{ first, events }: { readonly first: string; readonly events: readonly string[] },
	now: number,
): Promise<void> {
	const rows = events.map((event, place) => ({ event, first, place, changed_at: now }));
	await tx
		.insertInto("joined")
		.values(rows)
		.onConflict((conflict) => conflict.column("event").doNothing())
		.execute();
}

/** Whether the event is part of the request of another event. */
export async function isJoined(db: Tx, event: string): Promise<boolean> {
	const row = await db.selectFrom("joined").select("first").where("event", "=", event).executeTakeFirst();
	return row !== undefined;
}

/** Reads the events that an event includes in its request, in order, with their data as JSON. */
export async function readJoined(
	db: Tx,
	first: string,
): Promise<readonly { readonly id: string; readonly data: string }[]> {
	return db
		.selectFrom("joined")
		.innerJoin("inbound", "inbound.id", "joined.event")
		.select(["inbound.id as id", "inbound.data as data"])
		.where("joined.first", "=", first)
		.orderBy("joined.place")
		.execute();
}

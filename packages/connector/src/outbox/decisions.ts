import { existsSync } from "node:fs";
import { ParleyError, readSqliteFile } from "@parley/base";
import type { Kysely } from "kysely";
import {
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	type DatabaseLocation,
	openConnectorDatabase,
} from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

/** A row that a person has to look at, or may want to. */
export interface StuckRow {
	readonly id: string;
	readonly conversation: string;
	readonly lane: string;
	readonly state: "held" | "dead";
	readonly reason: string;
	/** Since when, in milliseconds since the epoch. */
	readonly since: number;
}

/** What is held, then what is dead; the newest of each first. */
export async function readStuck(db: Tx, limit: number): Promise<StuckRow[]> {
	const rows = await db
		.selectFrom("outbox")
		.select(["id", "conversation", "lane", "state", "reason", "changed_at as since"])
		.where("state", "in", ["held", "dead"])
		.orderBy("state", "desc")
		.orderBy("position", "desc")
		.limit(limit)
		.execute();
	return rows.map((row) => ({
		...row,
		state: row.state === "held" ? "held" : "dead",
		reason: row.reason ?? "no reason was given",
	}));
}

const droppedBy = "dropped by ";

/** Lets everything of a conversation that was not attempted yet wait for a person; resolves with how many rows. */
export async function holdRows(
	tx: Tx,
	held: { readonly conversation: string; readonly reason: string; readonly now: number },
): Promise<number> {
	const { conversation, reason, now } = held;
	const result = await tx
		.updateTable("outbox")
		.set({ state: "held", reason, changed_at: now })
		.where("conversation", "=", conversation)
		.where("state", "=", "planned")
		.executeTakeFirstOrThrow();
	return Number(result.numUpdatedRows);
}

/**
 * What a person has decided of a held row: it is sent after all, as new as the decision, or never. An answer that was
 * given up can be sent as well: it is looked for first, because the platform may have taken it all the same.
 */
export interface Decision {
	readonly send: boolean;
	readonly by: string;
}

/** A row that can be decided so. */
interface Decidable {
	readonly conversation: string;
	readonly state: "held" | "dead";
}

/** Rejects with `not_found`, or `failed_precondition` where there is nothing to be decided, or not so. */
export async function readDecidable(db: Tx, id: string, send: boolean): Promise<Decidable> {
	const row = await db
		.selectFrom("outbox")
		.select(["conversation", "state", "lane", "card", "reason", "position"])
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined) throw new ParleyError(`the outbox has no row ${id}`, { code: "not_found" });
	const { conversation, state, lane, card, reason, position } = row;
	if (state === "held") return { conversation, state };
	// Who dropped it has decided.
	const isGivenUp = state === "dead" && lane === "final" && !reason?.startsWith(droppedBy);
	if (!send || !isGivenUp) {
		throw new ParleyError(`row ${id} is ${state}: only what is held waits for a decision`, {
			code: "failed_precondition",
		});
	}
	if (card !== null && (await isReplaced(db, card, position))) {
		throw new ParleyError(`row ${id} is dead, and something newer is shown in its place`, {
			code: "failed_precondition",
		});
	}
	return { conversation, state };
}

async function isReplaced(db: Tx, card: string, position: number): Promise<boolean> {
	const newer = await db
		.selectFrom("outbox")
		.select("id")
		.where("card", "=", card)
		.where("position", ">", position)
		.where("state", "!=", "dead")
		.limit(1)
		.executeTakeFirst();
	return newer !== undefined;
}

/** Of two people who decide at once the first one counts. */
export async function decideRow(tx: Tx, id: string, { send, by }: Decision, now: number): Promise<void> {
	const { state } = await readDecidable(tx, id, send);
	const released = { reason: `released by ${by}` };
	const decided = !send
		? { state: "dead" as const, reason: `${droppedBy}${by}` }
		: state === "held"
			? { ...released, state: "planned" as const, at: now }
			: // It is looked for since the moment that it has, and tried as often as a fresh one.
				{ ...released, state: "unknown" as const, attempts: 1 };
	await tx
		.updateTable("outbox")
		.set({ ...decided, changed_at: now })
		.where("id", "=", id)
		.execute();
	await forgetDecision(tx, id);
}

/**
 * What another process has decided, to be carried out by the one that sends. Of two decisions the first one counts: one
 * that says otherwise is refused with `failed_precondition`.
 */
export async function leaveDecision(tx: Tx, id: string, { send, by }: Decision, now: number): Promise<void> {
	await readDecidable(tx, id, send);
	await tx
		.insertInto("decisions")
		.values({ id, send: send ? 1 : 0, by, at: now })
		.onConflict((conflict) => conflict.column("id").doNothing())
		.execute();
	const first = await tx.selectFrom("decisions").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
	if ((first.send === 1) === send) return;
	const decided = first.send === 1 ? "to be sent" : "never to be sent";
	throw new ParleyError(`row ${id} is ${decided}: ${first.by} was first to decide`, {
		code: "failed_precondition",
	});
}

/** What was left to be carried out, the oldest first. */
export async function readDecisions(db: Tx): Promise<(Decision & { readonly id: string })[]> {
	const rows = await db.selectFrom("decisions").selectAll().orderBy("at").orderBy("id").execute();
	return rows.map(({ id, send, by }) => ({ id, send: send === 1, by }));
}

export async function forgetDecision(tx: Tx, id: string): Promise<void> {
	await tx.deleteFrom("decisions").where("id", "=", id).execute();
}

/** Up to `limit` posts of a connector that are held or were given up, and why; it may run meanwhile. */
export async function readStuckPosts(where: DatabaseLocation, limit: number): Promise<StuckRow[]> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) return [];
	return readSqliteFile<ConnectorTables, StuckRow[]>(file, (db) => readStuck(db, limit));
}

/**
 * Ends the waiting of a held post, which the next start of the connector then sends or leaves, or has it send an answer
 * that was given up. Only for whoever has the connector's lock. Rejects with `not_found`, or `failed_precondition` where
 * there is nothing to be decided.
 */
export async function decideStuckPost(
	where: ConnectorDatabaseOptions,
	{ id, decision }: { readonly id: string; readonly decision: Decision },
): Promise<void> {
	const { store } = await openConnectorDatabase(where);
	try {
		await store.commit((tx) => decideRow(tx, id, decision, where.clock.now()));
	} finally {
		await store.close();
	}
}

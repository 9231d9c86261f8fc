import { existsSync } from "node:fs";
import { ParleyError, readSqliteFile } from "@parley/base";
import type { Kysely } from "kysely";
import {
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	type DatabaseLocation,
	openConnectorDatabase,
} from "../store/connector-database.ts";
import { growingCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { postTexts } from "../texts/posts.ts";

type Tx = Kysely<ConnectorTables>;

/** A row in the state `held` or `dead`. */
export interface StuckRow {
	readonly id: string;
	readonly conversation: string;
	readonly lane: string;
	readonly state: "held" | "dead";
	readonly reason: string;
	/** Time at which the row reached its state, in milliseconds since the epoch. */
	readonly since: number;
}

/**
 * Returns up to `limit` rows: the held rows, newest first, and then the dead rows, newest first. Dead rows of
 * growing answers are omitted: the row of the complete answer replaces such a row, or fails for the same reason.
 */
export async function readStuck(db: Tx, limit: number): Promise<StuckRow[]> {
	const rows = await db
		.selectFrom("outbox")
		.select(["id", "conversation", "lane", "state", "reason", "changed_at as since"])
		.where("state", "in", ["held", "dead"])
		.where((where) =>
			where.or([where("state", "=", "held"), where("session", "not like", `${growingCursor}%`)]),
		)
		.orderBy("state", "desc")
		.orderBy("position", "desc")
		.limit(limit)
		.execute();
	return rows.map((row) => ({
		...row,
		state: row.state === "held" ? "held" : "dead",
		reason: row.reason ?? postTexts.noReason,
	}));
}

const droppedBy = "dropped by ";

/** Holds all planned rows of a conversation. Resolves with their number. */
export async function pauseRows(
	tx: Tx,
	pausing: { readonly conversation: string; readonly reason: string; readonly now: number },
): Promise<number> {
	const { conversation, reason, now } = pausing;
	const result = await tx
		.updateTable("outbox")
		.set({ state: "held", reason, changed_at: now })
		.where("conversation", "=", conversation)
		.where("state", "=", "planned")
		.executeTakeFirstOrThrow();
	return Number(result.numUpdatedRows);
}

/**
 * Decision of a person about a held or dead row. A held row is sent as if it were planned at the time of the decision,
 * or dropped. A dead answer can only be sent, and only if no person has dropped it and no newer row has replaced it.
 * Before a dead answer is sent, the platform is searched for it, because the answer may have been posted.
 */
export interface Decision {
	readonly send: boolean;
	readonly by: string;
}

interface Decidable {
	readonly conversation: string;
	readonly state: "held" | "dead";
}

/**
 * Reads a row for the decision to send or to drop it. Rejects with `not_found` if the row is unknown, and with
 * `failed_precondition` if the row does not allow the decision.
 */
export async function readDecidable(db: Tx, id: string, send: boolean): Promise<Decidable> {
	const row = await db
		.selectFrom("outbox")
		.select(["conversation", "state", "lane", "card", "reason", "position"])
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined) throw new ParleyError(postTexts.unknown({ id }), { code: "not_found" });
	const { conversation, state, lane, card, reason, position } = row;
	if (state === "held") return { conversation, state };
	// A dropped row stays dropped, because a person has decided so.
	const isGivenUp = state === "dead" && lane === "final" && !reason?.startsWith(droppedBy);
	if (!send || !isGivenUp) {
		throw new ParleyError(postTexts.notDecidable({ id, send, state }), { code: "failed_precondition" });
	}
	if (card !== null && (await isReplaced(db, card, position))) {
		throw new ParleyError(postTexts.replaced({ id }), { code: "failed_precondition" });
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

/** Carries out a decision. The first of two concurrent decisions applies. */
export async function decideRow(tx: Tx, id: string, { send, by }: Decision, now: number): Promise<void> {
	const { state } = await readDecidable(tx, id, send);
	const released = { reason: `released by ${by}` };
	const decided = !send
		? { state: "dead" as const, reason: `${droppedBy}${by}` }
		: state === "held"
			? { ...released, state: "planned" as const, at: now }
			: // Keeps `at`, from which the lookup starts. With one attempt, the row has as many retries as a new row.
				{ ...released, state: "unknown" as const, attempts: 1 };
	await tx
		.updateTable("outbox")
		.set({ ...decided, changed_at: now })
		.where("id", "=", id)
		.execute();
	await forgetDecision(tx, id);
}

/**
 * Stores a decision of another process for the sending process. The first decision applies. Rejects with `not_found` if
 * the row is unknown. Rejects with `failed_precondition` if the row does not allow the decision, or if the first
 * decision is different.
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
	const message = postTexts.decided({ id, send: first.send === 1, by: first.by });
	throw new ParleyError(message, { code: "failed_precondition" });
}

/** Returns the stored decisions, the oldest first. */
export async function readDecisions(db: Tx): Promise<(Decision & { readonly id: string })[]> {
	const rows = await db.selectFrom("decisions").selectAll().orderBy("at").orderBy("id").execute();
	return rows.map(({ id, send, by }) => ({ id, send: send === 1, by }));
}

export async function forgetDecision(tx: Tx, id: string): Promise<void> {
	await tx.deleteFrom("decisions").where("id", "=", id).execute();
}

/**
 * Returns up to `limit` held or dead posts of a connector, as `readStuck` does; none if the connector has no database.
 * The connector may be running.
 */
export async function readStuckPosts(where: DatabaseLocation, limit: number): Promise<StuckRow[]> {
	const file = connectorDatabaseFile(where);
	if (!existsSync(file)) return [];
	return readSqliteFile<ConnectorTables, StuckRow[]>(file, (db) => readStuck(db, limit));
}

/**
 * Carries out a decision about a post while the connector is stopped. If the post is to be sent, it is sent after
 * the next start of the connector. The caller must hold the connector's lock. Rejects with `not_found` if the post
 * is unknown, and with `failed_precondition` if the post does not allow the decision.
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

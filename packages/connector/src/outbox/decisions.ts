import { ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
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

/** What a person has decided of a held row: it is sent after all, as new as the decision, or never. */
export interface Decision {
	readonly send: boolean;
	readonly by: string;
}

export async function readHeldConversation(db: Tx, id: string): Promise<string> {
	const row = await db
		.selectFrom("outbox")
		.select(["conversation", "state"])
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined) throw new ParleyError(`the outbox has no row ${id}`, { code: "not_found" });
	if (row.state === "held") return row.conversation;
	throw new ParleyError(`row ${id} is ${row.state}: only what is held waits for a decision`, {
		code: "failed_precondition",
	});
}

/** Of two people who decide at once the first one counts. */
export async function decideRow(tx: Tx, id: string, { send, by }: Decision, now: number): Promise<void> {
	await readHeldConversation(tx, id);
	const decided = send
		? { state: "planned" as const, reason: `released by ${by}`, at: now }
		: { state: "dead" as const, reason: `dropped by ${by}` };
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
	await readHeldConversation(tx, id);
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

import type { Store } from "@parley/base";
import { fromRow, type Tx } from "../journal/journal.ts";
import { insertStep } from "../journal/statements.ts";
import type { Tables } from "../journal/tables.ts";
import type { Message } from "../message.ts";
import type { Session } from "../session/session.ts";
import type { RunRow } from "./run.ts";
import type { Step } from "./step.ts";
import { messagesOf } from "./transcript.ts";

/** Messages that may wait behind the active run of a session. */
export const queueLimit = 32;

/** Makes the oldest queued run of the session the active one; undefined where none waits or one is active. */
export async function claimNext(tx: Tx, session: Session, now: number): Promise<RunRow | undefined> {
	const row = await tx
		.selectFrom("runs")
		.selectAll()
		.where("session_id", "=", session.id)
		.where("state", "<>", "ended")
		.orderBy("ordinal")
		.limit(1)
		.executeTakeFirst();
	if (row?.state !== "queued") return undefined;
	const trusted = session.trusted ? 1 : 0;
	await tx
		.updateTable("runs")
		.set({ state: "active", accept_all: trusted })
		.where("id", "=", row.id)
		.where("state", "=", "queued")
		.execute();
	await insertStep(tx, { runId: row.id, n: 0, at: now, data: JSON.stringify({ kind: "call" }) });
	return toRunRow({ ...row, accept_all: trusted });
}

/** The active run of a session, as a restart finds it. */
export async function findActive(db: Tx, sessionId: string): Promise<RunRow | undefined> {
	const row = await db
		.selectFrom("runs")
		.selectAll()
		.where("session_id", "=", sessionId)
		.where("state", "=", "active")
		.executeTakeFirst();
	return row && toRunRow(row);
}

/** The recorded steps of a run, in order. */
export async function readSteps(store: Store<Tables>, runId: string): Promise<Step[]> {
	const rows = await store.read((db) =>
		db.selectFrom("steps").select("data").where("run_id", "=", runId).orderBy("n").execute(),
	);
	return rows.map(({ data }) => fromRow<Step>(data));
}

/** What the model saw of a session before the run with this ordinal. */
export async function readHistory(
	store: Store<Tables>,
	sessionId: string,
	beforeOrdinal: number,
): Promise<Message[]> {
	const { runs, steps } = await store.read(async (db) => {
		const before = db
			.selectFrom("runs")
			.where("session_id", "=", sessionId)
			.where("ordinal", "<", beforeOrdinal);
		return {
			runs: await before.select(["id", "content"]).orderBy("ordinal").execute(),
			steps: await db
				.selectFrom("steps")
				.select(["run_id", "data"])
				.where("run_id", "in", before.select("id"))
				.orderBy("n")
				.execute(),
		};
	});
	const byRun = Map.groupBy(steps, (step) => step.run_id);
	return runs.flatMap(({ id, content }) => {
		const own = byRun.get(id) ?? [];
		// A queued message that was cancelled never reached the model.
		if (own.length === 0) return [];
		return messagesOf(
			content,
			own.map(({ data }) => fromRow<Step>(data)),
		);
	});
}

function toRunRow(row: {
	readonly id: string;
	readonly content: string;
	readonly accept_all: number;
	readonly cancel_requested: number;
	readonly ordinal: number;
}): RunRow {
	return {
		id: row.id,
		content: row.content,
		acceptAll: row.accept_all === 1,
		cancelRequested: row.cancel_requested === 1,
		ordinal: Number(row.ordinal),
	};
}

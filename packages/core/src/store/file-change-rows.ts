import type { ExpressionBuilder, Selectable } from "kysely";
import type { Tx } from "./journal.ts";
import { stamp, type Tables } from "./tables.ts";

export type FileChangeRow = Selectable<Tables["file_changes"]>;

export interface RunReference {
	readonly sessionId: string;
	readonly runId: string;
}

/**
 * A planned write of a file. `content` is the stored form of the content before the write, or null if the earlier
 * content is not stored.
 */
export interface WriteRow {
	readonly path: string;
	readonly before: { readonly hash: string; readonly mode: number | null; readonly size: number };
	readonly after: string;
	readonly content: string | null;
}

/**
 * Limits for one session: turns with recorded changes, and characters of stored content. Above a limit, the changes of
 * the oldest turns are deleted.
 */
export const changeLimits = { turns: 20, characters: 16 * 1024 * 1024 } as const;

/**
 * Records the start of a write. If the turn has written the file before, updates the file's record, which keeps the
 * content from before the turn.
 */
export async function insertWrite(
	tx: Tx,
	turn: RunReference,
	{ path, before, after, content }: WriteRow,
): Promise<void> {
	const known = await findChange(tx, turn, path);
	if (known) {
		const isForeign = ![known.after_hash, known.writing_from].includes(before.hash);
		await tx
			.updateTable("file_changes")
			.set({
				after_hash: after,
				writing_from: before.hash,
				interleaved: isForeign ? 1 : known.interleaved,
			})
			.where("session_id", "=", turn.sessionId)
			.where("run_id", "=", turn.runId)
			.where("n", "=", known.n)
			.execute();
		return;
	}
	const { last } = await ofTurn(tx, turn)
		.select((of) => of.fn.max("n").as("last"))
		.executeTakeFirstOrThrow();
	const hasRoom = await makeRoom(tx, turn, content?.length ?? 0);
	const stored = hasRoom ? content : null;
	await tx
		.insertInto("file_changes")
		.values({
			session_id: turn.sessionId,
			run_id: turn.runId,
			n: Number(last ?? 0) + 1,
			path,
			before_hash: before.hash,
			before_mode: before.mode,
			before_size: before.size,
			content: stored,
			stored: stored?.length ?? 0,
			after_hash: after,
			writing_from: before.hash,
			interleaved: 0,
			undone_by: null,
			...stamp,
		})
		.execute();
}

/**
 * Records the end of a write. A failed write leaves the file unchanged. Has no effect if another write of the same file
 * has started since the recorded write, for example by another sub-agent.
 */
export async function endWrite(
	tx: Tx,
	turn: RunReference,
	{ path, after }: { readonly path: string; readonly after: string },
	outcome: "written" | "failed",
): Promise<void> {
	const known = await findChange(tx, turn, path);
	if (!known || known.writing_from === null || known.after_hash !== after) return;
	await tx
		.updateTable("file_changes")
		.set({
			writing_from: null,
			after_hash: outcome === "failed" ? known.writing_from : known.after_hash,
		})
		.where("session_id", "=", turn.sessionId)
		.where("run_id", "=", turn.runId)
		.where("n", "=", known.n)
		.execute();
}

/**
 * Returns the id of the run of the session's newest turn with changes that are not undone. Returns undefined if there
 * is no such turn.
 */
export async function lastChangedTurn(db: Tx, sessionId: string): Promise<string | undefined> {
	const row = await db
		.selectFrom("file_changes")
		.innerJoin("runs", "runs.id", "file_changes.run_id")
		.select("runs.id")
		.where("file_changes.session_id", "=", sessionId)
		.where("file_changes.undone_by", "is", null)
		.where(hasEffect)
		.orderBy("runs.ordinal", "desc")
		.limit(1)
		.executeTakeFirst();
	return row?.id;
}

/**
 * Returns the changes of a turn, without changes that have no effect. The order is the order in which the turn first
 * wrote the files.
 */
export async function changesOf(db: Tx, turn: RunReference): Promise<FileChangeRow[]> {
	return await ofTurn(db, turn).where(hasEffect).selectAll().orderBy("n").execute();
}

/**
 * Returns the SQL condition for a change with an effect. Either the turn changed the content of the file, or the end of
 * the last write is unknown.
 */
function hasEffect({ or, eb }: ExpressionBuilder<Tables, "file_changes">) {
	return or([
		eb("file_changes.before_hash", "<>", eb.ref("file_changes.after_hash")),
		eb("file_changes.writing_from", "is not", null),
	]);
}

/** Records that a run has undone the turn, and deletes the stored content. */
export async function markUndone(tx: Tx, { sessionId, runId }: RunReference, by: string): Promise<void> {
	await tx
		.updateTable("file_changes")
		.set({ undone_by: by, content: null, stored: 0 })
		.where("session_id", "=", sessionId)
		.where("run_id", "=", runId)
		.execute();
}

function ofTurn(db: Tx, { sessionId, runId }: RunReference) {
	return db.selectFrom("file_changes").where("session_id", "=", sessionId).where("run_id", "=", runId);
}

async function findChange(db: Tx, turn: RunReference, path: string): Promise<FileChangeRow | undefined> {
	return await ofTurn(db, turn).selectAll().where("path", "=", path).executeTakeFirst();
}

/**
 * Deletes the changes of the session's oldest turns until a new change with `needed` characters fits the limits. Keeps
 * the changes of the turn itself. Returns false if the characters do not fit even then.
 */
async function makeRoom(tx: Tx, { sessionId, runId }: RunReference, needed: number): Promise<boolean> {
	const turns = await tx
		.selectFrom("file_changes")
		.innerJoin("runs", "runs.id", "file_changes.run_id")
		.select(["file_changes.run_id", "runs.ordinal", (of) => of.fn.sum("stored").as("stored")])
		.where("file_changes.session_id", "=", sessionId)
		.groupBy(["file_changes.run_id", "runs.ordinal"])
		.orderBy("runs.ordinal")
		.execute();
	let used = turns.reduce((sum, { stored }) => sum + Number(stored), 0);
	const others = turns.filter((turn) => turn.run_id !== runId);
	let count = others.length + 1;
	for (const { run_id, stored } of others) {
		if (used + needed <= changeLimits.characters && count <= changeLimits.turns) break;
		await tx
			.deleteFrom("file_changes")
			.where("session_id", "=", sessionId)
			.where("run_id", "=", run_id)
			.execute();
		used -= Number(stored);
		count -= 1;
	}
	return used + needed <= changeLimits.characters;
}

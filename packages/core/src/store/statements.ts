import { hotStatement } from "@parley/base";
import { type Kysely, type Selectable, sql } from "kysely";
import type { RunState, Tables } from "./tables.ts";
import { runHash, stepHash } from "./text-hash.ts";

/** Frequent statements, compiled once per engine. */

/**
 * Reserves the next `count` event numbers of a session. `last_seq` is the last reserved number. `previous` is the hash
 * of the event before the reserved numbers. `previous` is null if the session is empty or the event has no hash. On
 * PostgreSQL, `previous` is also null if the statement waited for another process, because the statement does not see
 * the events of that process. `readHash` then finds the hash.
 */
export const nextSeq = hotStatement<
	Tables,
	{ id: string; count: number; messages: number; updatedAt: number | null },
	{ last_seq: number; previous: string | null }
>((db, p) =>
	db
		.updateTable("sessions")
		.set((eb) => ({
			last_seq: eb("last_seq", "+", p("count")),
			message_count: eb("message_count", "+", p("messages")),
			// `updated_at` changes only if the events include a message.
			updated_at: sql<number>`coalesce(${p("updatedAt")}, updated_at)`,
		}))
		.where("id", "=", p("id"))
		.returning((eb) => [
			"last_seq",
			eb
				.selectFrom("events")
				.select("hash")
				.whereRef("session_id", "=", "sessions.id")
				.whereRef("seq", "=", eb("sessions.last_seq", "-", p("count")))
				.as("previous"),
		]),
);

export const readHash = hotStatement<Tables, { sessionId: string; seq: number }, { hash: string | null }>(
	(db, p) =>
		db
			.selectFrom("events")
			.select("hash")
			.where("session_id", "=", p("sessionId"))
			.where("seq", "=", p("seq")),
);

export const insertEvent = hotStatement<
	Tables,
	{ id: string; sessionId: string; seq: number; type: string; at: number; data: string; hash: string }
>((db, p) =>
	db.insertInto("events").values({
		id: p("id"),
		session_id: p("sessionId"),
		seq: p("seq"),
		type: p("type"),
		at: p("at"),
		data: p("data"),
		hash: p("hash"),
		epoch: 1,
		v: 1,
	}),
);

interface NewStep {
	readonly runId: string;
	readonly n: number;
	readonly at: number;
	readonly data: string;
}

const insertHashedStep = hotStatement<Tables, NewStep & { hash: string }>((db, p) =>
	db
		.insertInto("steps")
		.values({ run_id: p("runId"), n: p("n"), at: p("at"), data: p("data"), hash: p("hash"), epoch: 1, v: 1 }),
);

export function insertStep(tx: Kysely<Tables>, { runId, n, at, data }: NewStep): Promise<unknown> {
	return insertHashedStep(tx, { runId, n, at, data, hash: stepHash({ runId, n, data }) });
}

interface AddedMessage {
	readonly ordinal: number;
	readonly content: string;
	readonly actor: string | null;
	readonly context: string | null;
}

/** Removes and returns the waiting messages of a run. */
export const deleteSteers = hotStatement<Tables, { runId: string }, AddedMessage>((db, p) =>
	db
		.deleteFrom("steers")
		.where("run_id", "=", p("runId"))
		.returning(["ordinal", "content", "actor", "context"]),
);

/** Returns the open questions of a run. With the state as a parameter, SQLite would plan the statement at each use. */
export const openQuestions = hotStatement<Tables, { runId: string }, { token: string; call_id: string }>(
	(db, p) =>
		db
			.selectFrom("prompts")
			.select(["token", "call_id"])
			.where("run_id", "=", p("runId"))
			.where(sql<boolean>`state = 'open'`),
);

/**
 * Records the principal that stopped the open runs of a session. If another principal already stopped a run, that
 * principal stays recorded for the run.
 */
export const noteStop = hotStatement<Tables, { sessionId: string; by: string }>((db, p) =>
	db
		.updateTable("runs")
		.set(({ fn, val }) => ({ cancelled_by: fn.coalesce("cancelled_by", val(p("by"))) }))
		.where("session_id", "=", p("sessionId"))
		.where(sql<boolean>`state <> 'ended'`),
);

const selectStop = hotStatement<Tables, { id: string }, { cancelled_by: string | null }>((db, p) =>
	db.selectFrom("runs").select("cancelled_by").where("id", "=", p("id")),
);

/** Returns the principal that stopped a run. Returns undefined if no stop was requested or recorded. */
export async function stopperOf(tx: Kysely<Tables>, id: string): Promise<string | undefined> {
	const [row] = await selectStop(tx, { id });
	return row?.cancelled_by ?? undefined;
}

export const markRunEnded = hotStatement<Tables, { id: string; at: number }>((db, p) =>
	db
		.updateTable("runs")
		.set({ state: "ended", ended_at: p("at") })
		.where("id", "=", p("id")),
);

/** Adds the tokens of a run to its session. */
export const addTokens = hotStatement<
	Tables,
	{ sessionId: string; inputTokens: number; outputTokens: number }
>((db, p) =>
	db
		.updateTable("sessions")
		.set((eb) => ({
			input_tokens: eb("input_tokens", "+", p("inputTokens")),
			output_tokens: eb("output_tokens", "+", p("outputTokens")),
		}))
		.where("id", "=", p("sessionId")),
);

export const oldestOpenRun = hotStatement<Tables, { sessionId: string }, Selectable<Tables["runs"]>>(
	(db, p) =>
		db
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", p("sessionId"))
			.where(sql<boolean>`state <> 'ended'`)
			// With a plain column, SQLite would read all runs of the session in the order of their ordinals, including
			// ended runs.
			.orderBy(sql`ordinal + 0`)
			// With a parameter, SQLite would prepare the statement again at each use.
			.limit(sql.lit(1)),
);

/**
 * Counts the runs of a session. `open` is the number of runs that have not ended, and `ordinal` the highest ordinal of
 * all runs. `ordinal` is null if the session has no runs.
 */
export const countRuns = hotStatement<
	Tables,
	{ sessionId: string },
	{ ordinal: number | null; open: number | null }
>((db, p) =>
	db.selectNoFrom((eb) => [
		eb
			.selectFrom("runs")
			.select((run) => run.fn.max<number | null>("ordinal").as("ordinal"))
			.where("session_id", "=", p("sessionId"))
			.as("ordinal"),
		eb
			.selectFrom("runs")
			.select((run) => run.fn.countAll<number>().as("open"))
			.where("session_id", "=", p("sessionId"))
			// The condition is a literal, because SQLite uses a partial index only for a literal condition.
			.where(sql<boolean>`state <> 'ended'`)
			.as("open"),
	]),
);

interface NewRunRow {
	readonly id: string;
	readonly sessionId: string;
	readonly ordinal: number;
	readonly state: RunState;
	readonly content: string;
	readonly images: string | null;
	readonly retryOf: string | null;
	readonly attachments: string | null;
	readonly correlation: string | null;
	readonly actor: string | null;
	readonly options: string | null;
	readonly context?: string | null;
	readonly acceptAll: number;
	readonly at: number;
}

export function insertRun(tx: Kysely<Tables>, run: NewRunRow): Promise<unknown> {
	return insertHashedRun(tx, { ...run, context: run.context ?? null, hash: runHash(run) });
}

const insertHashedRun = hotStatement<Tables, Required<NewRunRow> & { hash: string }>((db, p) =>
	db.insertInto("runs").values({
		id: p("id"),
		session_id: p("sessionId"),
		ordinal: p("ordinal"),
		state: p("state"),
		content: p("content"),
		images: p("images"),
		retry_of: p("retryOf"),
		attachments: p("attachments"),
		correlation: p("correlation"),
		actor: p("actor"),
		options: p("options"),
		context: p("context"),
		accept_all: p("acceptAll"),
		cancel_requested: 0,
		created_at: p("at"),
		ended_at: null,
		hash: p("hash"),
		epoch: 1,
		v: 1,
	}),
);

import type { Selectable } from "kysely";
import type { BackgroundCommand, CommandEnding } from "../vocabulary/commands/background-command.ts";
import type { Tx } from "./journal.ts";
import { stamp, type Tables } from "./tables.ts";

export type CommandRow = Selectable<Tables["background_commands"]>;

interface NewCommand {
	readonly sessionId: string;
	readonly runId: string;
	readonly callId: string;
	readonly command: string;
	/** Start time in milliseconds since the epoch. */
	readonly at: number;
}

/** Inserts a running command. Returns the number of the command: the highest number in the session plus 1. */
export async function insertCommand(
	tx: Tx,
	{ sessionId, runId, callId, command, at }: NewCommand,
): Promise<number> {
	const { last } = await tx
		.selectFrom("background_commands")
		.select((of) => of.fn.max("n").as("last"))
		.where("session_id", "=", sessionId)
		.executeTakeFirstOrThrow();
	const n = Number(last ?? 0) + 1;
	const row = { session_id: sessionId, n, run_id: runId, call_id: callId, command, started_at: at };
	await tx
		.insertInto("background_commands")
		.values({ ...row, ended_at: null, reason: null, code: null, informed: 0, ...stamp })
		.execute();
	return n;
}

/**
 * Records the end of a command. Returns false if an end was already recorded, or if the command was deleted with its
 * session.
 */
export async function endCommand(
	tx: Tx,
	{ sessionId, n }: { readonly sessionId: string; readonly n: number },
	{ reason, code }: CommandEnding,
	at: number,
): Promise<boolean> {
	const { numUpdatedRows } = await tx
		.updateTable("background_commands")
		.set({ ended_at: at, reason, code })
		.where("session_id", "=", sessionId)
		.where("n", "=", n)
		.where("ended_at", "is", null)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/**
 * Returns at most `limit` commands of a session, newest first. If the session has more than `limit` commands, running
 * commands have priority over ended commands.
 */
export async function listCommands(db: Tx, sessionId: string, limit: number): Promise<BackgroundCommand[]> {
	const rows = await db
		.selectFrom("background_commands")
		.selectAll()
		.where("session_id", "=", sessionId)
		.orderBy(({ eb }) => eb.case().when("ended_at", "is", null).then(0).else(1).end())
		.orderBy("n", "desc")
		.limit(limit)
		.execute();
	return rows.map(commandOf).toSorted((a, b) => b.n - a.n);
}

export async function findCommand(db: Tx, sessionId: string, n: number): Promise<CommandRow | undefined> {
	const found = db.selectFrom("background_commands").selectAll().where("session_id", "=", sessionId);
	return await found.where("n", "=", n).executeTakeFirst();
}

/** Returns the commands without a recorded end, from all sessions. */
export async function openCommands(db: Tx): Promise<CommandRow[]> {
	return await db.selectFrom("background_commands").selectAll().where("ended_at", "is", null).execute();
}

/**
 * Returns the commands that the next run of a session must report to the model. These are all running commands, and
 * each ended command if no run has reported its end.
 */
export async function commandsForRun(db: Tx, sessionId: string): Promise<BackgroundCommand[]> {
	const rows = await db
		.selectFrom("background_commands")
		.selectAll()
		.where("session_id", "=", sessionId)
		.where("informed", "=", 0)
		.orderBy("n")
		.execute();
	return rows.map(commandOf);
}

/** Marks the ended commands in `known` as known to the model. Ignores running commands. */
export async function markInformed(
	tx: Tx,
	sessionId: string,
	known: readonly BackgroundCommand[],
): Promise<void> {
	const ended = known.filter(({ ending }) => ending !== undefined).map(({ n }) => n);
	if (ended.length === 0) return;
	await tx
		.updateTable("background_commands")
		.set({ informed: 1 })
		.where("session_id", "=", sessionId)
		.where("n", "in", ended)
		.execute();
}

export function commandOf({ n, command, started_at, ended_at, reason, code }: CommandRow): BackgroundCommand {
	const started = { n: Number(n), command, startedAt: Number(started_at) };
	if (ended_at === null || reason === null) return started;
	return {
		...started,
		endedAt: Number(ended_at),
		ending: { reason, code: code === null ? null : Number(code) },
	};
}

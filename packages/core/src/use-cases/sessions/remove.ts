import { type Logger, ParleyError } from "@parley/base";
import type { BackgroundCommands } from "../../conversation/commands/background-commands.ts";
import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { Workspaces } from "../../conversation/workspaces.ts";
import { removeFilesOf } from "../../files/file-rows.ts";
import type { Files } from "../../files/files.ts";
import { answerOf, type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { deleteMemoriesOfChannel } from "../../store/memory-rows.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { unknownSession } from "../../vocabulary/authorize.ts";
import { endStates } from "../../vocabulary/task.ts";
import { type CancelPorts, cancelTurn } from "../messages/cancel.ts";
import { sessionTexts } from "./texts.ts";

export interface RemovePorts extends CancelPorts {
	readonly audit: Audit;
	readonly files: Files;
	readonly log: Logger;
	readonly workspaces: Workspaces;
	readonly sessions: Sessions;
	readonly commands: BackgroundCommands;
}

/**
 * Deletes a session with its content, including its workspace if no fork uses the workspace. Deletes the notes of the
 * session's channel if the channel has no other session. The usage of the session remains in the gateway's totals, and
 * files in a working directory outside the workspaces remain. If a run or a task has not ended, throws
 * `failed_precondition`. With `force`, cancels the open runs of the session and of its tasks instead. A repeated request
 * with the same key has no effect.
 */
export async function removeSession(
	ports: RemovePorts,
	request: Keyed,
	{ sessionId, force }: { readonly sessionId: string; readonly force: boolean },
): Promise<void> {
	// For a repeated request, `lease` would throw, because the session has already been deleted.
	if (await ports.journal.store.read((db) => answerOf(db, request, ports))) return;
	using lease = await ports.sessions.lease(request.principal, sessionId, "session.delete");
	const { session } = lease;
	let deleted: Deletion = { sessions: [], files: [] };
	let workspace: string | undefined;
	for (let busy = true; busy; ) {
		await session.end(async (tx) => {
			busy = await isBusy(tx, session, force);
			if (busy) return false;
			const { repeated } = await once(tx, request, ports, async () => {
				if (session.removed) throw unknownSession(sessionId);
				deleted = await removeRows(tx, sessionId);
				workspace = await ports.workspaces.unused(tx, session);
				const entry = { action: "session.delete", object: sessionId, decision: "deleted", args: { force } };
				await ports.audit.record(tx, { ...requestedBy(request.principal), ...entry });
				await forgetChannel(tx, ports, request, session);
			});
			return !repeated;
		});
		if (busy && !force) throw refused();
		if (busy) await stopAll(ports, session, request);
	}
	await ports.commands.forget(sessionId);
	for (const id of deleted.sessions) ports.sessions.evict(id);
	if (workspace !== undefined) {
		await ports.workspaces.remove(workspace).catch((error: unknown) => {
			ports.log.warn(sessionTexts.workspaceNotRemoved, { sessionId, error });
		});
	}
	await ports.files.unlink(deleted.files);
}

async function forgetChannel(
	tx: Tx,
	{ audit }: RemovePorts,
	{ principal }: Keyed,
	{ place }: Session,
): Promise<void> {
	if (place === undefined) return;
	const other = tx.selectFrom("sessions").select("id").where("place", "=", place).limit(1);
	if (await other.executeTakeFirst()) return;
	const count = await deleteMemoriesOfChannel(tx, place);
	if (count === 0) return;
	const entry = { action: "memory.forget", object: place, decision: "deleted", args: { count } };
	await audit.record(tx, { ...requestedBy(principal), ...entry });
}

/**
 * Whether the session has unfinished runs or tasks. If `force` is true, considers only runs and tasks that
 * this process executes.
 */
async function isBusy(tx: Tx, session: Session, force: boolean): Promise<boolean> {
	if (force && (session.live.size > 0 || session.working.size > 0)) return true;
	if (force) return false;
	if (await hasOpenTasks(tx, session.id)) return true;
	const open = await tx
		.selectFrom("runs")
		.select("id")
		.where("session_id", "=", session.id)
		.where("state", "<>", "ended")
		.limit(1)
		.executeTakeFirst();
	return open !== undefined || session.live.size > 0;
}

function refused(): ParleyError {
	const message = sessionTexts.busy;
	return new ParleyError(message, { code: "failed_precondition" });
}

/**
 * Cancels the runs of the session and of its tasks. Waits only for runs that this process executes. New
 * messages may arrive meanwhile.
 */
async function stopAll(ports: RemovePorts, session: Session, request: Keyed): Promise<void> {
	await cancelTurn(ports, session, { ...request, key: undefined }, { queued: true });
	const ofTasks = [...session.working].flatMap(({ live }) => [...live.values()]);
	const runs = [...session.live.values(), ...ofTasks];
	for (const run of runs) run.cancel();
	await Promise.all(runs.map(({ ended }) => ended));
}

async function hasOpenTasks(tx: Tx, id: string): Promise<boolean> {
	const open = tx.selectFrom("tasks").select("id").where("session_id", "=", id);
	return (await open.where("state", "not in", endStates).limit(1).executeTakeFirst()) !== undefined;
}

const tablesOfSessions = [
	"events",
	"prompts",
	"grants",
	"secrets",
	"compactions",
	"feedback",
	"search_texts",
	"system_prompts",
	"read_messages",
	"background_commands",
	"file_changes",
] as const;

/**
 * Ids of the deleted sessions and of their files. After the commit, the sessions are removed from memory, and the files
 * from the disk.
 */
interface Deletion {
	readonly sessions: readonly string[];
	readonly files: readonly string[];
}

/** Deletes the rows of the session, and the rows of its tasks' own sessions. */
async function removeRows(tx: Tx, id: string): Promise<Deletion> {
	const tasks = await tx.selectFrom("tasks").select("own_session_id").where("session_id", "=", id).execute();
	const ofTasks: Deletion[] = [];
	for (const { own_session_id } of tasks) ofTasks.push(await removeRows(tx, own_session_id));
	const own = tx.selectFrom("tasks").select("id").where("session_id", "=", id);
	await tx.deleteFrom("task_needs").where("task_id", "in", own).execute();
	await tx.deleteFrom("tasks").where("session_id", "=", id).execute();
	const runs = tx.selectFrom("runs").select("id").where("session_id", "=", id);
	for (const table of ["steps", "steers"] as const) {
		await tx.deleteFrom(table).where("run_id", "in", runs).execute();
	}
	for (const table of tablesOfSessions) await tx.deleteFrom(table).where("session_id", "=", id).execute();
	for (const table of ["usage_days", "budgets"] as const) {
		await tx.deleteFrom(table).where("scope", "=", id).execute();
	}
	const files = await removeFilesOf(tx, id);
	// A schedule with an external key stays, and continues in the next session that is created with that key.
	await tx.deleteFrom("schedules").where("session_id", "=", id).where("external_key", "is", null).execute();
	await tx.deleteFrom("runs").where("session_id", "=", id).execute();
	await tx.deleteFrom("sessions").where("id", "=", id).execute();
	return {
		sessions: [id, ...ofTasks.flatMap(({ sessions }) => sessions)],
		files: [...files, ...ofTasks.flatMap((child) => child.files)],
	};
}

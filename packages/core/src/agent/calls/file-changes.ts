import { readChanges, storeContent } from "../../conversation/turn-changes.ts";
import { endWrite, insertWrite, markUndone, type RunReference } from "../../store/file-change-rows.ts";
import type { Tx } from "../../store/journal.ts";
import type { ChangeRecorder, UndoAccess } from "../../vocabulary/file-change.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { SecretBox } from "../../vocabulary/secrets.ts";
import { callsOf } from "../../vocabulary/transcript.ts";
import type { Run } from "../run/run.ts";

/**
 * Returns the recorder of file writes by a run. Writes of a sub-agent or skill step are recorded for the run that
 * started that sub-agent or step. Writes of other tasks are not recorded.
 */
export function changeRecorderOf(run: Run, secrets: SecretBox): ChangeRecorder {
	return {
		async begin({ path, before, after }) {
			const turn = await turnOf(run);
			if (turn === undefined) return;
			const content = before.content === undefined ? null : storeContent(secrets, turn, path, before.content);
			const { fingerprint: hash, mode = null, size } = before;
			await run.commit(({ tx }) =>
				insertWrite(tx, turn, { path, before: { hash, mode, size }, after, content }),
			);
		},
		async end(write, outcome) {
			await run.reach("file-written");
			const turn = await turnOf(run);
			if (turn !== undefined) await run.commit(({ tx }) => endWrite(tx, turn, write, outcome));
		},
	};
}

/** Returns access to the changes of the turn that an undo call undoes, or undefined for other calls. */
export function undoAccessOf(run: Run, call: CallBlock, secrets: SecretBox): UndoAccess | undefined {
	const { undo } = run.row.options;
	if (!undo || !isOwn(run, call)) return undefined;
	const turn = { sessionId: run.session.id, runId: undo.turn };
	return {
		turn: undo.turn,
		read: () => run.journal.store.read((db) => readChanges(db, turn, secrets)),
		restored: async () => run.reach("file-restored"),
		done: () => run.commit(({ tx }) => markUndone(tx, turn, run.id)),
	};
}

/**
 * Whether the operator made the call, in the first reply of the run. False for calls of a model, which may answer later
 * messages of the run.
 */
function isOwn({ steps }: Run, { id }: CallBlock): boolean {
	const first = steps.find(({ kind }) => kind === "reply");
	return first?.kind === "reply" && first.model === "" && callsOf(first.content).some((own) => own.id === id);
}

/**
 * Returns the turn that contains the changes of the run. Returns undefined for a run of a task in the background,
 * because no turn contains such a run.
 */
async function turnOf({ id, session, journal }: Run): Promise<RunReference | undefined> {
	if (!session.task) return { sessionId: session.id, runId: id };
	const { taskId, home } = session.task;
	const runId = await journal.store.read((db) => spawningRun(db, taskId, home.id));
	return runId === undefined ? undefined : { sessionId: home.id, runId };
}

async function spawningRun(db: Tx, taskId: string, sessionId: string): Promise<string | undefined> {
	const row = await db
		.selectFrom("tasks")
		.innerJoin("runs", "runs.id", "tasks.spawn_call")
		.select("runs.id")
		.where("tasks.id", "=", taskId)
		.where("runs.session_id", "=", sessionId)
		.executeTakeFirst();
	return row?.id;
}

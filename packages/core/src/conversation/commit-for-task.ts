import { ParleyError } from "@parley/base";
import type { Tx } from "../store/journal.ts";
import { commitTogether } from "./commit-together.ts";
import type { Record, Session } from "./session.ts";
import { isToldAtHome, isUntold, type TaskHold } from "./task-hold.ts";

/**
 * Runs one command of a task's conversation as one transaction, with the promises of `Session.commit` there and in the
 * session that owns the task, which is told what its people are to know. Throws `aborted` where another worker has taken
 * the task over: nothing of the command has happened then.
 */
export function commitForTask<T>(
	session: Session,
	task: TaskHold,
	work: (tx: Tx, record: Record) => Promise<T>,
): Promise<T> {
	const { home } = task;
	return commitTogether(session.deps.journal.store, [session, home], async (tx, recordIn) => {
		if (session.removed || home.removed) {
			throw new ParleyError(`task not found: ${task.taskId}`, { code: "not_found" });
		}
		await task.keep(tx);
		return work(tx, async (...events) => {
			const recorded = [];
			for (const event of events.filter((event) => !isUntold(task, event)))
				recorded.push(...(await recordIn(isToldAtHome(event) ? home : session, event)));
			return recorded;
		});
	});
}

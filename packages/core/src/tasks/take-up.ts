import { fromRow } from "../journal/journal.ts";
import type { Person } from "../principal.ts";
import { findActive } from "../run/queue.ts";
import type { RunRow } from "../run/run.ts";
import { enqueue } from "../session/send.ts";
import type { Session } from "../session/session.ts";
import { progressOf } from "./progress.ts";
import { findTask } from "./read-tasks.ts";
import { hasEnded } from "./task.ts";
import { planOf, type TaskRow } from "./task-rows.ts";

interface Taken {
	readonly run: RunRow;
	readonly resumed: boolean;
}

/**
 * The run of a task, made where there is none; people are told that it is at work. Of a task that has ended the run that
 * is left is cancelled; undefined where none is.
 */
export async function takeUp(session: Session, row: TaskRow): Promise<Taken | undefined> {
	const { clock } = session.deps;
	return session.commit(async (tx, record) => {
		const { id: taskId, title, description } = row;
		const known = await findActive(tx, session.id);
		const { state } = (await findTask(tx, taskId)) ?? row;
		if (hasEnded(state)) return known && { run: { ...known, cancelRequested: true }, resumed: true };
		if (row.announce) {
			const now = clock.now();
			await tx
				.updateTable("tasks")
				.set((eb) => ({
					announce: null,
					started_at: eb.fn.coalesce("started_at", eb.val(now)),
					updated_at: now,
				}))
				.where("id", "=", taskId)
				.execute();
			await record({ type: `task.${row.announce}`, taskId, title });
		}
		if (known) return { run: known, resumed: true };
		const parentId = row.parent_id ?? "";
		await record({ type: "worker.started", taskId, parentId, title, agent: row.agent });
		if (!planOf(row))
			await record({ type: "task.progress", taskId, progress: progressOf(title, undefined, false) });
		const content = `${title}\n\n${description}`;
		const actor = row.actor === null ? undefined : fromRow<Person>(row.actor);
		const asked = { content, images: [], retryOf: undefined, correlation: taskId, ...(actor && { actor }) };
		const { run } = await enqueue(tx, session, asked, row.accept_all === 1);
		await record({ type: "user.message", runId: run.id, content });
		await record({ type: "worker.phased", taskId, phase: "thinking" });
		return { run, resumed: false };
	});
}

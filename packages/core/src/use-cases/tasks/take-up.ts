import type { RecordEvents } from "../../conversation/commit.ts";
import { findActive, type RunRow } from "../../conversation/queue.ts";
import type { Services } from "../../conversation/services.ts";
import type { Session } from "../../conversation/session.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { isStep, planOf, type TaskRow } from "../../store/task-rows.ts";
import { phaseOf } from "../../vocabulary/ooda.ts";
import type { Person } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { hasEnded, progressOf } from "../../vocabulary/task.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { enqueue } from "../messages/send.ts";

interface Taken {
	readonly run: RunRow;
	readonly resumed: boolean;
}

/** A worker is told in the words of an agent, whoever asked for the task in the first place. */
const handedOn = "(Handed on by the agent of the task that this is a part of.)\n";

/**
 * The run of a task, made where there is none; people are told that it is at work. Of a task that has ended the run that
 * is left is cancelled; undefined where none is.
 */
export async function takeUp(services: Services, session: Session, row: TaskRow): Promise<Taken | undefined> {
	const { clock } = services;
	return session.commit(async (tx, record) => {
		const { id: taskId, title } = row;
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
		return { run: await begin(services, { tx, record }, session, row), resumed: false };
	});
}

/** Writes the run of a task that nobody has worked on yet. */
async function begin(
	services: Services,
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
	session: Session,
	row: TaskRow,
): Promise<RunRow> {
	const { id: taskId, title, description } = row;
	const parentId = row.parent_id ?? "";
	await record({ type: "worker.started", taskId, parentId, title, agent: row.agent });
	if (!planOf(row)) {
		// Its first model call is still to come.
		const usage = { ...noUsage, cost: 0 };
		await record({ type: "task.progress", taskId, progress: progressOf(title, undefined, false), usage });
	}
	const content = `${title}\n\n${row.parent_id === null ? "" : handedOn}${description}`;
	const actor = row.actor === null ? undefined : fromRow<Person>(row.actor);
	const asked = {
		...{ content, images: [], retryOf: undefined, correlation: taskId, ...(actor && { actor }) },
		options: await optionsOf(tx, row),
	};
	const { run } = await enqueue(services, tx, session, { ...asked, trusted: session.trusted });
	await record({ type: "user.message", runId: run.id, content });
	const ooda = phaseOf(asked.options, []);
	await record({ type: "worker.phased", taskId, phase: "thinking", ...(ooda && { ooda }) });
	return run;
}

/** A step of a workflow is as strict as the run of the workflow, and works in its mode. */
async function optionsOf(tx: Tx, row: TaskRow): Promise<RunOptions> {
	if (!isStep(row)) return {};
	const run = await tx
		.selectFrom("runs")
		.select("options")
		.where("id", "=", row.spawn_call)
		.executeTakeFirst();
	if (!run?.options) return {};
	const { ask, onDenied, start, reasoning, mode, budget, origin } = fromRow<RunOptions>(run.options);
	return {
		...(ask && { ask }),
		...(onDenied && { onDenied }),
		...(start && { start }),
		...(reasoning && { reasoning }),
		...(mode && { mode }),
		...(budget && { budget }),
		// A schedule has no grants, and its steps have none.
		...(origin && { origin }),
	};
}

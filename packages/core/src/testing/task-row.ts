import type { Tx } from "../store/journal.ts";
import { sessionRow } from "../store/session-row.ts";
import { stamp } from "../store/tables.ts";
import type { TaskRow } from "../store/task-rows.ts";

/** Inserts a task, by default of the session `sess_home`, and the task's own session. */
export async function insertTaskRow(
	tx: Tx,
	{
		id,
		needs = [],
		...fields
	}: Partial<TaskRow> & { readonly id: string; readonly needs?: readonly string[] },
): Promise<TaskRow> {
	const row: TaskRow = {
		id,
		session_id: "sess_home",
		own_session_id: `sess_${id}`,
		parent_id: null,
		spawn_call: null,
		retry_of: null,
		depth: 0,
		submitted_by: "operator",
		actor: null,
		title: `title of ${id}`,
		description: "do it",
		tools: "[]",
		priority: 1,
		agent: "default",
		model: null,
		autonomy: "supervised",
		state: "pending",
		announce: "started",
		plan: null,
		review: null,
		suspend_count: 0,
		retry_count: 0,
		max_retries: 3,
		not_before: 0,
		worked_ms: 0,
		speakers: null,
		worker: null,
		lease_until: 0,
		output: "",
		error: "",
		created_at: 1,
		updated_at: 1,
		started_at: null,
		ended_at: null,
		...stamp,
		epoch: 0,
		...fields,
	};
	const facts = {
		id: row.own_session_id,
		owner: "operator",
		external_key: null,
		title: row.title,
		titled_by: "person" as const,
		root_dir: "/",
		profile: row.agent,
		place: null,
	};
	await tx
		.insertInto("sessions")
		.values({ ...sessionRow(facts, 1), task_id: id })
		.execute();
	await tx.insertInto("tasks").values(row).execute();
	for (const need of needs)
		await tx
			.insertInto("task_needs")
			.values({ task_id: id, needs: need, ...stamp })
			.execute();
	return row;
}

export async function insertOpenRun(tx: Tx, { id, own_session_id }: TaskRow): Promise<void> {
	await tx
		.insertInto("runs")
		.values({
			id: `run_${id}`,
			session_id: own_session_id,
			ordinal: 1,
			state: "active",
			content: "",
			images: null,
			attachments: null,
			retry_of: null,
			correlation: null,
			actor: null,
			accept_all: 0,
			cancel_requested: 0,
			created_at: 1,
			ended_at: null,
			...stamp,
		})
		.execute();
}

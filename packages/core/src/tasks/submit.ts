import { ParleyError } from "@parley/base";
import type { Recorded, RecordedEvent } from "../event.ts";
import type { Tx } from "../journal/journal.ts";
import { stamp } from "../journal/tables.ts";
import { actingId, type Principal } from "../principal.ts";
import type { Session } from "../session/session.ts";
import { sessionRow } from "../session/session-row.ts";
import { findTaint } from "../session/session-taint.ts";
import { endStates, type NewTask, priorities, type TaskState } from "./task.ts";
import type { TaskRow } from "./task-rows.ts";

/** Tasks of a session that may be open at a time. */
const mostOpen = 100;

/** A task that was checked: what it names is there, and its submitter may use it. */
export interface CheckedTask extends NewTask {
	readonly tools: readonly string[];
	readonly agent: string;
	readonly maxRetries: number;
}

/** Where a task comes from, beside its submitter. */
export interface TaskOrigin {
	readonly acceptAll: boolean;
	/** The task that spawns it as a worker, and the call that does. */
	readonly parent?: TaskRow;
	readonly spawnCall?: string;
	readonly retryOf?: string;
	readonly submittedBy: string;
	readonly actor: string | null;
}

/** What a submitter passes on to the task. */
export function originOf(principal: Principal, home: Session): TaskOrigin {
	const { person } = principal;
	return {
		acceptAll: home.trusted,
		submittedBy: actingId(principal),
		actor: person ? JSON.stringify(person) : null,
	};
}

/** A task that was written, and what observers are told of its conversation once that is durable. */
export interface InsertedTask {
	readonly row: TaskRow;
	readonly created: readonly Recorded[];
}

/** Writes a task with its conversation, and tells the session that owns it. */
export async function insertTask(
	tx: Tx,
	record: (...events: RecordedEvent[]) => Promise<unknown>,
	home: Session,
	{ wanted, origin }: { readonly wanted: CheckedTask; readonly origin: TaskOrigin },
): Promise<InsertedTask> {
	await refuseTooMany(tx, home);
	const { ids, clock, journal } = home.deps;
	const [now, id, own] = [clock.now(), ids.create("task"), ids.create("sess")];
	const row = taskRow({ id, own, now, home }, wanted, origin);
	await tx
		.insertInto("sessions")
		.values(await conversationRow(tx, home, row, origin))
		.execute();
	const created = await journal.append(tx, own, [{ type: "session.created" }]);
	await tx.insertInto("tasks").values(row).execute();
	for (const needs of new Set(wanted.dependsOn ?? [])) {
		await tx
			.insertInto("task_needs")
			.values({ task_id: id, needs, ...stamp })
			.execute();
	}
	const { title, description } = row;
	await record({ type: "task.created", taskId: id, title, description, parentId: row.parent_id ?? "" });
	return { row, created };
}

function taskRow(
	{
		id,
		own,
		now,
		home,
	}: { readonly id: string; readonly own: string; readonly now: number; readonly home: Session },
	wanted: CheckedTask,
	origin: TaskOrigin,
): TaskRow {
	const { redactor } = home;
	const { parent } = origin;
	return {
		...{ id, session_id: home.id, own_session_id: own, parent_id: parent?.id ?? null },
		...{ spawn_call: origin.spawnCall ?? null, retry_of: origin.retryOf ?? null },
		depth: parent ? parent.depth + 1 : 0,
		...{ submitted_by: origin.submittedBy, actor: origin.actor, accept_all: origin.acceptAll ? 1 : 0 },
		...{ title: redactor.redact(wanted.title), description: redactor.redact(wanted.description) },
		tools: JSON.stringify(wanted.tools),
		priority: priorities.indexOf(wanted.priority ?? "normal"),
		...{ agent: wanted.agent, model: wanted.model ?? null, autonomy: wanted.autonomy ?? "supervised" },
		...{ state: "pending" satisfies TaskState, announce: "started", plan: null, review: null },
		...{ suspend_count: 0, retry_count: 0, max_retries: wanted.maxRetries, not_before: 0 },
		...{ worker: null, lease_until: 0, output: "", error: "" },
		...{ created_at: now, updated_at: now, started_at: null, ended_at: null },
		...stamp,
		// No claim has this number: the first one counts it up.
		epoch: 0,
	};
}

/** It works where its owner works, and has seen what its owner has seen. */
async function conversationRow(
	tx: Tx,
	home: Session,
	row: TaskRow,
	{ parent }: TaskOrigin,
): Promise<ReturnType<typeof sessionRow>> {
	const facts = {
		...{ id: row.own_session_id, owner: home.owner, external_key: null },
		...{ title: row.title, titled_by: "person" as const, root_dir: home.rootDir },
		...{ profile: row.agent, place: home.place ?? null },
	};
	const taint = await findTaint(tx, parent?.own_session_id ?? home.id);
	return { ...sessionRow(facts, Number(row.created_at)), task_id: row.id, model: row.model, taint };
}

async function refuseTooMany(tx: Tx, { id }: Session): Promise<void> {
	const open = await tx
		.selectFrom("tasks")
		.select(({ fn }) => fn.countAll<number>().as("open"))
		.where("session_id", "=", id)
		.where("state", "not in", endStates)
		.executeTakeFirst();
	if (Number(open?.open ?? 0) < mostOpen) return;
	const message = `session busy: ${mostOpen} tasks are open already; wait for some of them, or cancel them`;
	throw new ParleyError(message, { code: "resource_exhausted" });
}

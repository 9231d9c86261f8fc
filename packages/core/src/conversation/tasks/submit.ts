import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { Journal, Tx } from "../../store/journal.ts";
import { sessionRow } from "../../store/session-row.ts";
import { findTaint, taintOfMessage } from "../../store/session-taint.ts";
import { stamp } from "../../store/tables.ts";
import { isStep, type TaskRow } from "../../store/task-rows.ts";
import type { Recorded, RecordedEvent } from "../../vocabulary/event.ts";
import { actingId, type Person, type Principal } from "../../vocabulary/principal.ts";
import { joinTaints, type Taint } from "../../vocabulary/taint.ts";
import { endStates, type NewTask, priorities, type TaskState } from "../../vocabulary/task.ts";
import type { Session } from "../session.ts";
import { taskStateTexts } from "./texts.ts";

/** Maximum open tasks of one session. `maxOpenOfPerson`: maximum open tasks of one chat user in all sessions. */
const maxOpen = 100;
const maxOpenOfPerson = 20;

/** A checked task. All names in the task exist, and the submitter may use them. */
export interface CheckedTask extends NewTask {
	readonly tools: readonly string[];
	readonly agent: string;
	readonly maxRetries: number;
}

export interface TaskOrigin {
	/** Taint of the submitter's text. */
	readonly taint: Taint;
	/**
	 * The task that starts this worker. A step of a workflow has no parent, but `spawnCall` is the id of the workflow's
	 * run.
	 */
	readonly parent?: TaskRow;
	readonly spawnCall?: string;
	/** Workers on which this worker may depend. */
	readonly siblings?: readonly string[];
	readonly retryOf?: string;
	readonly submittedBy: string;
	readonly actor: string | null;
	/** Other chat users whose requests the task works on. */
	readonly participants?: readonly Person[];
}

/**
 * Suffix of `submitted_by` for a task that an agent submitted, and for the workers of such a task. No grant covers
 * calls of a task with this suffix.
 */
const throughAgent = taskStateTexts.throughAgent;

export function isThroughAgent(submittedBy: string): boolean {
	return submittedBy.endsWith(throughAgent);
}

export function originOf(principal: Principal): TaskOrigin {
	const { person, through } = principal;
	return {
		taint: taintOfMessage(principal, person),
		submittedBy: `${actingId(principal)}${through === undefined ? "" : throughAgent}`,
		actor: person ? JSON.stringify(person) : null,
	};
}

/** A stored task, and the events of the task's own session. Observers receive these events after the commit. */
export interface InsertedTask {
	readonly row: TaskRow;
	readonly created: readonly Recorded[];
}

/** Stores a task with its conversation. Records `task.created` in the owning session, except for a workflow step. */
export async function insertTask(
	{ ids, clock, journal }: { readonly ids: Ids; readonly clock: Clock; readonly journal: Journal },
	{ tx, record }: { readonly tx: Tx; readonly record: (...events: RecordedEvent[]) => Promise<unknown> },
	home: Session,
	{ requested, origin }: { readonly requested: CheckedTask; readonly origin: TaskOrigin },
): Promise<InsertedTask> {
	await refuseTooMany(tx, home, origin);
	await refuseNeeds(tx, home, requested.dependsOn ?? [], origin.siblings);
	const [now, id, own] = [clock.now(), ids.create("task"), ids.create("sess")];
	const row = taskRow({ id, own, now, home }, requested, origin);
	await tx
		.insertInto("sessions")
		.values(await conversationRow(tx, home, row, origin))
		.execute();
	const created = await journal.append(tx, own, [{ type: "session.created" }]);
	await tx.insertInto("tasks").values(row).execute();
	for (const needs of new Set(requested.dependsOn ?? [])) {
		await tx
			.insertInto("task_needs")
			.values({ task_id: id, needs, ...stamp })
			.execute();
	}
	const { title, description } = row;
	// A step of a workflow has a `skill.step.started` event instead of a task event.
	if (!isStep(row)) {
		const parentId = row.parent_id ?? "";
		const by = origin.parent ? undefined : origin.submittedBy;
		await record({ type: "task.created", taskId: id, title, description, parentId, ...defined({ by }) });
	}
	return { row, created };
}

function taskRow(
	{
		id,
		own,
		now,
		home,
	}: { readonly id: string; readonly own: string; readonly now: number; readonly home: Session },
	requested: CheckedTask,
	origin: TaskOrigin,
): TaskRow {
	const { redactor } = home;
	const { parent } = origin;
	return {
		id,
		session_id: home.id,
		own_session_id: own,
		parent_id: parent?.id ?? null,
		spawn_call: origin.spawnCall ?? null,
		retry_of: origin.retryOf ?? null,
		depth: parent ? parent.depth + 1 : 0,
		submitted_by: origin.submittedBy,
		actor: origin.actor,
		title: redactor.redact(requested.title),
		description: redactor.redact(requested.description),
		tools: JSON.stringify(requested.tools),
		priority: priorities.indexOf(requested.priority ?? "normal"),
		agent: requested.agent,
		model: requested.model ?? null,
		autonomy: requested.autonomy ?? "supervised",
		state: "pending" satisfies TaskState,
		announce: "started",
		plan: null,
		review: null,
		suspend_count: 0,
		retry_count: 0,
		max_retries: requested.maxRetries,
		not_before: 0,
		worked_ms: 0,
		speakers: origin.participants ? JSON.stringify(origin.participants) : null,
		worker: null,
		lease_until: 0,
		output: "",
		error: "",
		created_at: now,
		updated_at: now,
		started_at: null,
		ended_at: null,
		...stamp,
		// No claim has the epoch 0, because the first claim increments the epoch.
		epoch: 0,
	};
}

/**
 * Returns the row for the task's own session. The taint of this session includes the taint of the parent task's
 * session, or of the owning session if there is no parent task.
 */
async function conversationRow(
	tx: Tx,
	home: Session,
	row: TaskRow,
	{ parent, taint: addedTaint }: TaskOrigin,
): Promise<ReturnType<typeof sessionRow>> {
	const facts = {
		id: row.own_session_id,
		owner: home.owner,
		external_key: null,
		title: row.title,
		titled_by: "person" as const,
		root_dir: home.rootDir,
		profile: row.agent,
		place: home.place ?? null,
	};
	const before = await findTaint(tx, parent?.own_session_id ?? home.id);
	const taint = joinTaints([before, addedTaint]);
	return { ...sessionRow(facts, Number(row.created_at)), task_id: row.id, model: row.model, taint };
}

/**
 * Throws if too many tasks are open. Separate limits apply to tasks of one session, to workers of one session, and to
 * tasks of one chat user in all sessions.
 */
async function refuseTooMany(
	tx: Tx,
	{ id }: Session,
	{ parent, actor, submittedBy }: TaskOrigin,
): Promise<void> {
	const open = tx
		.selectFrom("tasks")
		.select(({ fn }) => fn.countAll<number>().as("open"))
		.where("state", "not in", endStates)
		.where("parent_id", parent ? "is not" : "is", null);
	const inSession = await open.where("session_id", "=", id).executeTakeFirst();
	if (Number(inSession?.open ?? 0) >= maxOpen) {
		const { busy, tooManyOpen, tooManyWorkers } = taskStateTexts;
		throw tooMany(parent ? tooManyWorkers(maxOpen) : busy(tooManyOpen(maxOpen)));
	}
	if (parent || actor === null) return;
	const ofPerson = await open.where("submitted_by", "=", submittedBy).executeTakeFirst();
	if (Number(ofPerson?.open ?? 0) < maxOpenOfPerson) return;
	throw tooMany(taskStateTexts.busy(taskStateTexts.tooManyOfPerson(submittedBy, maxOpenOfPerson)));
}

function tooMany(message: string): ParleyError {
	return new ParleyError(message, { code: "resource_exhausted" });
}

/**
 * Throws `invalid_argument` for a dependency that is not allowed, has failed or was cancelled. Locks the row of each
 * dependency until the transaction ends, so that a dependency that fails concurrently finds the dependent task.
 */
async function refuseNeeds(
	tx: Tx,
	home: Session,
	needs: readonly string[],
	among?: readonly string[],
): Promise<void> {
	for (const id of needs) {
		const row = await tx
			.updateTable("tasks")
			.set((eb) => ({ updated_at: eb.ref("updated_at") }))
			.where("id", "=", id)
			.returning(["session_id", "state"])
			.executeTakeFirst();
		const shown = JSON.stringify(id.slice(0, 100));
		if (among && !among.includes(id)) throw invalid(taskStateTexts.notYourWorker(shown));
		if (row?.session_id !== home.id) throw invalid(taskStateTexts.notOfSession(shown));
		if (row.state === "failed") throw invalid(taskStateTexts.hasFailed(shown));
		if (row.state === "cancelled") throw invalid(taskStateTexts.hasBeenCancelled(shown));
	}
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

import { defined, definedItems, type Failpoints, type Ids, ParleyError } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import type { Session } from "../../conversation/session.ts";
import type { Lease, Sessions } from "../../conversation/sessions.ts";
import { endTask } from "../../conversation/tasks/end-task.ts";
import { describeTask, findTask, listTasks } from "../../conversation/tasks/read-tasks.ts";
import { insertTask, originOf } from "../../conversation/tasks/submit.ts";
import { taskTexts } from "../../conversation/texts.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import { fromRow, type Journal, type Tx } from "../../store/journal.ts";
import { addTaint, taintOfMessage } from "../../store/session-taint.ts";
import { reviewOf, type TaskRow, taskParticipants } from "../../store/task-rows.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { type Action, authorize, isAuthorized } from "../../vocabulary/authorize.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import { actingId, type Principal, visibleSessions } from "../../vocabulary/principal.ts";
import {
	hasEnded,
	type NewTask,
	priorities,
	type ReviewReply,
	type TaskFacts,
	type TaskFilter,
} from "../../vocabulary/task.ts";
import { checkTask, type TaskChoice } from "./check-task.ts";
import type { TaskRunner } from "./task-runner.ts";
import { taskRefusalTexts } from "./texts.ts";

export interface TasksOptions extends KeyServices {
	readonly journal: Journal;
	readonly ids: Ids;
	readonly audit: Audit;
	readonly observers: Observers;
	readonly failpoints: Failpoints;
	readonly sessions: Sessions;
	readonly runner: TaskRunner;
	readonly choice: TaskChoice;
	/** Throws if the gateway accepts no further work. */
	readonly admit: () => void;
}

/** A submitted task. `notes` lists, as text for people, the default tools that the session does not have. */
export interface Submitted {
	readonly id: string;
	readonly notes: readonly string[];
}

/**
 * Manages background tasks. Every method checks whether the principal has the permission in the session that owns the
 * task.
 */
export class Tasks {
	readonly #options: TasksOptions;

	constructor(options: TasksOptions) {
		this.#options = options;
	}

	/** Submits a task of a session. The task is durable before the promise resolves. */
	async submit(request: Keyed, sessionId: string, requested: NewTask): Promise<Submitted> {
		this.#options.admit();
		using lease = await this.#options.sessions.lease(request.principal, sessionId, "task.submit");
		return this.#submit(request, lease.session, { requested });
	}

	/** Submits an ended task again as a new task. Throws `failed_precondition` if the task has not ended. */
	async retry(request: Keyed, taskId: string): Promise<Submitted> {
		this.#options.admit();
		const { row, lease } = await this.#borrow(request.principal, taskId, "task.submit");
		using lock = lease;
		if (!hasEnded(row.state)) throw wrongState(row, taskRefusalTexts.onlyEnded);
		const { title, description, autonomy } = row;
		const requested = {
			title,
			description,
			autonomy,
			tools: fromRow<string[]>(row.tools),
			agent: row.agent,
			priority: priorities[row.priority] ?? "normal",
			...defined({ model: row.model ?? undefined }),
		};
		return this.#submit(request, lock.session, { requested, retryOf: row.id });
	}

	/**
	 * Returns the public facts of a task. Throws `not_found` for an unknown task, and for a task that the principal may not
	 * see.
	 */
	async check(principal: Principal, taskId: string): Promise<TaskFacts> {
		const { row, lease } = await this.#borrow(principal, taskId, "task.read");
		lease[Symbol.dispose]();
		const facts = await this.#options.journal.store.read((db) => describeTask(db, row));
		if (!facts) throw unknownTask(taskId);
		return facts;
	}

	/** Returns the tasks that the principal may see, newest first. */
	async list(principal: Principal, filter: TaskFilter): Promise<TaskFacts[]> {
		const { sessions, journal } = this.#options;
		authorize(principal, "task.read");
		if (filter.sessionId !== undefined) {
			(await sessions.lease(principal, filter.sessionId, "task.read"))[Symbol.dispose]();
		}
		const all = isAuthorized(principal, "task.read", { owner: "" });
		return journal.store.read((db) => listTasks(db, all ? undefined : visibleSessions(principal), filter));
	}

	/** Ends a task with all its workers, and returns the resulting state. Does not change an ended task. */
	async cancel(request: Keyed, taskId: string, reason: string): Promise<TaskRow["state"]> {
		const { lease, row } = await this.#borrow(request.principal, taskId, "task.control");
		using lock = lease;
		const { session: home } = lock;
		let ended: string[] = [];
		const outcome = await home.commit((tx, record) =>
			once(tx, request, this.#options, async () => {
				ended = [];
				const now = (await findTask(tx, taskId)) ?? row;
				if (hasEnded(now.state)) return now.state;
				const by = actingId(request.principal);
				const shownReason = home.redactor.redact(reason === "" ? taskRefusalTexts.cancelledBy(by) : reason);
				const end = { state: "cancelled" as const, reason: shownReason, by };
				ended = await endTask({ tx, now: this.#options.clock.now(), record }, now, end);
				await this.#audit(tx, request, taskId, ["cancel", "cancelled"]);
				return "cancelled" as const;
			}),
		);
		this.#options.runner.stopEnded(ended);
		for (const id of ended) home.wake(id);
		return outcome.response;
	}

	/**
	 * Records the answer to the review question of a suspended task. The task continues when a slot is free. Throws
	 * `failed_precondition` if the task is not suspended, or if `token` is not the token of the open question.
	 */
	async reply(
		request: Keyed,
		taskId: string,
		{
			approved,
			feedback,
			token,
		}: { readonly approved: boolean; readonly feedback: string; readonly token?: string },
	): Promise<void> {
		const { lease } = await this.#borrow(request.principal, taskId, "task.control");
		using lock = lease;
		const { session: home } = lock;
		await home.commit((tx, _record) =>
			once(tx, request, this.#options, async () => {
				const row = await writeReply(tx, home, this.#options.clock.now(), {
					taskId,
					by: request.principal,
					approved,
					feedback,
					token,
				});
				await this.#audit(tx, request, taskId, ["reply", approved ? "approved" : "revise"]);
				await addTaint(tx, row.own_session_id, taintOfMessage(request.principal, request.principal.person));
				return null;
			}),
		);
		this.#options.runner.wake();
	}

	async #submit(
		request: Keyed,
		home: Session,
		{ requested, retryOf }: { readonly requested: NewTask; readonly retryOf?: string },
	): Promise<Submitted> {
		if (home.taskId !== undefined) throw wrongState(undefined, taskRefusalTexts.noTasksInTask);
		const checked = checkTask(home, requested, this.#options.choice);
		// A repeated request does not await the promise. A rejection must then have no effect.
		checked.catch(() => undefined);
		let created: readonly Recorded[] = [];
		const outcome = await home.commit((tx, record) =>
			once(tx, request, this.#options, async () => {
				const { task, notes } = await checked;
				const origin = { ...originOf(request.principal), ...defined({ retryOf }) };
				const inserted = await insertTask(this.#options, { tx, record }, home, { requested: task, origin });
				created = inserted.created;
				const { id } = inserted.row;
				await this.#audit(tx, request, id, [retryOf === undefined ? "submit" : "retry", "submitted"]);
				return { id, notes };
			}),
		);
		for (const event of created) this.#options.observers.notify(event, home.owner);
		await this.#options.failpoints.reach("task-submitted");
		this.#options.runner.wake();
		return outcome.response;
	}

	/**
	 * Resolves with the row of the task and a lease of the session that owns the task. Throws `not_found` for an unknown
	 * task, and for a task that the principal may not see.
	 */
	async #borrow(
		principal: Principal,
		taskId: string,
		action: Action,
	): Promise<{ readonly row: TaskRow; readonly lease: Lease }> {
		const { journal, sessions } = this.#options;
		const row = await journal.store.read((db) => findTask(db, taskId));
		if (!row) throw unknownTask(taskId);
		try {
			return { row, lease: await sessions.lease(principal, row.session_id, action) };
		} catch (reason) {
			throw ParleyError.from(reason).code === "not_found" ? unknownTask(taskId) : reason;
		}
	}

	async #audit(tx: Tx, { principal }: Keyed, object: string, [action, decision]: Audited): Promise<void> {
		await this.#options.audit.record(tx, {
			...requestedBy(principal),
			action: `task.${action}`,
			object,
			decision,
		});
	}
}

type Audited = readonly [action: "submit" | "retry" | "cancel" | "reply", decision: string];

interface Replying {
	readonly taskId: string;
	readonly by: Principal;
	readonly approved: boolean;
	readonly feedback: string;
	/** Token of the answered question. Default: the current question. */
	readonly token: string | undefined;
}

async function writeReply(
	tx: Tx,
	{ redactor }: Session,
	now: number,
	{ taskId, by, approved, feedback, token }: Replying,
): Promise<TaskRow> {
	const row = await findTask(tx, taskId);
	const review = row && reviewOf(row);
	if (row?.state !== "suspended" || !review) throw wrongState(row, taskRefusalTexts.onlySuspended);
	if (token !== undefined && token !== review.token) {
		throw new ParleyError(taskRefusalTexts.otherQuestion, {
			code: "failed_precondition",
		});
	}
	const { person } = by;
	const answer = { approved, feedback: redactor.redact(feedback), by: actingId(by) };
	const reply: ReviewReply = { ...answer, ...defined({ person }) };
	const participants = definedItems([...taskParticipants(row), person]);
	await tx
		.updateTable("tasks")
		.set({
			state: "pending",
			announce: "resumed",
			not_before: 0,
			review: JSON.stringify({ ...review, reply }),
			updated_at: now,
			...defined({ speakers: participants.length > 0 ? JSON.stringify(participants) : undefined }),
		})
		.where("id", "=", taskId)
		.where("state", "=", "suspended")
		.execute();
	return row;
}

function unknownTask(id: string): ParleyError {
	return new ParleyError(taskTexts.notFound(id.slice(0, 100)), { code: "not_found" });
}

function wrongState(row: TaskRow | undefined, reason: string): ParleyError {
	const shown = row?.state === "waiting" ? "running" : row?.state;
	const state = row ? `task ${row.id} is ${shown}: ` : "";
	return new ParleyError(`${state}${reason}`, { code: "failed_precondition" });
}

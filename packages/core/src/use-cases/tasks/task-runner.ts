import { type Clock, defined, type Ids, type Logger, ParleyError, type Timer } from "@parley/base";
import type { Runner } from "../../agent/runner.ts";
import { workflowsIn } from "../../agent/workflow/progress.ts";
import type { RecordEvents } from "../../conversation/commit.ts";
import { findActive, type RunRow } from "../../conversation/queue.ts";
import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import {
	type Claim,
	claimEnded,
	claimTask,
	leaseMs,
	nextClaim,
	releaseAll,
	releaseClaim,
} from "../../conversation/tasks/claim.ts";
import { conversationsAbove, findTask } from "../../conversation/tasks/read-tasks.ts";
import { type CheckedTask, isThroughAgent } from "../../conversation/tasks/submit.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { isStep, planOf, type TaskRow } from "../../store/task-rows.ts";
import type { Person } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { phaseOf } from "../../vocabulary/run-options.ts";
import type { WorkStep } from "../../vocabulary/skill.ts";
import type { Step } from "../../vocabulary/step.ts";
import { hasEnded, type NewWorker, progressOf } from "../../vocabulary/task.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { enqueue } from "../messages/send.ts";
import { ActiveTask, type ActiveTaskServices } from "./active-task.ts";
import { taskRefusalTexts } from "./texts.ts";

/**
 * Milliseconds between checks for open tasks, because another process may have stopped. If other processes
 * use the store, the checks continue without an open task, because another process may submit a task.
 */
const checkMs = 15_000;
const pauseAfterFailureMs = 5_000;

export interface TaskRunnerOptions extends ActiveTaskServices {
	readonly log: Logger;
	readonly sessions: Sessions;
	readonly runner: Runner;
	/** Maximum concurrent tasks. */
	readonly limit: number;
	/** Whether only this process uses the store. If so, all claims are free when the process starts. */
	readonly alone: boolean;
	readonly check: (row: TaskRow, requested: NewWorker) => Promise<CheckedTask>;
}

/**
 * Claims tasks and executes their runs. The limit of concurrent tasks does not count tasks that wait for a person. It
 * does not apply to ended tasks with open runs.
 */
export class TaskRunner {
	readonly #options: TaskRunnerOptions;
	readonly #worker: string;
	readonly #working = new Map<string, { session?: Session }>();
	readonly #done = new Set<Promise<void>>();
	#timer: Timer | undefined;
	#filling: Promise<void> | undefined;
	#again = false;
	#state: "new" | "started" | "stopped" = "new";

	constructor(options: TaskRunnerOptions) {
		this.#options = options;
		this.#worker = options.ids.create("worker");
		options.observers.addRecorded(({ event }) => {
			// The task waits from now on, so its slot is free.
			if (event.type === "prompt.requested" && event.prompt.taskId !== undefined)
				setImmediate(() => this.wake());
		});
	}

	/** Continues interrupted tasks and claims pending tasks. */
	async start(): Promise<void> {
		const { journal, alone } = this.#options;
		if (alone) await journal.store.commit(releaseAll);
		if (this.#state === "new") this.#state = "started";
		this.wake();
	}

	/**
	 * Stops claiming tasks. Resolves when all active tasks have stopped. Does not stop the runs of these tasks, because
	 * `drain` stops them.
	 */
	async stop(): Promise<void> {
		this.#state = "stopped";
		this.#timer?.cancel();
		await this.#filling;
		await Promise.all(this.#done);
	}

	/** Checks for tasks to claim. Does nothing before `start` and after `stop`. */
	wake(): void {
		if (this.#state !== "started") return;
		this.#again = true;
		this.#filling ??= this.#fill().finally(() => {
			this.#filling = undefined;
			// `wake` was called during the last check.
			if (this.#again) this.wake();
		});
	}

	/** Cancels those runs of the ended tasks `ids` that this process executes, and claims ended tasks with open runs. */
	stopEnded(ids: readonly string[]): void {
		for (const id of ids) {
			// If the run of a task has not started, the process notices the end of the task when the run starts.
			for (const run of this.#working.get(id)?.session?.live.values() ?? []) run.cancel();
		}
		// The open run of an unclaimed task ends only after a process has claimed the task.
		this.wake();
	}

	async #fill(): Promise<void> {
		const { log, limit } = this.#options;
		while (this.#again && this.#state === "started") {
			this.#again = false;
			try {
				await this.#startAll(claimEnded, Number.POSITIVE_INFINITY);
				await this.#startAll(claimTask, limit);
				await this.#wait();
			} catch (error) {
				log.error(taskRefusalTexts.notClaimed, { error });
				this.#setTimer(pauseAfterFailureMs);
			}
		}
	}

	async #startAll(claim: typeof claimTask, max: number): Promise<void> {
		const { clock, journal } = this.#options;
		while (this.#state === "started" && this.#atWork() < max) {
			const claimer = { worker: this.#worker, now: clock.now(), except: [...this.#working.keys()] };
			const row = await journal.store.commit((tx) => claim(tx, claimer));
			if (!row) return;
			this.#begin(row);
		}
	}

	/** Returns the number of occupied slots. A task that waits for a person occupies no slot. */
	#atWork(): number {
		const waits = (session: Session | undefined): boolean =>
			[...(session?.live.values() ?? [])].some(({ waiting }) => waiting);
		return [...this.#working.values()].filter(({ session }) => !waits(session)).length;
	}

	async #wait(): Promise<void> {
		const { journal, clock, limit, alone } = this.#options;
		if (this.#atWork() >= limit) return;
		const due = await journal.store.read(nextClaim);
		// Other processes submit tasks without notifying this process.
		if (due === undefined && !alone) this.#setTimer(checkMs);
		if (due === undefined) return;
		// A due task that was not claimed above belongs to another process, so the pause is at least 50 ms.
		this.#setTimer(Math.min(checkMs, Math.max(50, due - clock.now())));
	}

	#setTimer(ms: number): void {
		this.#timer?.cancel();
		if (this.#state === "started") this.#timer = this.#options.clock.after(ms, () => this.wake());
	}

	#begin(row: TaskRow): void {
		const claim = { taskId: row.id, worker: this.#worker, epoch: Number(row.epoch) };
		const entry: { session?: Session } = {};
		this.#working.set(row.id, entry);
		const { log } = this.#options;
		const work = this.#work(row, claim, entry)
			.catch((error: unknown) => {
				// The task can be claimed again when its lease has expired.
				const level = ParleyError.from(error).code === "not_found" ? "debug" : "error";
				log[level](taskRefusalTexts.cannotRun, { taskId: row.id, error });
			})
			.finally(() => {
				this.#working.delete(row.id);
				this.#done.delete(work);
				this.wake();
			});
		this.#done.add(work);
	}

	async #work(row: TaskRow, claim: Claim, entry: { session?: Session }): Promise<void> {
		const { sessions, journal, clock, ids, log, runner } = this.#options;
		using homeLease = await sessions.leaseOwn(row.session_id);
		using ownLease = await sessions.leaseOwn(row.own_session_id);
		const [home, session] = [homeLease.session, ownLease.session];
		const activeTask = await this.#activate(row, claim, { home, session });
		session.workOn(activeTask);
		entry.session = session;
		const renewal = this.#renewClaim(claim, activeTask, session);
		try {
			const started = await beginOrResume({ clock, ids }, session, row);
			if (!started) return;
			const { run, resumed } = started;
			home.working.add(session);
			if (resumed) await runner.resume(session, run);
			else runner.start(session, run);
			await session.live.get(run.id)?.ended;
			activeTask.afterEnd();
			// A run that lost the claim ends without an event. Any of its commits may detect the loss, so the loss is
			// logged only here.
			if (activeTask.lost) log.warn(taskRefusalTexts.claimedElsewhereLog, { taskId: row.id });
		} finally {
			renewal.cancel();
			home.working.delete(session);
			session.workOn(undefined);
			// A task that stopped with the gateway continues at the next start.
			if (this.#state === "stopped") await journal.store.commit((tx) => releaseClaim(tx, claim));
		}
	}

	async #activate(
		row: TaskRow,
		claim: Claim,
		{ home, session }: { readonly home: Session; readonly session: Session },
	): Promise<ActiveTask> {
		const { journal, clock, ids, observers, check } = this.#options;
		const above = await journal.store.read((db) => conversationsAbove(db, row));
		return new ActiveTask({
			row,
			claim,
			home,
			session,
			services: { journal, clock, ids, observers },
			above,
			check,
			tools: fromRow<string[]>(row.tools),
			onWork: () => this.wake(),
			onEnded: (ids) => this.stopEnded(ids),
		});
	}

	/**
	 * Renews the claim until the returned timer is cancelled. Renews three times per lease, because a model or
	 * tool call can take longer than a lease.
	 */
	#renewClaim(claim: Claim, activeTask: ActiveTask, session: Session): Timer {
		const { clock, journal, log } = this.#options;
		let stopped = false;
		const renew = async (): Promise<void> => {
			try {
				await journal.store.commit((tx) => activeTask.renew(tx));
			} catch (error) {
				if (!activeTask.lost)
					log.warn(taskRefusalTexts.notStored, { taskId: claim.taskId, sessionId: session.id, error });
			}
			if (!stopped) timer = clock.after(leaseMs / 3, () => void renew());
		};
		let timer = clock.after(leaseMs / 3, () => void renew());
		return {
			cancel: () => {
				stopped = true;
				timer.cancel();
			},
		};
	}
}

interface StartedRun {
	readonly run: RunRow;
	readonly resumed: boolean;
}

/** Notes for the model: an agent assigned the work, not a person. */
const handedOn = taskRefusalTexts.byTask;
const delegatedNote = taskRefusalTexts.byConversation;

interface BeginPorts {
	readonly clock: Clock;
	readonly ids: Ids;
}

/**
 * Resumes the run of the task, or creates a missing run. If `announce` is set, records the event that it names. For an
 * ended task, returns the task's open run as cancelled, or undefined if no run is open.
 */
async function beginOrResume(
	services: BeginPorts,
	session: Session,
	row: TaskRow,
): Promise<StartedRun | undefined> {
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

async function begin(
	services: BeginPorts,
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
	session: Session,
	row: TaskRow,
): Promise<RunRow> {
	const { id: taskId, title, description } = row;
	const parentId = row.parent_id ?? "";
	await record({ type: "worker.started", taskId, parentId, title, agent: row.agent });
	if (!planOf(row)) {
		// The run has made no model call, so its usage is zero.
		const usage = { ...noUsage, cost: 0 };
		await record({ type: "task.progress", taskId, progress: progressOf(title, undefined, false), usage });
	}
	const options = await optionsOf(tx, row);
	const assigned = row.parent_id !== null ? handedOn : options.delegated ? delegatedNote : "";
	const content = `${title}\n\n${assigned}${description}`;
	const actor = row.actor === null ? undefined : fromRow<Person>(row.actor);
	const newRun = {
		content,
		images: [],
		retryOf: undefined,
		correlation: taskId,
		...defined({ actor }),
		options,
	};
	const { run } = await enqueue(services, tx, session, { ...newRun, trusted: session.trusted });
	await record({ type: "user.message", runId: run.id, content });
	const ooda = phaseOf(newRun.options, []);
	await record({ type: "worker.phased", taskId, phase: "thinking", ...defined({ ooda }) });
	return run;
}

/**
 * Returns the options for the run of a task. A step of a workflow gets the restrictions of the workflow's
 * run. Unless the step is delegated, it also gets the mode, reasoning level and budget of that run.
 */
async function optionsOf(tx: Tx, row: TaskRow): Promise<RunOptions> {
	if (!isStep(row)) return isThroughAgent(row.submitted_by) ? { through: "agent" } : {};
	const run = await tx
		.selectFrom("runs")
		.select("options")
		.where("id", "=", row.spawn_call)
		.executeTakeFirst();
	const options = run?.options ? fromRow<RunOptions>(run.options) : {};
	const { ask, onDenied, start, reasoning, mode, budget, origin, through } = options;
	const strictness = defined({ ask, onDenied, start, origin, through });
	const { delegated, title: name } = (await findStep(tx, row)) ?? {};
	if (!delegated || name === undefined) return { ...strictness, ...defined({ reasoning, mode, budget }) };
	const { rulesOf, modelCalls, workingMs, tokens, cost } = delegated;
	return {
		...strictness,
		budget: { tokens, ...defined({ cost }) },
		delegated: { name, rulesOf, modelCalls, workingMs },
	};
}

async function findStep(tx: Tx, { id, spawn_call }: TaskRow): Promise<WorkStep | undefined> {
	const rows = await tx
		.selectFrom("steps")
		.select("data")
		.where("run_id", "=", spawn_call)
		.orderBy("n")
		.execute();
	const workflows = workflowsIn(rows.map(({ data }) => fromRow<Step>(data)));
	return workflows.map((workflow) => workflow.stepOf(id)).find((step) => step !== undefined);
}

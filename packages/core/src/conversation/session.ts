import type { Clock, Logger, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import type { Journal, Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { SessionRedactor, type TextRedactor } from "../text/session-redactor.ts";
import type { Audit } from "../trust/audit/audit.ts";
import { endTrust, isTrustValid, type SessionTrust } from "../trust/grants/session-trust.ts";
import { unknownSession } from "../vocabulary/authorize.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";
import type { Person } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { TaskAccess } from "../vocabulary/task.ts";
import type { RunTranscript } from "../vocabulary/transcript.ts";
import { commitForTask, commitTogether, EventBus, type Listener, type RecordEvents } from "./commit.ts";
import type { Observers } from "./observers.ts";

/**
 * Judges arguments that a person changed in a call that waits for approval. `binding` is the binding of the open
 * prompt. If `narrows` is true, the changed call must stay within the action classes of the displayed call. Returns the
 * binding and the question of the changed call. Throws `invalid_argument` if the prompt must stay open.
 */
export type ChangeJudge = (args: unknown, binding: string, narrows: boolean) => Promise<JudgedChange>;

/** A judged call with changed arguments. A person may approve this call. */
export interface JudgedChange {
	readonly binding: string;
	/** Label and details of the question for the changed call. */
	readonly shown: Pick<Prompt, "label" | "approval">;
}

/** Key of a compaction in `Session.live`. */
export const compactionId = "compaction";

export interface LiveRun {
	readonly id: string;
	/** Logger that adds the session id and, for a run, the run id to each line. */
	readonly log: Logger;
	cancel(): void;
	/**
	 * Stops the run, which continues at the next start of the gateway or after the next claim of its task. `ended` resolves
	 * when the run has stopped.
	 */
	park(): void;
	/** Whether the run is only waiting, for example for a person's answer, a retry or workflow steps. */
	readonly waiting: boolean;
	/** Milliseconds of work since the start or continuation of the run, without waits. */
	readonly workedMs: number;
	/** Version of the policy that currently applies to calls of the run. */
	readonly policyVersion: string;
	/** Judges of changed arguments. Key: id of a call that waits for approval. */
	readonly changes: ReadonlyMap<string, ChangeJudge>;
	readonly ended: Promise<void>;
}

/**
 * Row of a session with its system prompt. The system prompt is stored at the first model call of the session.
 */
export type SessionRow = Selectable<Tables["sessions"]> & { readonly system_prompt?: string | null };

export interface TaskRunEnd {
	readonly error: string;
	readonly content: string;
	/** Principal that stopped the run. */
	readonly stoppedBy?: string;
}

/** Records events of the task or its conversation in the current transaction. */
type RecordTask = (...events: RecordedEvent[]) => Promise<unknown>;

/** A task that this process has claimed. Every transaction of the task's session renews the claim. */
export interface SessionTask {
	readonly taskId: string;
	/** The session that owns the task. The task asks people questions in this session. */
	readonly home: Session;
	/** Additional sessions to which the usage of the task is added. */
	readonly accounts: readonly string[];
	/** Names of the tools that the submitter allowed for the task. */
	readonly tools: readonly string[];
	/** Chat users who have replied to the task, and other chat users whose requests the task works on. */
	readonly participants: readonly Person[];
	/** Milliseconds of work before the current claim. */
	readonly workedMs: number;
	readonly supervised: boolean;
	readonly spawns: boolean;
	/** Whether the task is a step of a workflow. If so, it has `skill.step` events instead of `task` events. */
	readonly isStep: boolean;
	/** Returns the operations that the task tools use in one call of a run. */
	access(run: { readonly session: Session; park(): void }, callId: string): TaskAccess;
	/** Renews the claim. Throws `aborted` if the claim is lost. */
	renew(tx: Tx): Promise<void>;
	/** Records the end of the task in the transaction that ends the run of the task. */
	end(tx: Tx, record: RecordTask, end: TaskRunEnd): Promise<void>;
	/**
	 * Postpones the task after a possibly temporary fault. Returns true if the run must stop and continue later. `spend`
	 * counts the usage of the failed model call. It is called before the event about the postponement is recorded.
	 */
	putOff(
		writing: { readonly tx: Tx; readonly record: RecordTask },
		failure: ParleyError,
		spend: () => Promise<void>,
	): Promise<boolean>;
}

export interface SessionParts {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly observers: Observers;
	/** Redacts the secrets of the gateway. */
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	/** Start time of this process, in milliseconds since the epoch. */
	readonly startedAt: number;
	/** Whether the gateway is shutting down. If so, a disconnect does not mean that a client has left. */
	readonly stopping: () => boolean;
}

/**
 * One session. `commit` changes its durable state, which is in the store. Subscribers and active runs are only in
 * memory.
 */
export class Session {
	readonly id: string;
	readonly owner: string;
	readonly rootDir: string;
	/** Agent profile with which the session was opened. */
	readonly profile: string;
	/** Channel of the session, in the form of `placeKey`. Undefined outside channels. */
	readonly place: string | undefined;
	/** Model that is set for the session, for example by `set_model`. Undefined if no model is set. */
	model: string | undefined;
	readonly bus: EventBus;
	/**
	 * Id of the task if this session is the conversation of a task. Only the process that has claimed the task writes
	 * to the session.
	 */
	readonly taskId: string | undefined;
	readonly #parts: SessionParts;
	readonly live = new Map<string, LiveRun>();
	/** Ids of the unfinished runs with `afterCrash: cancel` that clients started in this process. */
	readonly startedHere = new Set<string>();
	/** Sessions of active tasks that this session owns. These tasks ask their questions in this session. */
	readonly working = new Set<Session>();
	readonly #redactor: SessionRedactor;
	#task: SessionTask | undefined;
	systemPrompt: string | undefined;
	/** Whether a person or a model has set the title. */
	titled: boolean;
	/** Transcript of the ended runs. Undefined if it must be read from the journal. */
	history: readonly RunTranscript[] | undefined;
	trust: SessionTrust | undefined;
	/** Ids of runs that were cancelled after they were recorded and before they started. */
	#cancelled: Set<string> | undefined;
	#wakers: Map<string, () => void> | undefined;
	#clients = 0;
	#removed = false;
	#leftAt: number | undefined;
	/** Whether the stored row is open: its status is `active`, and `left_at` is null. */
	#isOpen: boolean;

	constructor(row: SessionRow, trust: SessionTrust | undefined, parts: SessionParts) {
		this.id = row.id;
		this.owner = row.owner;
		this.rootDir = row.root_dir;
		this.profile = row.profile;
		this.place = row.place ?? undefined;
		this.model = row.model ?? undefined;
		this.systemPrompt = row.system_prompt ?? undefined;
		this.titled = row.titled_by !== null;
		this.bus = new EventBus(row.id, Number(row.last_seq));
		this.bus.listen((event) => {
			if (event.event.type === "session.renamed") this.titled = event.event.title !== "";
			parts.observers.notify(event, row.owner);
		});
		this.trust = trust;
		this.#parts = parts;
		this.taskId = row.task_id ?? undefined;
		this.#redactor = new SessionRedactor(parts.redactor);
		this.#leftAt = row.left_at === null ? undefined : Number(row.left_at);
		this.#isOpen = row.status === "active" && row.left_at === null;
	}

	/**
	 * Returns the claimed task of this session. Returns undefined if the session belongs to no task, or if this
	 * process has not claimed the task.
	 */
	get task(): SessionTask | undefined {
		return this.#task;
	}

	/**
	 * Returns the session that provides questions, secrets and grants: the session that owns the claimed task, or this
	 * session if no task is claimed.
	 */
	get home(): Session {
		return this.#task?.home ?? this;
	}

	get redactor(): SessionRedactor {
		return this.home.#redactor;
	}

	/**
	 * Returns the active run with the id `runId`, or undefined. The run belongs to this session, or to a task that asks
	 * its questions in this session.
	 */
	runOf(runId: string): LiveRun | undefined {
		const runs = [this, ...this.working].map(({ live }) => live.get(runId));
		return runs.find((run) => run !== undefined);
	}

	/** Sets the claimed task, or undefined after this process has released the claim. */
	workOn(task: SessionTask | undefined): void {
		this.#task = task;
	}

	/** Whether a client is subscribed or a run is active. If so, the session stays in memory. */
	get busy(): boolean {
		return this.#clients > 0 || this.live.size > 0;
	}

	/** Whether the session was deleted. Commits of a deleted session throw `not_found`. */
	get removed(): boolean {
		return this.#removed;
	}

	/**
	 * Runs `work` in a single transaction. The recorded events are emitted when the transaction is durable, in the order
	 * of the `commit` calls. If `work` throws, the transaction is rolled back. Throws `not_found` for a deleted session,
	 * and `aborted` if the claim of the task is lost.
	 */
	commit<T>(work: (tx: Tx, record: RecordEvents) => Promise<T>): Promise<T> {
		const { journal } = this.#parts;
		if (this.#task) return commitForTask(journal, this, this.#task, work);
		return commitTogether(journal, [this], (tx, recordIn) => {
			if (this.#removed) throw unknownSession(this.id);
			return work(tx, (...events) => recordIn(this, ...events));
		});
	}

	/**
	 * Runs `work` in a transaction. `work` removes the rows of the session. If `work` returns true, the session ends
	 * permanently. Later commits then throw `not_found`, even if the store executes them in the same database
	 * transaction.
	 */
	async end(work: (tx: Tx) => Promise<boolean>): Promise<void> {
		const release = this.bus.reserve();
		let ended = false;
		try {
			await this.#parts.journal.store.commit(async (tx) => {
				// If the store repeats a transaction, it has rolled back the earlier attempt.
				if (ended) this.#removed = false;
				ended = await work(tx);
				this.#removed ||= ended;
			});
		} catch (reason) {
			if (ended) this.#removed = false;
			throw reason;
		} finally {
			release([]);
		}
		if (ended) this.bus.pass({ type: "session.deleted" });
	}

	/** Adds a client. `listener` receives all later events. The client is connected until `leave` is called. */
	async join(listener: Listener): Promise<{ leave(): Promise<void> }> {
		const absent = this.#absentSince();
		this.#clients += 1;
		const stop = this.bus.listen(listener);
		let here = true;
		const part = (): void => {
			here = false;
			stop();
			this.#clients -= 1;
		};
		try {
			await this.#reopen(absent);
		} catch (reason) {
			part();
			throw reason;
		}
		return {
			leave: async () => {
				if (!here) return;
				part();
				if (this.#clients === 0) await this.#close();
			},
		};
	}

	/** Whether `accept_all_tools` is active in this session or, for a claimed task, in the owning session. */
	get trusted(): boolean {
		return this.home.isActive(this.home.trust);
	}

	/** Whether `trust`, a grant of `accept_all_tools`, is active. */
	isActive(trust: SessionTrust | undefined): boolean {
		return isTrustValid(trust, this.#parts.clock.now(), this.#absentSince());
	}

	/** Stops a run after its cancellation was recorded: now, or as soon as the run starts. */
	cancel(runId: string): void {
		const run = this.live.get(runId);
		if (run) run.cancel();
		else {
			this.#cancelled ??= new Set();
			this.#cancelled.add(runId);
		}
	}

	begin(run: LiveRun): void {
		this.live.set(run.id, run);
		if (this.#cancelled?.delete(run.id)) run.cancel();
	}

	/**
	 * Resolves when `wake` is called for the token. Call this method before you read the row of the prompt or task, so
	 * that no change is missed.
	 */
	nextWake(token: string): Promise<void> {
		this.#wakers ??= new Map();
		const wakers = this.#wakers;
		return new Promise((resolve) => wakers.set(token, resolve));
	}

	wake(token: string): void {
		this.#wakers?.get(token)?.();
		this.#wakers?.delete(token);
	}

	/**
	 * Returns the time at which the last client left, or undefined while a client is connected. If no departure is
	 * stored, for example because the gateway stopped while a client was connected, returns the start time of this
	 * process.
	 */
	#absentSince(): number | undefined {
		return this.#clients > 0 ? undefined : (this.#leftAt ?? this.#parts.startedAt);
	}

	async #reopen(absentSince: number | undefined): Promise<void> {
		const lapsed =
			this.trust !== undefined && !isTrustValid(this.trust, this.#parts.clock.now(), absentSince);
		const trust = this.trust;
		if ((this.#clients > 1 || this.#isOpen) && !lapsed) return;
		this.#leftAt = undefined;
		if (lapsed) this.trust = undefined;
		await this.commit(async (tx) => {
			await tx
				.updateTable("sessions")
				.set({ status: "active", left_at: null })
				.where("id", "=", this.id)
				.execute();
			if (lapsed && trust) await endTrust(tx, { sessionId: this.id, id: trust.id }, this.#parts);
		});
		this.#isOpen = this.#clients > 0;
	}

	async #close(): Promise<void> {
		const now = this.#parts.clock.now();
		this.#leftAt = now;
		this.#isOpen = false;
		const left_at = this.#parts.stopping() ? null : now;
		const closing = this.commit(async (tx, record) => {
			if (this.#clients > 0) return;
			await tx.updateTable("sessions").set({ status: "closed", left_at }).where("id", "=", this.id).execute();
			await record({ type: "session.closed" });
		});
		await closing.catch((reason: unknown) => {
			if (!this.#removed) throw reason;
		});
	}
}

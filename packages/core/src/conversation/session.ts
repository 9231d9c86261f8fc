import type { Clock, Logger, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import type { Journal, Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { SessionRedactor, type TextRedactor } from "../text/session-redactor.ts";
import type { Audit } from "../trust/audit/audit.ts";
import { endTrust, isTrustValid, type Trust } from "../trust/grants/session-trust.ts";
import { unknownSession } from "../vocabulary/authorize.ts";
import type { RecordedEvent } from "../vocabulary/event.ts";
import type { Person } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { TaskAccess } from "../vocabulary/task.ts";
import type { RunTranscript } from "../vocabulary/transcript.ts";
import { commitForTask, commitTogether, EventBus, type Listener, type RecordEvents } from "./commit.ts";
import type { Observers } from "./observers.ts";

/**
 * Judges arguments that a person changed in a call that waits for approval. `binding` is that of the open prompt. If
 * `narrows` is true, the changed call may need no class of action that the shown one does not need. Returns the binding of
 * the changed call's approval. Throws `invalid_argument` if the prompt must stay open.
 */
export type ChangeJudge = (args: unknown, binding: string, narrows: boolean) => Promise<JudgedChange>;

/** A call with changed arguments that a person may approve. */
export interface JudgedChange {
	readonly binding: string;
	/** Label and details of the question about the changed call. */
	readonly shown: Pick<Prompt, "label" | "approval">;
}

/** Id of a compaction among the active work of a session. */
export const compactionId = "compaction";

export interface LiveRun {
	readonly id: string;
	/** Names the run in every line. */
	readonly log: Logger;
	cancel(): void;
	/** Stops the run, which continues at the next start. `ended` resolves when it has stopped. */
	park(): void;
	/** Whether it only waits for a person's answer. */
	readonly waiting: boolean;
	/** Milliseconds of work since the start or the resumption, without waits. */
	readonly workedMs: number;
	/** Version of the rules that apply to its calls now. */
	readonly policyVersion: string;
	/** By the id of each call that waits for its approval. */
	readonly changes: ReadonlyMap<string, ChangeJudge>;
	readonly ended: Promise<void>;
}

/** The row of a session with its system prompt, which a session has since its first model call. */
export type SessionRow = Selectable<Tables["sessions"]> & { readonly system_prompt?: string | null };

export interface TaskRunEnd {
	readonly error: string;
	readonly content: string;
	/** Principal that stopped the run. */
	readonly stoppedBy?: string;
}

/** Records events of the task, or of its conversation, in the transaction at hand. */
type RecordTask = (...events: RecordedEvent[]) => Promise<unknown>;

/** Claim of a task by a worker. The session of the task checks it in every transaction. */
export interface SessionTask {
	readonly taskId: string;
	/** The session that owns the task, and in which people are asked. */
	readonly home: Session;
	/** Further sessions for which its use is counted. */
	readonly accounts: readonly string[];
	/** Names of the tools that its submitter gave it. */
	readonly tools: readonly string[];
	/** People of a chat platform who have replied to it. */
	readonly participants: readonly Person[];
	/** Milliseconds of work before the present claim. */
	readonly workedMs: number;
	/** Whether it may request reviews by people. */
	readonly supervised: boolean;
	/** Whether it may spawn workers. */
	readonly spawns: boolean;
	/** Whether it is a step of a workflow, which has `skill.step` events and no `task` events. */
	readonly isStep: boolean;
	/** Operations of the task's tools for one call of a run. */
	access(run: { readonly session: Session; park(): void }, callId: string): TaskAccess;
	/** Renews the claim. Throws `aborted` if another worker has claimed the task. */
	renew(tx: Tx): Promise<void>;
	/** Ends the task with its run. */
	end(tx: Tx, record: RecordTask, end: TaskRunEnd): Promise<void>;
	/**
	 * Postpones the task after a fault that may be temporary. Returns true if the run is to stop and continue later. `spend`
	 * counts the failed call before the event.
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
	/** Receive every event of every session. */
	readonly observers: Observers;
	/** Knows the secrets of the gateway. */
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	/** Milliseconds since the epoch: the start of this process. */
	readonly startedAt: number;
	/** Whether the gateway is shutting down: a client that leaves now was disconnected by the gateway. */
	readonly stopping: () => boolean;
}

/**
 * One session: its data and its commands. Durable state is in the journal, changed by one transaction per command in the
 * order of the calls. Memory has only state that a restart may lose: subscribers and active runs.
 */
export class Session {
	readonly id: string;
	readonly owner: string;
	readonly rootDir: string;
	/** The agent profile it was opened with. */
	readonly profile: string;
	/** The channel that it belongs to, as `placeKey` writes it. */
	readonly place: string | undefined;
	/** Model set by `set_model`. */
	model: string | undefined;
	readonly bus: EventBus;
	/** The task of this session. Only its worker writes here. */
	readonly taskId: string | undefined;
	readonly #parts: SessionParts;
	readonly live = new Map<string, LiveRun>();
	/** Runs with `afterCrash: cancel` that were sent in this process and have not ended. */
	readonly attended = new Set<string>();
	/** Sessions of active tasks that this session owns. Their questions are asked here. */
	readonly working = new Set<Session>();
	readonly #redactor: SessionRedactor;
	#task: SessionTask | undefined;
	systemPrompt: string | undefined;
	/** Whether a person or a model has named it. */
	titled: boolean;
	/** The transcript of the ended runs, loaded at the end of the first run in this process. */
	history: readonly RunTranscript[] | undefined;
	trust: Trust | undefined;
	/** Runs that were cancelled between their record and their start. */
	#cancelled: Set<string> | undefined;
	#wakers: Map<string, () => void> | undefined;
	#clients = 0;
	#removed = false;
	#leftAt: number | undefined;
	/** Whether its row is as the first client that joins would write it. */
	#isOpen: boolean;

	constructor(row: SessionRow, trust: Trust | undefined, parts: SessionParts) {
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

	/** The task that is worked on here. */
	get task(): SessionTask | undefined {
		return this.#task;
	}

	/** The session with the questions, secrets and grants: for the session of a task, the owner's. */
	get home(): Session {
		return this.#task?.home ?? this;
	}

	get redactor(): SessionRedactor {
		return this.home.#redactor;
	}

	/** The active run with this id, of this session or of a task that asks here. */
	runOf(runId: string): LiveRun | undefined {
		const runs = [this, ...this.working].map(({ live }) => live.get(runId));
		return runs.find((run) => run !== undefined);
	}

	/** Sets the claimed task, or undefined when the worker releases it. */
	workOn(task: SessionTask | undefined): void {
		this.#task = task;
	}

	/** Whether a client is subscribed or a run is active. Such a session stays in memory. */
	get busy(): boolean {
		return this.#clients > 0 || this.live.size > 0;
	}

	/** Whether it was deleted. A deleted session accepts no command. */
	get removed(): boolean {
		return this.#removed;
	}

	/**
	 * Runs one command as one transaction. Its events are emitted when the transaction is durable, in the order of the
	 * `commit` calls. If it throws, nothing has changed.
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
	 * Ends it permanently if `work` has removed its rows and returns true. Later commits, also in the same transaction, find
	 * no session.
	 */
	async end(work: (tx: Tx) => Promise<boolean>): Promise<void> {
		const release = this.bus.reserve();
		let ended = false;
		try {
			await this.#parts.journal.store.commit(async (tx) => {
				// A transaction that was rolled back and is repeated has had no effect.
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

	/** Adds a client. `listener` receives all later events, and the client is treated as connected until it leaves. */
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

	/** Whether `accept_all_tools` is active. */
	get trusted(): boolean {
		return this.home.isActive(this.home.trust);
	}

	/** Whether this grant of `accept_all_tools` is active. */
	isActive(trust: Trust | undefined): boolean {
		return isTrustValid(trust, this.#parts.clock.now(), this.#absentSince());
	}

	/** Stops a run whose cancellation is recorded: now, or as soon as it starts. */
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

	/** Resolves when `wake` is called for the token. Call it before reading the row, so that no change is missed. */
	awake(token: string): Promise<void> {
		this.#wakers ??= new Map();
		const wakers = this.#wakers;
		return new Promise((resolve) => wakers.set(token, resolve));
	}

	wake(token: string): void {
		this.#wakers?.get(token)?.();
		this.#wakers?.delete(token);
	}

	/**
	 * Time since which no client is connected. Undefined while one is. A restart is not treated as leaving: then the time of
	 * the start is used.
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

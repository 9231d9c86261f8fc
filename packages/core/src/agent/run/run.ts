import {
	type Clock,
	defined,
	definedItems,
	type Failpoints,
	type Logger,
	ParleyError,
	type Timer,
} from "@parley/base";
import type { RecordEvents } from "../../conversation/commit.ts";
import type { RunRow } from "../../conversation/queue.ts";
import type { ChangeJudge, LiveRun, Session } from "../../conversation/session.ts";
import type { PolicyInForce } from "../../policy/policy-rule.ts";
import type { Keyed } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { insertStep } from "../../store/statements.ts";
import type { Audit, AuditEntry } from "../../trust/audit/audit.ts";
import type { Policies } from "../../trust/policies.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Person, Principal } from "../../vocabulary/principal.ts";
import { isWithoutGrants, type RunOptions } from "../../vocabulary/run-options.ts";
import type {
	CallOrigin,
	RequestedSchedule,
	RequestedTrigger,
	Schedule,
	Trigger,
} from "../../vocabulary/schedule.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { logEvent } from "./log-event.ts";
import type { RunSettings } from "./settings.ts";
import { runTexts } from "./texts.ts";

export interface RunPorts {
	readonly journal: Journal;
	readonly audit: Audit;
	readonly policies: Policies;
	readonly clock: Clock;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	/** Returns a keyed hash: see `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
	readonly stopping: () => boolean;
	readonly limits: RunLimits;
	readonly taskLimits: RunLimits;
}

/**
 * Chooses the settings of a run in a session. `correlation` identifies the run, because clients may offer separate
 * tools for one run. Throws an error with a message for people if the agent, its server or its tools cannot be used.
 */
export type ChooseSettings = (
	session: Session,
	options?: RunOptions,
	correlation?: string,
) => Promise<RunSettings>;

export interface RunLimits {
	readonly modelCalls: number;
	/**
	 * Maximum working time of one run in milliseconds. Excludes waits, for example for people, before retries and for
	 * workflow steps.
	 */
	readonly workingMs: number;
}

/** A transaction of a run, with functions that record events, steps and audit entries in the transaction. */
export interface Writing {
	readonly tx: Tx;
	readonly record: RecordEvents;
	readonly step: (step: Step) => Promise<void>;
	readonly audit: (entry: AuditEntry) => Promise<void>;
}

/** A run in memory: the stored work from a message to its answer, and the control of this work. */
export class Run {
	readonly id: string;
	/** Row of the run. It includes attached images after they are loaded. */
	row: RunRow;
	readonly steps: Step[];
	readonly session: Session;
	readonly limits: RunLimits;
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
	readonly control: RunControl;
	/** Time at which this process started or continued the run, on the monotonic clock. */
	readonly beganAt: number;
	/** Whether the run continues from stored steps: after a restart, after it was parked, or after an error. */
	readonly resumed: boolean;
	history: readonly RunTranscript[] = [];
	/** Model that answers after a retry, for example a fallback. Undefined before the first retry. */
	asking: string | undefined;
	#settings: RunSettings | undefined;
	/** Settles when the last commit has ended. */
	#writing: Promise<unknown> = Promise.resolve();
	#callIds: Set<string> | undefined;
	readonly #ports: RunPorts;

	constructor(
		{
			row,
			steps,
			resumed,
		}: { readonly row: RunRow; readonly steps: readonly Step[]; readonly resumed: boolean },
		session: Session,
		ports: RunPorts,
	) {
		const { clock, log, journal, stopping } = ports;
		this.id = row.id;
		this.row = row;
		this.steps = [...steps];
		this.resumed = resumed;
		this.session = session;
		this.limits = row.options.delegated ?? (session.task ? ports.taskLimits : ports.limits);
		this.journal = journal;
		this.clock = clock;
		this.#ports = ports;
		const facts = { correlation: row.correlation, sessionId: session.id, runId: row.id };
		this.log = session.redactor.guard(log.child(facts));
		const leftMs = this.limits.workingMs - (session.task?.workedMs ?? 0);
		this.control = new RunControl(this, { clock, stopping }, leftMs);
		this.beganAt = clock.monotonic();
	}

	/** Returns the settings of the run. Throws `internal` if `choose` has not set them. */
	get settings(): RunSettings {
		if (!this.#settings) throw new ParleyError(runTexts.notStarted, { code: "internal" });
		return this.#settings;
	}

	async choose(settings: ChooseSettings): Promise<void> {
		this.#settings ??= await settings(this.session, this.row.options, this.row.correlation);
	}

	get agent(): string {
		return this.row.options.agent ?? this.session.profile;
	}

	get policies(): Policies {
		return this.#ports.policies;
	}

	get policy(): PolicyInForce {
		const { rootDir, place } = this.session;
		const above = this.row.options.delegated?.rulesOf;
		return this.#ports.policies.of({ profile: this.agent, rootDir, place, ...defined({ above }) });
	}

	/**
	 * Whether the trust of the session replaces approvals of the run: the session is trusted now, or was trusted when the
	 * run started. Always false if the run ignores grants.
	 */
	get trusted(): boolean {
		return !this.withoutGrants && (this.row.acceptAll || this.session.trusted);
	}

	/** Whether the run ignores session grants and channel grants. */
	get withoutGrants(): boolean {
		return isWithoutGrants(this.row.options);
	}

	/** Whether a schedule started the run. */
	get scheduled(): boolean {
		return this.row.options.origin !== undefined;
	}

	/** Marks a place in the code at which a test can stop the process. */
	reach(place: string): void | Promise<void> {
		return this.#ports.failpoints.reach(place);
	}

	usesCallId(id: string): boolean {
		this.#callIds ??= new Set(
			this.history.flatMap(({ messages }) =>
				messages.flatMap(({ content }) =>
					content.flatMap((block) => (block.type === "call" ? [block.id] : [])),
				),
			),
		);
		if (this.#callIds.has(id)) return true;
		return this.steps.some(
			(step) =>
				step.kind === "reply" && step.content.some((block) => block.type === "call" && block.id === id),
		);
	}

	/**
	 * Commits as `Session.commit` does, and also writes steps. `work` may be called again with a new transaction. Commits
	 * of a run are sequential, because steps are numbered.
	 */
	commit<T>(work: (writing: Writing) => Promise<T>): Promise<T> {
		const committed = this.#writing.then(() => this.#commit(work));
		this.#writing = committed.catch(() => undefined);
		return committed;
	}

	async #commit<T>(work: (writing: Writing) => Promise<T>): Promise<T> {
		let added: Step[] = [];
		let recorded: RecordedEvent[] = [];
		const result = await this.session.commit((tx, recordIn) => {
			added = [];
			recorded = [];
			const record: RecordEvents = (...events) => {
				recorded.push(...events);
				return recordIn(...events);
			};
			const step = async (next: Step): Promise<void> => {
				const n = this.steps.length + added.length;
				const at = this.clock.now();
				await insertStep(tx, { runId: this.id, n, at, data: JSON.stringify(next) });
				added.push(next);
			};
			const audit = (entry: AuditEntry): Promise<void> => this.#ports.audit.record(tx, entry);
			return work({ tx, record, step, audit });
		});
		this.steps.push(...added);
		for (const event of recorded) logEvent(this, event, this.#ports);
		return result;
	}
}

/** Returns the chat users who wrote to the run after it began, and the participants of the run's task, if any. */
export function joinedBy({ steps, session }: Run): Person[] {
	const steering = steps.flatMap((step) => (step.kind === "steered" && step.actor ? [step.actor] : []));
	return [...steering, ...(session.task?.participants ?? [])];
}

/**
 * Returns the chat users who wrote to the run, and the participants of the run's task, if any. If a chat user started
 * the run, the list begins with this user.
 */
export function runParticipants(run: Run): Person[] {
	const { actor } = run.row;
	return definedItems([actor, ...joinedBy(run)]);
}

/** Access to the schedules of all owners, for the tools of a run. */
export interface RunSchedules {
	create(
		request: Keyed,
		target: { readonly sessionId: string },
		requested: RequestedSchedule,
		call: CallOrigin,
	): Promise<Schedule>;
	list(
		principal: Principal,
		filter: { readonly sessionId: string; readonly limit: number },
	): Promise<readonly Schedule[]>;
	remove(request: Keyed, id: string): Promise<Schedule>;
	/** Returns the trigger in its stored form. Throws `invalid_argument` if the trigger is invalid or never occurs. */
	triggerOf(requested: RequestedTrigger): Trigger;
}

type StopCause = "cancelled" | "parked" | "overtime";

/** Control of an active run. Its state is not stored. */
class RunControl implements LiveRun {
	readonly id: string;
	readonly log: Logger;
	readonly working: WorkingTime;
	readonly changes = new Map<string, ChangeJudge>();
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	readonly #run: { readonly policy: PolicyInForce };
	readonly #stopping: () => boolean;
	#cause: StopCause | undefined;

	/** Stops the run after `workingMs`, the remaining working time of the run. */
	constructor(
		run: { readonly id: string; readonly log: Logger; readonly policy: PolicyInForce },
		{ clock, stopping }: { readonly clock: Clock; readonly stopping: () => boolean },
		workingMs: number,
	) {
		this.#stopping = stopping;
		this.#run = run;
		this.id = run.id;
		this.log = run.log;
		this.working = new WorkingTime(clock, Math.max(0, workingMs), () => this.#stop("overtime"));
	}

	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** Returns the first cause of the stop, or undefined if the run was not stopped. */
	get cause(): StopCause | undefined {
		return this.#cause;
	}

	get workedMs(): number {
		return this.working.workedMs;
	}

	get policyVersion(): string {
		return this.#run.policy.version;
	}

	get waiting(): boolean {
		return !this.working.running;
	}

	cancel(): void {
		this.#stop("cancelled");
	}

	park(): void {
		this.#stop("parked");
	}

	/** Parks the run if the gateway is stopping, because no person's answer can arrive before the next start. */
	parkIfStopping(): void {
		if (this.#stopping()) this.park();
	}

	#stop(cause: StopCause): void {
		this.#cause ??= cause;
		this.#abort.abort();
	}
}

/**
 * Calls `onOver` when the time exceeds the limit. `stop` pauses the timer, for example while the run waits for a
 * person.
 */
class WorkingTime {
	readonly #clock: Clock;
	readonly #onOver: () => void;
	readonly #limitMs: number;
	#leftMs: number;
	#since = 0;
	#timer: Timer | undefined;

	constructor(clock: Clock, limitMs: number, onOver: () => void) {
		this.#clock = clock;
		this.#limitMs = limitMs;
		this.#leftMs = limitMs;
		this.#onOver = onOver;
	}

	get workedMs(): number {
		const sinceMs = this.#timer ? this.#clock.monotonic() - this.#since : 0;
		return this.#limitMs - this.#leftMs + sinceMs;
	}

	get running(): boolean {
		return this.#timer !== undefined;
	}

	start(): void {
		if (this.#timer) return;
		this.#since = this.#clock.monotonic();
		this.#timer = this.#clock.after(this.#leftMs, this.#onOver);
	}

	stop(): void {
		if (!this.#timer) return;
		this.#timer.cancel();
		this.#timer = undefined;
		this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#since));
	}
}

import { type Clock, definedItems, type Logger, ParleyError, type Timer } from "@parley/base";
import type { RecordEvents } from "../../conversation/commit.ts";
import type { RunRow } from "../../conversation/queue.ts";
import type { Services } from "../../conversation/services.ts";
import type { ChangeJudge, LiveRun, Session } from "../../conversation/session.ts";
import type { Memories } from "../../memory/memories.ts";
import type { ModelTable } from "../../models/table/model-table.ts";
import type { PolicyInForce } from "../../policy/policy-rule.ts";
import type { Keyed } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { insertStep } from "../../store/statements.ts";
import type { PlaceProfile } from "../../vocabulary/chat-settings.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Person, Principal } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type {
	CallOrigin,
	Schedule,
	Trigger,
	WantedSchedule,
	WantedTrigger,
} from "../../vocabulary/schedule.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import type { Budgets } from "../../vocabulary/usage.ts";
import type { Contexts } from "../context/contexts.ts";
import type { Skills } from "../skills/skills.ts";
import { logEvent } from "./log-event.ts";
import type { ProviderHealth } from "./provider-health.ts";
import type { PromptAgent, RunSettings } from "./settings.ts";

export interface RunDeps extends Services {
	readonly contexts: Contexts;
	/**
	 * Chooses the settings of a session. `correlation`: the run to which clients may offer tools of its own. Throws an error
	 * that a person can fix.
	 */
	readonly settings: (session: Session, options?: RunOptions, correlation?: string) => Promise<RunSettings>;
	readonly table: ModelTable;
	readonly budgets: Budgets;
	/** Random number from 0 to 1, which spreads simultaneous retries. */
	readonly random: () => number;
	readonly sandbox: Sandboxes;
	/** Settings of the session's channel. */
	readonly profileOf: (session: InPlace) => PlaceProfile;
	/** The other channels in which its approvals may be answered, as far as that is known before. */
	readonly approveIn: (session: InPlace) => Promise<readonly string[]>;
	/** Directories that the tools of a session may use, its working directory first. */
	readonly roots: (session: Session) => readonly string[];
	/** Paths that no tool may use. */
	readonly forbidden: readonly string[];
	/** State of the providers by their last calls. */
	readonly health: ProviderHealth;
	readonly memories: Memories;
	readonly schedules: RunSchedules;
	readonly skills: Skills;
	readonly systemPrompt: SystemPromptOf;
	readonly workflows: WorkflowDeps;
	readonly limits: RunLimits;
	/** Limits of the runs of tasks. */
	readonly taskLimits: RunLimits;
}

export type SystemPromptOf = (session: Session, by: PromptAgent) => Promise<string>;

interface InPlace {
	readonly place: string | undefined;
}

export interface RunLimits {
	readonly modelCalls: number;
	/** Working time of one run in milliseconds; waiting for people does not count. */
	readonly workingMs: number;
}

/** A transaction of a run, with the means to record events and steps in it. */
export interface Writing {
	readonly tx: Tx;
	readonly record: RecordEvents;
	readonly step: (step: Step) => Promise<void>;
}

/** A run: a message on its way to its answer, with its record and its services. */
export class Run {
	readonly id: string;
	/** With the content of the attachments after it was loaded. */
	row: RunRow;
	readonly steps: Step[];
	readonly session: Session;
	readonly deps: RunDeps;
	/** Logger that adds the run to every line. */
	readonly log: Logger;
	readonly control: RunControl;
	/** Start of the work in this process, on the monotonic clock. */
	readonly beganAt: number;
	/** Whether an earlier process, or an earlier attempt to record it, has worked on it. */
	readonly resumed: boolean;
	/** The transcripts of the session before this run. */
	history: readonly RunTranscript[] = [];
	/** The fallback that answers instead of the first model. */
	asking: string | undefined;
	#settings: RunSettings | undefined;
	/** Settles with the last commit. */
	#writing: Promise<unknown> = Promise.resolve();
	#callIds: Set<string> | undefined;

	constructor(
		{
			row,
			steps,
			resumed,
		}: { readonly row: RunRow; readonly steps: readonly Step[]; readonly resumed: boolean },
		session: Session,
		deps: RunDeps,
	) {
		const { clock, log } = deps;
		this.id = row.id;
		this.row = row;
		this.steps = [...steps];
		this.resumed = resumed;
		this.session = session;
		this.deps = deps;
		const facts = { correlation: row.correlation, sessionId: session.id, runId: row.id };
		this.log = session.redactor.guard(log.child(facts));
		this.control = new RunControl(this, clock, this.limits.workingMs - (session.task?.workedMs ?? 0));
		this.beganAt = clock.monotonic();
	}

	get limits(): RunLimits {
		return this.session.task ? this.deps.taskLimits : this.deps.limits;
	}

	/** Set by `choose`. Throws `internal` before. */
	get settings(): RunSettings {
		if (!this.#settings) throw new ParleyError("the run has not begun to work", { code: "internal" });
		return this.#settings;
	}

	async choose(): Promise<void> {
		this.#settings ??= await this.deps.settings(this.session, this.row.options, this.row.correlation);
	}

	get agent(): string {
		return this.row.options.agent ?? this.session.profile;
	}

	/** Policy for its calls at this moment. */
	get policy(): PolicyInForce {
		const { rootDir, place } = this.session;
		return this.deps.policies.of({ profile: this.agent, rootDir, place });
	}

	/** Whether its calls run without approval: the session is trusted now, or was when the run started. */
	get trusted(): boolean {
		return !this.scheduled && (this.row.acceptAll || this.session.trusted);
	}

	/** Whether a schedule started it: no grant of its session or channel covers its calls. */
	get scheduled(): boolean {
		return this.row.options.origin !== undefined;
	}

	/** Whether a call of this session already has the id. */
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
	 * Like `Session.commit`, and writes steps with it. `work` may be called again with a new transaction. Commits of a run
	 * follow each other, because steps are numbered.
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
				const at = this.deps.clock.now();
				await insertStep(tx, { runId: this.id, n, at, data: JSON.stringify(next) });
				added.push(next);
			};
			return work({ tx, record, step });
		});
		this.steps.push(...added);
		for (const event of recorded) logEvent(this, event, this.deps);
		return result;
	}
}

/** People who spoke to the run after it began. */
export function joinedBy({ steps, session }: Run): Person[] {
	const steering = steps.flatMap((step) => (step.kind === "steered" && step.actor ? [step.actor] : []));
	return [...steering, ...(session.task?.speakers ?? [])];
}

/** People of a chat who spoke to the run, the person who started it first. */
export function speakersOf(run: Run): Person[] {
	const { actor } = run.row;
	return definedItems([actor, ...joinedBy(run)]);
}

export interface WorkflowDeps {
	/** The real name of a model; throws `invalid_argument` if there is no such model. */
	readonly modelOf: (session: { readonly profile: string }, wanted: string) => Promise<string>;
	/** Called when a task may be ready. */
	readonly startTasks: () => void;
	/** Stops the work on tasks that have ended. */
	readonly stopTasks: (ids: readonly string[]) => void;
}

/** Schedules of all owners, for the tools of a run. */
export interface RunSchedules {
	create(
		request: Keyed,
		target: { readonly sessionId: string },
		wanted: WantedSchedule,
		call: CallOrigin,
	): Promise<Schedule>;
	list(
		principal: Principal,
		filter: { readonly sessionId: string; readonly limit: number },
	): Promise<readonly Schedule[]>;
	remove(request: Keyed, id: string): Promise<Schedule>;
	/** Returns the trigger in its stored form. Throws `invalid_argument` for a time that can never come. */
	triggerOf(wanted: WantedTrigger): Trigger;
}

type StopCause = "cancelled" | "parked" | "overtime";

/** Stops a working run, and counts its working time. It is not stored. */
class RunControl implements LiveRun {
	readonly id: string;
	readonly log: Logger;
	readonly working: WorkingTime;
	readonly changes = new Map<string, ChangeJudge>();
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	#cause: StopCause | undefined;

	/** `workingMs` is the working time that is left: then the run is stopped. */
	constructor({ id, log }: { readonly id: string; readonly log: Logger }, clock: Clock, workingMs: number) {
		this.id = id;
		this.log = log;
		this.working = new WorkingTime(clock, Math.max(0, workingMs), () => this.#stop("overtime"));
	}

	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** The first stop cause; undefined if the run was not stopped. */
	get cause(): StopCause | undefined {
		return this.#cause;
	}

	get workedMs(): number {
		return this.working.workedMs;
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

	#stop(cause: StopCause): void {
		this.#cause ??= cause;
		this.#abort.abort();
	}
}

/** Counts down the working time of a run. Pauses while the run waits for a person or a provider. */
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

	/** Milliseconds counted so far. */
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

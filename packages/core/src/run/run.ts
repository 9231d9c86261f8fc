import { type Logger, ParleyError } from "@parley/base";
import type { RecordedEvent } from "../event.ts";
import type { Tx } from "../journal/journal.ts";
import { insertStep } from "../journal/statements.ts";
import type { ModelTable } from "../models/table/model-table.ts";
import type { Sandboxes } from "../sandbox.ts";
import type { ChangeJudge, LiveRun, Record, Session } from "../session/session.ts";
import type { TextRedactor } from "../session/session-redactor.ts";
import type { PlaceProfile } from "../trust/place-profile.ts";
import type { Budgets } from "../usage/budget.ts";
import { logEvent } from "./log-event.ts";
import type { ProviderHealth } from "./provider-health.ts";
import type { RunSettings } from "./settings.ts";
import type { Step } from "./step.ts";
import type { Asked, RunTranscript } from "./transcript.ts";
import { WorkingTime } from "./working-time.ts";

/** What every run needs from the runtime. */
export interface RunDeps {
	/** Who answers in a session, and with what; throws what a person can mend. */
	readonly settings: (session: Session) => Promise<RunSettings>;
	readonly table: ModelTable;
	readonly budgets: Budgets;
	/** Chance, from 0 to 1, that spreads out what would else happen at once. */
	readonly random: () => number;
	readonly sandbox: Sandboxes;
	/** How the channel of a session works. */
	readonly profileOf: (session: Pick<Session, "place">) => PlaceProfile;
	/** The other channels in which its approvals may be answered, as far as that is known before. */
	readonly approveIn: (session: Pick<Session, "place">) => Promise<readonly string[]>;
	/** What the tools of a session may touch, its working directory first. */
	readonly roots: (session: Session) => readonly string[];
	/** What no tool may touch. */
	readonly forbidden: readonly string[];
	readonly redactor: TextRedactor;
	/** What calls have shown of the providers. */
	readonly health: ProviderHealth;
	readonly systemPrompt: (session: Session, instructions?: string) => Promise<string>;
	readonly limits: RunLimits;
	/** Of the runs of tasks. */
	readonly taskLimits: RunLimits;
}

export interface RunLimits {
	/** Model calls of one run. */
	readonly modelCalls: number;
	/** Working time of one run in milliseconds; waiting for people does not count. */
	readonly workingMs: number;
}

/** A run as its row holds it. */
export interface RunRow extends Asked {
	readonly id: string;
	readonly acceptAll: boolean;
	readonly cancelRequested: boolean;
	/** Its place among the session's runs, from 1. */
	readonly ordinal: number;
	/** Stands in every log line about it. */
	readonly correlation: string;
}

/** What a commit of a run writes. It may be called again with a new transaction. */
type RunWork<T> = (tx: Tx, record: Record, step: (step: Step) => Promise<void>) => Promise<T>;

type StopCause = "cancelled" | "parked" | "overtime";

/** One prompt on its way to its end: its recorded steps, and the means to stop it. */
export class Run implements LiveRun {
	readonly id: string;
	/** With what came with the message, once that was handed over. */
	row: RunRow;
	readonly session: Session;
	readonly deps: RunDeps;
	readonly steps: Step[];
	/** Names the run in every line. */
	readonly log: Logger;
	/** When it was taken up, on the monotonic clock. */
	readonly beganAt: number;
	readonly working: WorkingTime;
	/** What the model saw of the session before this run. */
	history: readonly RunTranscript[] = [];
	/** The fallback that has taken over, once one has. */
	asking: string | undefined;
	/** Whether a stop of the gateway came before it. */
	resumed = false;
	/** By the id of each call that waits for its approval. */
	readonly changes = new Map<string, ChangeJudge>();
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	#cause: StopCause | undefined;
	#settings: RunSettings | undefined;
	/** Settles with the last commit. */
	#writing: Promise<unknown> = Promise.resolve();
	#callIds: Set<string> | undefined;

	constructor(row: RunRow, steps: readonly Step[], session: Session, deps: RunDeps) {
		this.id = row.id;
		this.row = row;
		this.session = session;
		this.deps = deps;
		this.steps = [...steps];
		const facts = { correlation: row.correlation, sessionId: session.id, runId: row.id };
		this.log = session.redactor.guard(session.deps.log.child(facts));
		this.beganAt = session.deps.clock.monotonic();
		const leftMs = this.limits.workingMs - (session.task?.workedMs ?? 0);
		this.working = new WorkingTime(session.deps.clock, Math.max(0, leftMs), () => this.#stop("overtime"));
	}

	get limits(): RunLimits {
		return this.session.task ? this.deps.taskLimits : this.deps.limits;
	}

	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** Chosen by `choose` when it begins to work. */
	get settings(): RunSettings {
		if (!this.#settings) throw new ParleyError("the run has not begun to work", { code: "internal" });
		return this.#settings;
	}

	async choose(): Promise<void> {
		this.#settings ??= await this.deps.settings(this.session);
	}

	/** Why it was stopped, if it was. */
	get cause(): StopCause | undefined {
		return this.#cause;
	}

	get workedMs(): number {
		return this.working.workedMs;
	}

	get waiting(): boolean {
		return !this.working.running;
	}

	/** Whether the call may run without asking: the session is trusted now, or was when the run started. */
	get trusted(): boolean {
		return this.row.acceptAll || this.session.trusted;
	}

	/** Whether a call of this session has had the id already. */
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

	cancel(): void {
		this.#stop("cancelled");
	}

	park(): void {
		this.#stop("parked");
	}

	/** Like `Session.commit`, and writes steps with it. Commits of a run follow each other, because steps are numbered. */
	commit<T>(work: RunWork<T>): Promise<T> {
		const committed = this.#writing.then(() => this.#commit(work));
		this.#writing = committed.catch(() => undefined);
		return committed;
	}

	async #commit<T>(work: RunWork<T>): Promise<T> {
		let added: Step[] = [];
		let recorded: RecordedEvent[] = [];
		const result = await this.session.commit((tx, record) => {
			added = [];
			recorded = [];
			const keep: Record = (...events) => {
				recorded.push(...events);
				return record(...events);
			};
			return work(tx, keep, async (step) => {
				const n = this.steps.length + added.length;
				const at = this.session.deps.clock.now();
				await insertStep(tx, { runId: this.id, n, at, data: JSON.stringify(step) });
				added.push(step);
			});
		});
		this.steps.push(...added);
		for (const event of recorded) logEvent(this, event);
		return result;
	}

	#stop(cause: StopCause): void {
		this.#cause ??= cause;
		this.#abort.abort();
	}
}

import { ParleyError, type Redactor } from "@parley/base";
import type { Tx } from "../journal/journal.ts";
import { insertStep } from "../journal/statements.ts";
import type { ModelTable } from "../models/table/model-table.ts";
import type { Sandbox } from "../sandbox.ts";
import type { LiveRun, Record, Session } from "../session/session.ts";
import type { Budgets } from "../usage/budget.ts";
import type { RunSettings } from "./settings.ts";
import type { Step } from "./step.ts";
import type { Asked, RunTranscript } from "./transcript.ts";
import { WorkingTime } from "./working-time.ts";

/** Takes secrets out of a text, whole or in pieces. */
export type TextRedactor = Pick<Redactor, "redact" | "redactFields" | "stream">;

/** What every run needs from the runtime. */
export interface RunDeps {
	/** Who answers in a session, and with what; throws what a person can mend. */
	readonly settings: (session: Session) => Promise<RunSettings>;
	readonly table: ModelTable;
	readonly budgets: Budgets;
	/** Chance, from 0 to 1, that spreads out what would else happen at once. */
	readonly random: () => number;
	readonly sandbox: Sandbox;
	/** What the tools of a session may touch, its working directory first. */
	readonly roots: (session: Session) => readonly string[];
	/** What no tool may touch. */
	readonly forbidden: readonly string[];
	readonly redactor: TextRedactor;
	readonly systemPrompt: (session: Session, instructions?: string) => Promise<string>;
	readonly limits: RunLimits;
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
}

type StopCause = "cancelled" | "parked" | "overtime";

/** One prompt on its way to its end: its recorded steps, and the means to stop it. */
export class Run implements LiveRun {
	readonly id: string;
	readonly row: RunRow;
	readonly session: Session;
	readonly deps: RunDeps;
	readonly steps: Step[];
	readonly working: WorkingTime;
	/** What the model saw of the session before this run. */
	history: readonly RunTranscript[] = [];
	/** The fallback that has taken over, once one has. */
	asking: string | undefined;
	/** Whether a stop of the gateway came before it. */
	resumed = false;
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	#cause: StopCause | undefined;
	#settings: RunSettings | undefined;
	#callIds: Set<string> | undefined;

	constructor(row: RunRow, steps: readonly Step[], session: Session, deps: RunDeps) {
		this.id = row.id;
		this.row = row;
		this.session = session;
		this.deps = deps;
		this.steps = [...steps];
		this.working = new WorkingTime(session.deps.clock, deps.limits.workingMs, () => this.#stop("overtime"));
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

	/** Like `Session.commit`, and writes steps with it. A run has one commit in flight at a time. */
	async commit<T>(
		work: (tx: Tx, record: Record, step: (step: Step) => Promise<void>) => Promise<T>,
	): Promise<T> {
		let added: Step[] = [];
		const result = await this.session.commit((tx, record) => {
			added = [];
			return work(tx, record, async (step) => {
				const n = this.steps.length + added.length;
				const at = this.session.deps.clock.now();
				await insertStep(tx, { runId: this.id, n, at, data: JSON.stringify(step) });
				added.push(step);
			});
		});
		this.steps.push(...added);
		return result;
	}

	#stop(cause: StopCause): void {
		this.#cause ??= cause;
		this.#abort.abort();
	}
}

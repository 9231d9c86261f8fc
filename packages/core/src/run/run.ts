import type { Tx } from "../journal/journal.ts";
import { insertStep } from "../journal/statements.ts";
import type { Message } from "../message.ts";
import type { Model, ToolDescription } from "../model.ts";
import type { Sandbox } from "../sandbox.ts";
import type { LiveRun, Record, Session } from "../session/session.ts";
import type { Tool } from "../tool.ts";
import type { Step } from "./step.ts";
import { WorkingTime } from "./working-time.ts";

/** What every run needs from the runtime. */
export interface RunDeps {
	readonly model: Model;
	readonly modelName: string;
	readonly tools: readonly Tool[];
	readonly descriptions: readonly ToolDescription[];
	readonly sandbox: Sandbox;
	/** What the tools of a session may touch, its working directory first. */
	readonly roots: (session: Session) => readonly string[];
	/** What no tool may touch. */
	readonly forbidden: readonly string[];
	/** Takes secrets out of a text. */
	readonly redact: (text: string) => string;
	readonly systemPrompt: (session: Session) => Promise<string>;
	readonly limits: RunLimits;
}

export interface RunLimits {
	/** Model calls of one run. */
	readonly modelCalls: number;
	/** Working time of one run in milliseconds; waiting for people does not count. */
	readonly workingMs: number;
}

/** A run as its row holds it. */
export interface RunRow {
	readonly id: string;
	readonly content: string;
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
	history: readonly Message[] = [];
	ended: Promise<void> = Promise.resolve();
	readonly #abort = new AbortController();
	#cause: StopCause | undefined;

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

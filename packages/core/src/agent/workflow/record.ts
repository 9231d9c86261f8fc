import { isDeepStrictEqual } from "node:util";
import { defined } from "@parley/base";
import { endTask, type TaskEnd } from "../../conversation/tasks/end-task.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { stopperOf } from "../../store/statements.ts";
import { shorten } from "../../text/visible.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { WorkflowEnd, WorkflowStep, WorkStep } from "../../vocabulary/skill.ts";
import { callsOf } from "../../vocabulary/transcript.ts";
import type { Run, Writing } from "../run/run.ts";
import { WorkflowProgress, workflowsIn } from "./progress.ts";
import { workflowTexts } from "./texts.ts";

/** Maximum characters of a result in an event. */
const maxShown = 2_000;

export interface TryEnd {
	readonly output: string;
	readonly error: string;
	readonly reason: string;
	readonly willRetry: boolean;
	readonly tokens: number;
	readonly cost: number;
}

/** Writer of workflow changes in one transaction of the run: the step, the event of the step, and the task list. */
export class WorkflowRecord {
	readonly #run: Run;
	readonly #writing: Writing;
	/** Steps of the run, including steps that this transaction adds. */
	readonly #steps: { readonly kind: string }[];

	constructor(run: Run, writing: Writing) {
		this.#run = run;
		this.#writing = writing;
		this.#steps = [...run.steps];
	}

	async add(step: WorkflowStep, event: RecordedEvent): Promise<void> {
		const { callId } = step;
		const before = WorkflowProgress.of(this.#steps, callId)?.plan;
		await this.#writing.step(step);
		this.#steps.push(step);
		await this.#writing.record(event);
		const after = WorkflowProgress.of(this.#steps, callId)?.plan ?? [];
		if (this.#hasOwnList() || isDeepStrictEqual(before, after)) return;
		const { redactor } = this.#run.session;
		const steps = after.map((planned) => ({ ...planned, title: redactor.redact(planned.title) }));
		await this.#writing.record({ type: "todo.updated", runId: this.#run.id, callId, steps });
	}

	/** Records the start of an attempt at a step. The attempt runs as the task `taskId`. */
	async start(
		progress: WorkflowProgress,
		step: WorkStep,
		{ taskId, model }: { readonly taskId: string; readonly model: string },
	): Promise<void> {
		const { callId } = progress;
		const at = this.#run.clock.now();
		const attempt = (progress.lastTry(step.id)?.attempt ?? 0) + 1;
		await this.add(
			{ kind: "try", callId, stepId: step.id, taskId, model, at },
			{ type: "skill.step.started", ...this.#facts(progress, step), model, taskId, attempt },
		);
	}

	async finish(progress: WorkflowProgress, step: WorkStep, end: TryEnd): Promise<void> {
		const last = progress.lastTry(step.id);
		if (!last) return;
		const { taskId, attempt, model, startedAt } = last;
		const { reason, ...recorded } = end;
		const { output, error, willRetry } = recorded;
		await this.add(
			{ kind: "tried", callId: progress.callId, stepId: step.id, ...recorded, at: this.#run.clock.now() },
			{
				type: "skill.step.completed",
				...this.#facts(progress, step),
				model,
				taskId,
				attempt,
				output: shorten(output, maxShown),
				error,
				reason,
				willRetry,
				durationMs: this.#since(startedAt),
			},
		);
	}

	async end(progress: WorkflowProgress, { output, error }: WorkflowEnd): Promise<void> {
		const { callId, workflow, startedAt } = progress;
		await this.add(
			{ kind: "workflowEnded", callId, output, error },
			{
				type: "skill.completed",
				runId: this.#run.id,
				callId,
				skill: workflow.name,
				output: shorten(output, maxShown),
				error,
				durationMs: this.#since(startedAt),
			},
		);
	}

	#facts({ callId, workflow }: WorkflowProgress, { id: stepId, title }: WorkStep) {
		return { runId: this.#run.id, callId, skill: workflow.name, stepId, title };
	}

	#since(at: number): number {
		return Math.max(0, this.#run.clock.now() - at);
	}

	/** Whether the model wrote its own task list, which must not be replaced. */
	#hasOwnList(): boolean {
		return this.#run.steps.some(
			(step) => step.kind === "reply" && callsOf(step.content).some(({ name }) => name === "todo"),
		);
	}
}

/**
 * Ends the open workflows of a stopping run, and the tasks of the workflows' open steps, in the current transaction.
 * Returns the ids of the ended tasks. The caller must stop the work on these tasks after the commit.
 */
export async function settleWorkflows(run: Run, writing: Writing, error: string): Promise<readonly string[]> {
	const open = workflowsIn(run.steps).filter(({ end }) => end === undefined);
	const ended: string[] = [];
	const record = new WorkflowRecord(run, writing);
	const stoppedBy = await stopperOf(writing.tx, run.id);
	const end: TaskEnd = { state: "cancelled", reason: workflowTexts.ended, ...defined({ stoppedBy }) };
	for (const progress of open) {
		for (const step of progress.open) {
			const taskId = progress.lastTry(step.id)?.taskId ?? "";
			const row = await findTask(writing.tx, taskId);
			const now = run.clock.now();
			const deps = { tx: writing.tx, now, record: writing.record };
			if (row) ended.push(...(await endTask(deps, row, end)));
			const nothing = { output: "", reason: "", willRetry: false, tokens: 0, cost: 0 };
			await record.finish(progress, step, { ...nothing, error: "cancelled" });
		}
		await record.end(progress, { output: "", error });
	}
	return ended;
}

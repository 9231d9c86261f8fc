import { defined } from "@parley/base";
import type { Workflow, WorkflowEnd, WorkflowStep, WorkStep } from "../../vocabulary/skill.ts";
import type { PlanStep } from "../../vocabulary/task.ts";

export const maxTries = 3;

export interface Try {
	readonly taskId: string;
	/** Number of this attempt among the attempts of the step, starting at 1. */
	readonly attempt: number;
	readonly model: string;
	/** Start of the attempt, in milliseconds since the epoch. */
	readonly startedAt: number;
	/** Recorded end of the attempt. Undefined while the attempt is open. */
	readonly end: Extract<WorkflowStep, { kind: "tried" }> | undefined;
}

/** Progress of one workflow, read from the steps of its run. */
export class WorkflowProgress {
	readonly callId: string;
	readonly workflow: Workflow;
	readonly arguments: string;
	readonly startedAt: number;
	readonly end: WorkflowEnd | undefined;
	readonly #tries: ReadonlyMap<string, Try>;

	private constructor(
		start: Extract<WorkflowStep, { kind: "workflow" }>,
		tries: ReadonlyMap<string, Try>,
		end: WorkflowEnd | undefined,
	) {
		this.callId = start.callId;
		this.workflow = start.workflow;
		this.arguments = start.arguments;
		this.startedAt = start.at;
		this.end = end;
		this.#tries = tries;
	}

	/** Returns the workflow that the call `callId` started, or undefined if the call started no workflow. */
	static of(steps: readonly { readonly kind: string }[], callId: string): WorkflowProgress | undefined {
		return workflowsIn(steps).find((progress) => progress.callId === callId);
	}

	/** Returns the progress after the recorded steps of one call, or undefined if no step starts a workflow. */
	static from(steps: readonly WorkflowStep[]): WorkflowProgress | undefined {
		const tries = new Map<string, Try>();
		let start: Extract<WorkflowStep, { kind: "workflow" }> | undefined;
		let end: WorkflowEnd | undefined;
		for (const step of steps) {
			if (step.kind === "workflow") start = step;
			if (step.kind === "workflowEnded") end = step;
			if (step.kind === "try") {
				const { stepId, taskId, model, at } = step;
				const attempt = (tries.get(stepId)?.attempt ?? 0) + 1;
				tries.set(stepId, { taskId, attempt, model, startedAt: at, end: undefined });
			}
			const tried = step.kind === "tried" && tries.get(step.stepId);
			if (tried) tries.set(step.stepId, { ...tried, end: step });
		}
		return start && new WorkflowProgress(start, tries, end);
	}

	/** Returns the step for which the task `taskId` is the newest attempt, or undefined. */
	stepOf(taskId: string): WorkStep | undefined {
		return this.workflow.steps.find(({ id }) => this.lastTry(id)?.taskId === taskId);
	}

	lastTry(stepId: string): Try | undefined {
		return this.#tries.get(stepId);
	}

	get open(): readonly WorkStep[] {
		return this.workflow.steps.filter(({ id }) => {
			const last = this.lastTry(id);
			return last !== undefined && last.end === undefined;
		});
	}

	/** Returns the first permanently failed step in the order of the workflow, if any. */
	get failed(): { readonly step: WorkStep; readonly attempts: number; readonly error: string } | undefined {
		for (const step of this.workflow.steps) {
			const last = this.lastTry(step.id);
			if (!last?.end || last.end.error === "" || last.end.willRetry) continue;
			return { step, attempts: last.attempt, error: last.end.error };
		}
		return undefined;
	}

	/**
	 * Returns the steps that can start now because their needs succeeded. After a failure, no step is ready,
	 * except in a delegation to sub-agents.
	 */
	get ready(): readonly WorkStep[] {
		if (this.failed && !this.workflow.isDelegation) return [];
		return this.workflow.steps.filter(({ id, needs }) => {
			const last = this.lastTry(id);
			return (!last || last.end?.willRetry === true) && needs.every((need) => this.succeeded(need));
		});
	}

	succeeded(stepId: string): boolean {
		return this.lastTry(stepId)?.end?.error === "";
	}

	/** Returns the result of a successful step, otherwise "". */
	outputOf(stepId: string): string {
		return this.succeeded(stepId) ? (this.lastTry(stepId)?.end?.output ?? "") : "";
	}

	/** Returns the steps that no other step needs, in the order of the workflow. */
	get lastSteps(): readonly WorkStep[] {
		const needed = new Set(this.workflow.steps.flatMap(({ needs }) => needs));
		return this.workflow.steps.filter(({ id }) => !needed.has(id));
	}

	/**
	 * Returns the steps with the states that people see. A failed step is `pending`. A failed sub-agent is `skipped`,
	 * because other sub-agents continue. After the end of the workflow, all steps that neither succeeded nor failed are
	 * `skipped`.
	 */
	get plan(): readonly PlanStep[] {
		const over = this.end !== undefined;
		const isDelegation = this.workflow.isDelegation === true;
		return this.workflow.steps.map(({ id, title }) => {
			const durationMs = this.#durationOf(id);
			if (this.succeeded(id)) return { title, state: "completed", ...defined({ durationMs }) };
			if (this.#hasFailed(id)) {
				return isDelegation
					? { title, state: "skipped", ...defined({ durationMs }) }
					: { title, state: "pending" };
			}
			if (over) return { title, state: "skipped" };
			return { title, state: this.lastTry(id) ? "in_progress" : "pending" };
		});
	}

	/**
	 * Returns the milliseconds of the step's last attempt. Returns undefined while the attempt is open, and in
	 * runs of earlier versions.
	 */
	#durationOf(stepId: string): number | undefined {
		const last = this.lastTry(stepId);
		return last?.end?.at === undefined ? undefined : Math.max(0, last.end.at - last.startedAt);
	}

	#hasFailed(stepId: string): boolean {
		const end = this.lastTry(stepId)?.end;
		return end !== undefined && end.error !== "" && !end.willRetry;
	}
}

/** Returns all workflows of a run, in the order of their start. */
export function workflowsIn(steps: readonly { readonly kind: string }[]): readonly WorkflowProgress[] {
	const byCall = Map.groupBy(steps.filter(isWorkflowStep), ({ callId }) => callId);
	return [...byCall.values()].flatMap((own) => WorkflowProgress.from(own) ?? []);
}

const kinds: ReadonlySet<string> = new Set<WorkflowStep["kind"]>([
	"workflow",
	"try",
	"tried",
	"workflowEnded",
]);

function isWorkflowStep(step: { readonly kind: string }): step is WorkflowStep {
	return kinds.has(step.kind);
}

import { type Clock, defined, definedItems, ParleyError, StoreError } from "@parley/base";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { insertTask } from "../../conversation/tasks/submit.ts";
import { taskTexts } from "../../conversation/texts.ts";
import { judge, type Verdict } from "../../models/verdict.ts";
import { addTaint, findTaint } from "../../store/session-taint.ts";
import type { TaskRow } from "../../store/task-rows.ts";
import { shorten } from "../../text/visible.ts";
import { delegate } from "../../tools/delegate.ts";
import { skill } from "../../tools/skill.ts";
import { sessionTotal } from "../../usage/ledger.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import type { Workflow, WorkflowCall, WorkflowEnd, WorkStep } from "../../vocabulary/skill.ts";
import { hasEnded } from "../../vocabulary/task.ts";
import { askForText } from "../replies/request.ts";
import { refusalOf, stopIfAbandoned } from "../run/limits.ts";
import { joinedBy, type Run } from "../run/run.ts";
import { excludedBySkill } from "../run/skills-of-run.ts";
import { delegationEnding } from "./delegation-result.ts";
import { maxTries, WorkflowProgress } from "./progress.ts";
import { settleWorkflows, WorkflowRecord } from "./record.ts";
import { stepTexts, workflowTexts } from "./texts.ts";
import type { StepModels, WorkflowPorts } from "./workflow-ports.ts";

/** Maximum concurrent steps of one workflow. The gateway's limit for tasks also applies. */
const maxConcurrentSteps = 4;

/** Milliseconds between reads of a task, because another process may end the task without a notification. */
const checkMs = 15_000;

/** Maximum retries of a step if its model provider has a temporary failure. */
const providerRetries = 3;

/** Maximum characters of the task text, and also of the result text, in the request for a verdict. */
const maxJudgeCharacters = 32_000;

/** Maximum tokens of a verdict, including thinking. */
const verdictTokens = 4_000;

/** Tools that steps do not have: a step starts no workflow, and a sub-agent has no sub-agents. */
export const notInSteps: readonly string[] = [skill.name, delegate.name];

/**
 * Runs the steps of a skill or a delegation as tasks of the session, and returns the result. A step starts after the
 * steps that it needs. If the same call is repeated after a restart, continues from the recorded steps. After a failed
 * step of a skill, no further step starts, but started steps run to their end. Throws `failed_precondition` if the
 * session belongs to a task. Also throws if the run is stopped or the store fails. Other failures are returned as the
 * error of the result.
 */
export async function runWorkflow(run: Run, call: WorkflowCall, ports: WorkflowPorts): Promise<WorkflowEnd> {
	if (run.session.taskId !== undefined) {
		const message = workflowTexts.notInTask(call.workflow.name);
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const { working } = run.control;
	try {
		const known = await begin(run, call, ports.workflows);
		if (known.end) return known.end;
		// A step may need a decision of the run's client, so the run stops if that client is gone.
		stopIfAbandoned(run);
		// Each step measures its own working time.
		working.stop();
		await new Engine(run, call.callId, ports).work();
		return await complete(run, call.callId);
	} catch (reason) {
		if (reason instanceof StoreError || run.control.cause === "parked") throw reason;
		const error = run.control.cause ? "cancelled" : ParleyError.from(reason).message;
		const stopped = await run.commit((writing) => settleWorkflows(run, writing, error));
		ports.workflows.stopTasks(stopped);
		if (run.control.cause) throw reason;
		if (ParleyError.from(reason).code === "internal") run.log.error(workflowTexts.failed, { error: reason });
		return { output: "", error };
	} finally {
		working.start();
	}
}

async function begin(run: Run, call: WorkflowCall, { modelOf }: StepModels): Promise<WorkflowProgress> {
	const known = WorkflowProgress.of(run.steps, call.callId);
	if (known) return known;
	const { workflow, callId } = call;
	for (const step of workflow.steps) await modelFor(run, workflow, step, modelOf);
	const at = run.clock.now();
	const redactedArguments = run.session.redactor.redactKnown(call.arguments);
	await run.commit(async (writing) => {
		const vars = redactedArguments === "" ? {} : { ARGUMENTS: redactedArguments };
		await new WorkflowRecord(run, writing).add(
			{ kind: "workflow", callId, workflow, arguments: redactedArguments, at },
			{ type: "skill.started", runId: run.id, callId, skill: workflow.name, kind: "multi-step", vars },
		);
	});
	return progressOf(run, callId);
}

async function complete(run: Run, callId: string): Promise<WorkflowEnd> {
	const progress = progressOf(run, callId);
	const { output, error } = endingOf(progress);
	await run.commit((writing) => new WorkflowRecord(run, writing).end(progress, { output, error }));
	return { output, error };
}

function progressOf(run: Run, callId: string): WorkflowProgress {
	const progress = WorkflowProgress.of(run.steps, callId);
	if (progress) return progress;
	throw new ParleyError(workflowTexts.notStarted(callId), { code: "internal" });
}

/** Returns the model for a step, or undefined if the default model of the agent applies. */
async function modelFor(
	run: Run,
	workflow: Workflow,
	step: WorkStep,
	modelOf: StepModels["modelOf"],
): Promise<string | undefined> {
	const requested = step.model ?? workflow.model;
	if (requested !== undefined) return modelOf({ profile: step.delegated?.agent ?? run.agent }, requested);
	const { session, agent, row } = run;
	return row.options.model ?? (agent === session.profile ? session.model : undefined);
}

/** Engine of one workflow. Works until no step is open and no further step can start. */
class Engine {
	readonly #run: Run;
	readonly #ports: WorkflowPorts;
	readonly #callId: string;
	/** Stops the waits of all steps when the work ends, for example after an unexpected error of one step. */
	readonly #broken = new AbortController();
	readonly #stop: AbortSignal;
	/**
	 * Settles after the last requested verdict. Verdicts are requested sequentially, because the model calls for verdicts
	 * belong to one run.
	 */
	#judging: Promise<unknown> = Promise.resolve();

	constructor(run: Run, callId: string, ports: WorkflowPorts) {
		this.#run = run;
		this.#ports = ports;
		this.#callId = callId;
		this.#stop = AbortSignal.any([run.control.signal, this.#broken.signal]);
	}

	async work(): Promise<void> {
		const working = new Map<string, Promise<void>>();
		try {
			for (;;) {
				const { open, ready } = this.#progress;
				for (const step of [...open, ...ready]) {
					if (working.has(step.id) || (working.size >= maxConcurrentSteps && !open.includes(step))) continue;
					working.set(
						step.id,
						this.#try(step).finally(() => working.delete(step.id)),
					);
				}
				if (working.size === 0) return;
				await Promise.race(working.values());
			}
		} finally {
			this.#broken.abort();
			await Promise.allSettled(working.values());
		}
	}

	get #progress(): WorkflowProgress {
		return progressOf(this.#run, this.#callId);
	}

	/** Completes the next attempt of the step, or the attempt that a restart interrupted. */
	async #try(step: WorkStep): Promise<void> {
		this.#stop.throwIfAborted();
		const last = this.#progress.lastTry(step.id);
		const { taskId } = last && !last.end ? last : await this.#start(step);
		const task = await this.#ended(taskId);
		const verdict = task.state === "completed" ? await this.#judge(step, task) : undefined;
		await this.#finish(step, task, verdict);
		// For some wires, a denial must cancel the run. The denial has already ended the step as cancelled.
		if (task.state === "cancelled" && this.#run.row.options.onDenied === "cancel") this.#run.control.cancel();
	}

	async #start(step: WorkStep): Promise<{ readonly taskId: string }> {
		const run = this.#run;
		const { session, settings, row, clock, journal } = run;
		const { ids, workflows, observers } = this.#ports;
		const progress = this.#progress;
		const { workflow } = progress;
		const refused = await refusalOf(run, settings.names[0], this.#ports);
		if (refused) throw new ParleyError(refused.error, { code: "resource_exhausted" });
		const model = await modelFor(run, workflow, step, workflows.modelOf);
		const names = settings.tools.map(({ name }) => name).filter((name) => !notInSteps.includes(name));
		const { agent = run.agent, tools = workflow.tools } = step.delegated ?? {};
		const requested = {
			title: step.title,
			description: stepText(progress, step),
			agent,
			// Another skill of the run may restrict the tools further.
			tools: names
				.filter((name) => tools?.includes(name) ?? true)
				.filter((name) => excludedBySkill(run, name) === undefined),
			maxRetries: providerRetries,
			autonomy: "autonomous" as const,
			...defined({ model }),
		};
		const joined = joinedBy(run);
		const origin = {
			taint: "" as const,
			spawnCall: run.id,
			submittedBy: row.actor?.id ?? session.owner,
			actor: row.actor ? JSON.stringify(row.actor) : null,
			...defined({ participants: joined.length > 0 ? joined : undefined }),
		};
		let created: readonly Recorded[] = [];
		const taskId = await run.commit(async (writing) => {
			const services = { ids, clock, journal };
			const inserted = await insertTask(services, writing, session, { requested, origin });
			created = inserted.created;
			await new WorkflowRecord(run, writing).start(progress, step, {
				taskId: inserted.row.id,
				model: model ?? settings.names[0],
			});
			return inserted.row.id;
		});
		for (const event of created) observers.notify(event, session.owner);
		await run.reach("skill-step-started");
		workflows.startTasks();
		return { taskId };
	}

	async #ended(taskId: string): Promise<TaskRow> {
		const { session, clock, journal } = this.#run;
		for (;;) {
			this.#stop.throwIfAborted();
			const wake = session.nextWake(taskId);
			const row = await journal.store.read((db) => findTask(db, taskId));
			if (!row) throw new ParleyError(taskTexts.notFound(taskId), { code: "not_found" });
			if (hasEnded(row.state)) return row;
			await waitForWake(wake, clock, this.#stop);
		}
	}

	/**
	 * Requests a verdict on the output of a step, or resolves with undefined if the step has no criteria. An
	 * invalid verdict is treated as negative. Rejects if the model call fails or the workflow is stopped.
	 */
	#judge(step: WorkStep, { output }: TaskRow): Promise<Verdict | undefined> {
		const { criteria } = step;
		if (!criteria) return Promise.resolve(undefined);
		const run = this.#run;
		const input = {
			criteria,
			task: shorten(step.prompt, maxJudgeCharacters),
			result: shorten(output, maxJudgeCharacters),
		};
		const verdict = this.#judging.then(async () => {
			this.#stop.throwIfAborted();
			run.control.working.start();
			try {
				return await judge(input, (request) =>
					askForText(
						run,
						{ ...request, sampling: { maxTokens: verdictTokens }, reasoning: "off" },
						{ first: run.settings.names[0], purpose: "a verdict" },
						this.#ports,
					),
				);
			} finally {
				run.control.working.stop();
			}
		});
		this.#judging = verdict.catch(() => undefined);
		return verdict;
	}

	async #finish(step: WorkStep, task: TaskRow, verdict: Verdict | undefined): Promise<void> {
		const run = this.#run;
		const { redactor, id: sessionId } = run.session;
		const reason = redactor.redact(verdict?.reason ?? "");
		await run.commit(async (writing) => {
			const { tx } = writing;
			// Data that the step has read reaches the run and later steps, so the session gets the taint of the step.
			await addTaint(tx, sessionId, await findTaint(tx, task.own_session_id));
			const usage = await sessionTotal(tx, task.own_session_id);
			const progress = this.#progress;
			const isUnmet = verdict?.passed === false;
			const attempt = progress.lastTry(step.id)?.attempt ?? 1;
			await new WorkflowRecord(run, writing).finish(progress, step, {
				output: task.output,
				reason,
				error: isUnmet ? workflowTexts.unmet(reason) : errorOf(task),
				willRetry: isUnmet && attempt < maxTries && progress.failed === undefined,
				tokens: usage.inputTokens + usage.outputTokens,
				cost: usage.cost,
			});
		});
		await run.reach("skill-step-ended");
	}
}

function errorOf({ state, error }: TaskRow): string {
	if (state === "completed") return "";
	if (state === "cancelled")
		return error === "" || error === "cancelled" ? "cancelled" : `cancelled: ${error}`;
	return error;
}

/** Waits until `wake` resolves or `checkMs` pass. Rejects if the signal aborts. */
async function waitForWake(wake: Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const stop = (): void => resolve();
	const timer = clock.after(checkMs, stop);
	signal.addEventListener("abort", stop, { once: true });
	await Promise.race([wake, promise]);
	timer.cancel();
	signal.removeEventListener("abort", stop);
	signal.throwIfAborted();
}

/** Maximum characters of each result in the message for a step. */
const maxResult = 16_000;
/** Maximum characters of the workflow's arguments in the message for a step. */
const maxArguments = 16_000;

function stepText(progress: WorkflowProgress, { id, prompt, criteria, needs }: WorkStep): string {
	const { workflow, arguments: workflowArguments } = progress;
	const last = progress.lastTry(id)?.end;
	const titles = new Map(workflow.steps.map((step) => [step.id, step.title]));
	// Everything except the prompt is quoted, so that no other line looks like a line of the prompt.
	return [
		prompt,
		workflowArguments.trim() === ""
			? ""
			: section(stepTexts.arguments(workflow.name), shorten(workflowArguments, maxArguments)),
		criteria ? section(stepTexts.criteria, criteria.join("\n")) : "",
		...needs.map((need) =>
			section(stepTexts.resultOf(titles.get(need) ?? need), shorten(progress.outputOf(need), maxResult)),
		),
		last?.willRetry ? section(stepTexts.earlierAttempt, last.error) : "",
		last?.willRetry ? section(stepTexts.earlierResult, shorten(last.output, maxResult)) : "",
	]
		.filter((part) => part !== "")
		.join("\n\n");
}

/** Characters that some readers treat as the end of a line. */
const lineEnds = /\r\n|[\n\v\f\r\u{85}\u{2028}\u{2029}]/u;

function section(heading: string, text: string): string {
	const lines = text.split(lineEnds).map((line) => `> ${line}`);
	return [`${heading}:`, ...lines].join("\n");
}

function endingOf(progress: WorkflowProgress): WorkflowEnd {
	if (progress.workflow.isDelegation) return delegationEnding(progress);
	const error = failureText(progress);
	return { output: error === "" ? resultText(progress) : "", error };
}

function resultText(progress: WorkflowProgress): string {
	const [only, ...others] = progress.lastSteps;
	if (only && others.length === 0) return progress.outputOf(only.id);
	return progress.lastSteps.map(({ id, title }) => `## ${title}\n\n${progress.outputOf(id)}`).join("\n\n");
}

function failureText(progress: WorkflowProgress): string {
	const { failed, workflow } = progress;
	if (!failed) return "";
	const { step, attempts, error } = failed;
	const tries = attempts === 1 ? "" : ` after ${attempts} attempts`;
	const done = workflow.steps.filter(({ id }) => progress.succeeded(id));
	const skipped = workflow.steps.filter(({ id }) => progress.lastTry(id) === undefined);
	return definedItems([
		workflowTexts.failedAt(workflow.name, step.title, tries, error),
		done.length > 0 ? `Completed: ${titlesOf(done)}.` : undefined,
		skipped.length > 0 ? workflowTexts.skipped(titlesOf(skipped)) : undefined,
	]).join(" ");
}

function titlesOf(steps: readonly WorkStep[]): string {
	return steps.map(({ title }) => title).join(", ");
}

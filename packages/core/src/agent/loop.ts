import { defined, type ParleyError } from "@parley/base";
import type { RecordEvents } from "../conversation/commit.ts";
import { drainSteers } from "../conversation/queue.ts";
import type { Memories } from "../memory/memories.ts";
import type { ModelTable } from "../models/table/model-table.ts";
import { withinContextBudget } from "../text/context-budget.ts";
import type { EndCause, RecordedEvent } from "../vocabulary/event.ts";
import type { CallBlock } from "../vocabulary/message.ts";
import { ModelError, type ModelFault } from "../vocabulary/model-error.ts";
import { mayAct, phaseOf } from "../vocabulary/run-options.ts";
import type { Step } from "../vocabulary/step.ts";
import { callsOf, textOf } from "../vocabulary/transcript.ts";
import { runOwnCommand } from "./calls/own-command.ts";
import { type CallPorts, isCancelledByDenial, runCalls } from "./calls/run-calls.ts";
import { type AttachmentPorts, placeAttachments, withdrawRefused } from "./images/attachments.ts";
import { LiveReply } from "./replies/live-reply.ts";
import { recallMemories } from "./replies/memories-of-run.ts";
import { nextRequest, type ReplyPorts } from "./replies/request.ts";
import { nextTry, triesOf } from "./replies/retries.ts";
import { type Attempt, countCall, streamReply } from "./replies/stream-reply.ts";
import { refusalOf, type SpendingPorts } from "./run/limits.ts";
import type { ChooseSettings, Run } from "./run/run.ts";
import { modelLimits } from "./run/settings.ts";
import { startSkill } from "./run/skills-of-run.ts";
import { runEndTexts } from "./texts.ts";
import { runWorkflow } from "./workflow/run-workflow.ts";
import type { WorkflowPorts } from "./workflow/workflow-ports.ts";

export interface RunOutcome {
	/** Reason for the failure, `cancelled` if the run was cancelled, or "" if the run succeeded. */
	readonly error: string;
	readonly cause?: EndCause;
}

export interface RunEnding extends RunOutcome {
	/** Unrecorded reply that ended the run. Undefined if something else ended the run, for example a limit. */
	readonly last: Attempt | undefined;
	/** Result of a workflow, which is the answer of the run. Undefined for runs without a workflow. */
	readonly answer?: string;
}

interface PreparePorts extends AttachmentPorts {
	readonly settings: ChooseSettings;
	readonly memories: Memories;
	readonly table: ModelTable;
}

export interface LoopPorts extends PreparePorts, ReplyPorts, CallPorts, WorkflowPorts {}

/**
 * Runs the agent loop: executes the calls of the last reply, sends the next request, and repeats. Continues from the
 * recorded steps, including after a restart. Returns the end of the run. Throws if the run cannot continue, for example
 * if the run is stopped during a tool call, or if a step cannot be stored.
 */
export async function runLoop(run: Run, ports: LoopPorts): Promise<RunEnding> {
	await prepare(run, ports);
	const withoutModel = await endingWithoutModel(run, ports);
	if (withoutModel) return withoutModel;
	let tries = triesOf(run, ports.random);
	for (;;) {
		run.control.signal.throwIfAborted();
		const open = openCalls(run.steps);
		if (open.length > 0) await runCalls(run, open, ports);
		const stopped = await reasonToStop(run, open, tries.model, ports);
		if (stopped) return { ...stopped, last: undefined };
		await beginCall(run, tries.failed > 0);
		const request = await nextRequest(run, tries.model, ports);
		const answer = await streamReply(run, request, new LiveReply(run, ports.ids), ports);
		const next = await nextTry(run, answer, tries, { spending: ports });
		if (next?.refused) return { ...next.refused, last: undefined };
		if (next) continue;
		await run.reach("model-done");
		tries = triesOf(run, ports.random);
		if (await withdrawRefused(run, answer, ports)) continue;
		const failed = failureOf(run.steps, answer.reply);
		if (failed || isAnswer(run, answer)) return { error: "", ...failed, last: answer };
		await recordReply(run, answer, ports);
	}
}

/**
 * Whether the reply is the answer of the run. In `ooda` mode, only the last reply of a round can be the answer.
 */
function isAnswer({ row, steps }: Run, { reply }: Attempt): boolean {
	return mayAct(phaseOf(row.options, steps)) && callsOf(reply.content).length === 0;
}

async function recordReply(run: Run, answer: Attempt, spending: SpendingPorts): Promise<void> {
	const acts = mayAct(phaseOf(run.row.options, run.steps));
	await run.commit(async ({ tx, record, step }) => {
		const { cost, events } = await countCall(run, answer, tx, spending);
		const reply = replyStep(answer, cost);
		await record(...(acts ? withText(events, textOf(reply.content)) : events));
		await step(acts ? reply : withoutCalls(reply));
		if (acts) await recordPhase(run, "acting", record);
	});
}

/**
 * Adds the text of a reply to the `model.called` event of the reply, so that clients can show the text before the
 * calls.
 */
function withText(events: readonly RecordedEvent[], text: string): readonly RecordedEvent[] {
	if (text.trim() === "") return events;
	return events.map((event) => (event.type === "model.called" ? { ...event, text } : event));
}

async function prepare(run: Run, ports: PreparePorts): Promise<void> {
	if (run.row.cancelRequested) run.control.cancel();
	await run.choose(ports.settings);
	await ports.workspaces.prepare(run.session.home);
	await recallMemories(run, ports.memories);
	await startSkill(run);
	await fitContext(run, ports);
	if (run.row.attachments || run.row.images.length > 0) await placeAttachments(run, ports);
}

async function endingWithoutModel(run: Run, ports: LoopPorts): Promise<RunEnding | undefined> {
	const ofWorkflow = await workflowEnding(run, ports);
	if (ofWorkflow) return ofWorkflow;
	return (await runOwnCommand(run, ports)) ? { error: "", last: undefined } : undefined;
}

/**
 * Runs the workflow of the run, and returns the end of the run. Returns undefined for a run without a workflow. Also
 * returns undefined if a message was added to the run, because a model must answer that message.
 */
async function workflowEnding(run: Run, ports: WorkflowPorts): Promise<RunEnding | undefined> {
	const { workflow } = run.row.options;
	if (!workflow || run.steps.some(({ kind }) => kind === "steered")) return undefined;
	const { output, error } = await runWorkflow(run, { ...workflow, callId: "" }, ports);
	const isFailed = error !== "" && error !== "cancelled";
	return { error, last: undefined, answer: output, ...defined({ cause: isFailed ? "step" : undefined }) };
}

/** Returns the calls of the last reply, or none if the next model call has already started. */
function openCalls(steps: readonly Step[]): readonly CallBlock[] {
	const last = steps.findLast((step) => step.kind === "reply" || step.kind === "call");
	return last?.kind === "reply" ? callsOf(last.content) : [];
}

async function reasonToStop(
	run: Run,
	calls: readonly CallBlock[],
	model: string,
	spending: SpendingPorts,
): Promise<RunOutcome | undefined> {
	return (await isCancelledByDenial(run, calls)) ? { error: "cancelled" } : refusalOf(run, model, spending);
}

async function beginCall(run: Run, isRetry: boolean): Promise<void> {
	if (run.steps.findLast((step) => step.kind === "reply" || step.kind === "call")?.kind === "call") {
		// The start of the model call is already recorded, for example by the claim of the run, before a restart, or for a
		// failed attempt.
		if (run.resumed || isRetry) await addWaitingMessages(run);
		return;
	}
	await run.commit(async ({ tx, record, step }) => {
		for (const steered of await drainSteers(tx, run.id)) await step(steered);
		await step({ kind: "call" });
		await recordPhase(run, "thinking", record);
	});
}

async function recordPhase(
	{ session: { task }, row, steps }: Run,
	phase: "thinking" | "acting",
	record: RecordEvents,
): Promise<void> {
	if (!task) return;
	const ooda = phase === "acting" ? undefined : phaseOf(row.options, steps);
	await record({ type: "worker.phased", taskId: task.taskId, phase, ...defined({ ooda }) });
}

type ReplyStep = Extract<Step, { kind: "reply" }>;

export function replyStep({ model: requested, reply }: Attempt, cost: number): ReplyStep {
	const { content, model, usage, stop } = reply;
	return { kind: "reply", content, model, asked: requested, ...defined({ stop }), usage, cost };
}

function withoutCalls(reply: ReplyStep): ReplyStep {
	// A model without tools can still write calls, which must not run.
	return { ...reply, content: reply.content.filter(({ type }) => type !== "call") };
}

/** Returns the failure with which the reply ends the run, or undefined. */
function failureOf(
	steps: readonly Step[],
	{ failure, stop, content }: Attempt["reply"],
): RunOutcome | undefined {
	if (failure?.code === "cancelled") return { error: "cancelled" };
	if (failure)
		return {
			error: isTemporary(failure) ? runEndTexts.tryLater(failure.message) : failure.message,
			...defined({ cause: failure.code === "internal" ? undefined : "model" }),
		};
	if (stop === "refusal") return { error: runEndTexts.refused, cause: "refusal" };
	if (stop !== "max_tokens") return undefined;
	// The model may repeat the calls of a cut reply in a shorter form, up to `maxCutReplies` times.
	if (callsOf(content).length > 0 && cutReplies(steps) < maxCutReplies) return undefined;
	const error = runEndTexts.lengthLimit;
	return { error, cause: "cut" };
}

const temporary: readonly ModelFault[] = ["rate-limited", "overloaded", "interrupted", "timeout"];

/** Whether the same request may succeed later. */
function isTemporary(failure: ParleyError): boolean {
	return failure instanceof ModelError && temporary.includes(failure.fault);
}

const maxCutReplies = 2;

function cutReplies(steps: readonly Step[]): number {
	return steps.filter((step) => step.kind === "reply" && step.stop === "max_tokens").length;
}

async function addWaitingMessages(run: Run): Promise<void> {
	const waiting = await run.journal.store.read((db) =>
		db.selectFrom("steers").select("id").where("run_id", "=", run.id).limit(1).execute(),
	);
	if (waiting.length === 0) return;
	await run.commit(async ({ tx, step }) => {
		for (const steered of await drainSteers(tx, run.id)) await step(steered);
	});
}

/**
 * Assumed bytes of a token. Text has about 4 bytes for each token, so the context messages use at most about a quarter
 * of the window.
 */
const bytesPerToken = 1;

/**
 * Reduces the run's context messages to the selection of `withinContextBudget`. More messages could make the
 * request fail.
 */
async function fitContext(run: Run, { table }: { readonly table: ModelTable }): Promise<void> {
	const { context } = run.row;
	if (context === undefined) return;
	const { names } = run.settings;
	const { contextWindow } = modelLimits(run.settings, names[0], table);
	const { chosen, isShort } = withinContextBudget(context.messages, contextWindow * bytesPerToken);
	if (!isShort) return;
	const fitting = { ...context, messages: chosen, hasOlder: true };
	await run.commit(async ({ tx }) => {
		const stored = JSON.stringify(fitting);
		await tx.updateTable("runs").set({ context: stored }).where("id", "=", run.id).execute();
	});
	run.row = { ...run.row, context: fitting };
}

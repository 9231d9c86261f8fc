import { defined, ParleyError, StoreError } from "@parley/base";
import type { Prompts } from "../conversation/prompts.ts";
import { claimNext, drainSteers, type RunRow } from "../conversation/queue.ts";
import type { SessionGrants } from "../conversation/session-grants.ts";
import { indexMessages } from "../store/search-texts.ts";
import { addTokens, markRunEnded, stopperOf } from "../store/statements.ts";
import { sessionTotal } from "../usage/ledger.ts";
import type { EndCause, RecordedEvent, TrustBadge } from "../vocabulary/event.ts";
import type { RunOrigin } from "../vocabulary/schedule.ts";
import { type Step, spentIn } from "../vocabulary/step.ts";
import { callsOf, textOf } from "../vocabulary/transcript.ts";
import { noUsage } from "../vocabulary/usage.ts";
import { recordResult, withoutRun } from "./calls/record-call.ts";
import { type RunEnding, type RunOutcome, replyStep } from "./loop.ts";
import { countCall, recordAttempt } from "./replies/stream-reply.ts";
import { letAnyClientDecide, type SpendingPorts } from "./run/limits.ts";
import type { Run, Writing } from "./run/run.ts";
import { endsOfSkills } from "./run/skills-of-run.ts";
import { limitTexts } from "./run/texts.ts";
import { runEndTexts } from "./texts.ts";
import { settleWorkflows } from "./workflow/record.ts";
import type { WorkflowTasks } from "./workflow/workflow-ports.ts";

type ReplyStep = Extract<Step, { kind: "reply" }>;

export interface Ended {
	/**
	 * Next run of the session, claimed in the transaction that ended this run. Undefined if no run is queued, or if the
	 * run was parked instead of ended.
	 */
	readonly next: RunRow | undefined;
}

/**
 * Returns the end of a run after the loop of the run threw `reason`. Rethrows a `StoreError`, because the run continues
 * when the store works again.
 */
export function endingOf(run: Run, reason: unknown): RunEnding {
	const error = ParleyError.from(reason);
	if (reason instanceof StoreError) throw reason;
	if (run.control.cause === undefined) run.log.error(runEndTexts.failed, { error: reason });
	const cause = causeOf(error);
	const text = error.code === "cancelled" ? "cancelled" : error.message;
	return { error: text, last: undefined, ...defined({ cause }) };
}

function causeOf({ code }: ParleyError): EndCause | undefined {
	switch (code) {
		case "resource_exhausted":
			return "limit";
		case "invalid_argument":
		case "not_found":
		case "permission_denied":
		case "failed_precondition":
			return "settings";
		default:
			return undefined;
	}
}

export interface EndPorts extends SpendingPorts {
	readonly prompts: Prompts;
	readonly grants: SessionGrants;
	readonly workflows: WorkflowTasks;
}

/**
 * Records the end of a run and claims the session's next run. Returns undefined if a message arrived before the
 * successful end of the run, because the run then continues. Records no end for a parked run, which continues later.
 * Parks the run of a task if the last model call failed temporarily and the task may be retried.
 */
export async function endRun(run: Run, ending: RunEnding, ports: EndPorts): Promise<Ended | undefined> {
	const { session, control } = run;
	if (control.cause === "parked") {
		await letAnyClientDecide(run);
		return { next: undefined };
	}
	const { error, cause } = control.cause ? causes[control.cause](run) : ending;
	let closed: string[] = [];
	let stopped: readonly string[] = [];
	let isPutOff = false;
	const ended = await run.commit(async (writing): Promise<Ended | undefined> => {
		const { tx, record, step } = writing;
		isPutOff = await putOff(run, ending, writing, ports);
		if (isPutOff) return { next: undefined };
		const last = await countLast(run, ending, writing, ports);
		const steers = await drainSteers(tx, run.id);
		for (const steered of steers) await step(steered);
		if (steers.length > 0 && error === "") {
			await step({ kind: "call" });
			await record(...last.events);
			return undefined;
		}
		if (run.steps.some(({ kind }) => kind === "workflow"))
			stopped = await settleWorkflows(run, writing, error);
		await cancelAnnouncedCalls(run, writing);
		const reason = error === "" ? "ended" : error;
		const stoppedBy = error === "cancelled" ? await stopperOf(tx, run.id) : undefined;
		const ofRun = { runId: run.id, reason, ...defined({ by: stoppedBy }) };
		closed = await ports.prompts.close(tx, record, session.home, ofRun);
		await step({ kind: "ended", error });
		const { origin } = run.row.options;
		const trusted = origin ? undefined : await ports.grants.badge(tx, session.place);
		return {
			next: await recordEnd(run, writing, { error, ...defined({ cause, origin, trusted, stoppedBy }) }, last),
		};
	});
	if (isPutOff) control.park();
	if (!ended || isPutOff) return ended;
	session.startedHere.delete(run.id);
	for (const token of closed) session.home.wake(token);
	if (stopped.length > 0) ports.workflows.stopTasks(stopped);
	await run.reach("ended");
	return ended;
}

/**
 * Postpones the task of the run after a failed model call, if the task may be retried. If the function returns true,
 * the caller must park the run.
 */
async function putOff(
	run: Run,
	{ last }: RunEnding,
	writing: Writing,
	spending: SpendingPorts,
): Promise<boolean> {
	const { task } = run.session;
	const failure = last?.reply.failure;
	if (!task || !failure || run.control.cause !== undefined) return false;
	const spend = async (): Promise<void> => {
		if (last) await recordAttempt(run, last, writing, spending);
	};
	return task.putOff(writing, failure, spend);
}

/** `events`: unrecorded events of the model call. */
interface LastReply {
	readonly reply?: ReplyStep;
	readonly events: readonly RecordedEvent[];
}

async function countLast(
	run: Run,
	{ last, answer = "" }: RunEnding,
	{ tx, step }: Writing,
	spending: SpendingPorts,
): Promise<LastReply> {
	if (answer !== "") {
		const text = { type: "text" as const, text: answer };
		const reply = { kind: "reply" as const, content: [text], model: "", usage: noUsage, cost: 0 };
		await step(reply);
		return { reply, events: [] };
	}
	if (!last) return { events: [] };
	const { cost, events } = await countCall(run, last, tx, spending);
	const reply = replyStep(last, cost);
	await step(reply);
	return { reply, events };
}

interface RunEnd extends RunOutcome {
	readonly origin?: RunOrigin;
	/** Channel grant that is active at the end of the run. Always undefined for a run that a schedule started. */
	readonly trusted?: TrustBadge;
	/** Principal that stopped the run. */
	readonly stoppedBy?: string;
}

/**
 * Records the end of the run. Claims and returns the session's next run, or returns undefined if no run waits.
 */
async function recordEnd(
	run: Run,
	{ tx, record }: Writing,
	{ error, cause, origin, trusted, stoppedBy }: RunEnd,
	last: LastReply,
): Promise<RunRow | undefined> {
	const { clock } = run;
	const steps = last.reply ? [...run.steps, last.reply] : run.steps;
	const { cost, ...usage } = spentIn(steps);
	const runId = run.id;
	const events = [...last.events];
	if (steps.some(({ kind }) => kind === "reply" || kind === "spent")) {
		const session = await sessionTotal(tx, run.session.id);
		events.push({ type: "usage.updated", runId, run: { ...usage, cost }, session });
	}
	const content = finalText(steps);
	const model = steps.findLast((step) => step.kind === "reply")?.model ?? "";
	const facts = { content, error, ...defined({ cause }), model, usage, cost, ...defined({ origin }) };
	events.push(...endsOfSkills(run, { content, error, now: clock.now() }));
	events.push({ type: "assistant.message", runId, ...facts, ...defined({ trusted, stoppedBy }) });
	await record(...events);
	await run.session.task?.end(tx, record, { error, content, ...defined({ stoppedBy }) });
	const texts = run.row.retryOf === undefined ? [run.row.content] : [];
	const steered = run.steps.flatMap((step) => (step.kind === "steered" ? [step.content] : []));
	await indexMessages(tx, run.session.id, [...texts, ...steered, content]);
	await markRunEnded(tx, { id: runId, at: clock.now() });
	await addTokens(tx, { sessionId: run.session.id, ...usage });
	return claimNext(tx, run.session, clock.now());
}

const causes: Readonly<Record<"cancelled" | "parked" | "overtime", (run: Run) => RunOutcome>> = {
	cancelled: () => ({ error: "cancelled" }),
	parked: () => ({ error: "parked" }),
	overtime: ({ limits, session }) => {
		const stopped = runEndTexts.workedTooLong(Math.round(limits.workingMs / 60_000));
		return {
			error: session.task ? limitTexts.smallerTasks(stopped) : limitTexts.continue(stopped),
			cause: "limit",
		};
	},
};

/**
 * Returns the text of the last reply, preceded by earlier answers of the run. An earlier answer is a reply after which
 * a message was added to the run. If the last reply has no text, returns the texts of all replies.
 */
function finalText(steps: readonly Step[]): string {
	const replies = steps.filter((step) => step.kind === "reply" || step.kind === "steered");
	const texts = replies.map((step) => (step.kind === "reply" ? textOf(step.content) : ""));
	const final = texts.findLast((_, index) => replies[index]?.kind === "reply") ?? "";
	if (final === "") return texts.filter((text) => text !== "").join("\n\n");
	const answers = texts.filter(
		(_, index) => isAnswer(replies[index]) && replies[index + 1]?.kind === "steered",
	);
	return [...answers, final].filter((text) => text !== "").join("\n\n");
}

function isAnswer(step: Step | undefined): boolean {
	return step?.kind === "reply" && callsOf(step.content).length === 0;
}

async function cancelAnnouncedCalls(run: Run, writing: Writing): Promise<void> {
	const done = new Set(run.steps.flatMap((known) => (known.kind === "result" ? [known.callId] : [])));
	const started = new Set(run.steps.flatMap((known) => (known.kind === "started" ? [known.callId] : [])));
	for (const known of run.steps) {
		if (known.kind !== "reply") continue;
		for (const call of callsOf(known.content)) {
			if (!started.has(call.id) || done.has(call.id)) continue;
			await recordResult(run, withoutRun(run, call, { text: "cancelled", failed: true }), writing);
		}
	}
}

import { ParleyError, StoreError } from "@parley/base";
import type { Tx } from "../journal/journal.ts";
import { addTokens, endRun } from "../journal/statements.ts";
import { closePrompts } from "../session/prompts.ts";
import { indexMessages } from "../session/search-texts.ts";
import type { Record } from "../session/session.ts";
import { sessionTotal } from "../usage/ledger.ts";
import { addUsage, noUsage, type Usage } from "../usage/usage.ts";
import { recordAttempt, recordCall } from "./attempt.ts";
import { converse, type Ending, replyStep } from "./converse.ts";
import { claimNext } from "./queue.ts";
import type { Run, RunRow } from "./run.ts";
import { recordResult, withoutRun } from "./settle-call.ts";
import { takeSteers } from "./steers.ts";
import type { Step } from "./step.ts";
import { callsOf, textOf } from "./transcript.ts";

type ReplyStep = Extract<Step, { kind: "reply" }>;

/**
 * Works on a run to its end and returns the session's next one, already claimed. A parked run ends nowhere: it goes
 * on at the next start. Rejects only when what it does cannot be recorded.
 */
export async function execute(run: Run): Promise<RunRow | undefined> {
	run.working.start();
	try {
		for (;;) {
			const ending = await work(run);
			if (run.cause === "parked") return undefined;
			const finished = await finish(run, ending);
			if (finished.ended) return finished.next;
		}
	} finally {
		run.working.stop();
	}
}

async function work(run: Run): Promise<Ending> {
	if (run.row.cancelRequested) run.cancel();
	try {
		return await converse(run);
	} catch (reason) {
		const error = ParleyError.from(reason);
		// A run ends with any other error. The store may work again later, and the run then continues.
		if (reason instanceof StoreError) throw reason;
		if (run.cause === undefined) {
			run.log.error("a run failed", { error: reason });
		}
		return { error: error.code === "cancelled" ? "cancelled" : error.message, last: undefined };
	}
}

interface Finished {
	/** False where somebody said something just before the end: the run goes on with it. */
	readonly ended: boolean;
	readonly next: RunRow | undefined;
	/** Whether it is a task's, which is tried again later. */
	readonly putOff?: true;
}

async function finish(run: Run, ending: Ending): Promise<Finished> {
	const error = run.cause ? causes[run.cause](run) : ending.error;
	const { failpoints } = run.session.deps;
	let closed: string[] = [];
	const finished = await run.commit(async (tx, record, step): Promise<Finished> => {
		if (await putOff(run, ending, { tx, record, step }))
			return { ended: true, putOff: true, next: undefined };
		const reply = await recordLast(run, ending, { tx, record, step });
		const steers = await takeSteers(tx, run.id);
		for (const steered of steers) await step(steered);
		if (steers.length > 0 && error === "") {
			await step({ kind: "call" });
			return { ended: false, next: undefined };
		}
		await settleOpenCalls(run, { tx, record, step });
		const reason = error === "" ? "ended" : error;
		closed = await closePrompts(tx, record, run.session.home, { runId: run.id, reason });
		await step({ kind: "ended", error });
		return { ended: true, next: await recordEnd(run, { tx, record, reply, error }) };
	});
	if (finished.putOff) run.park();
	if (!finished.ended || finished.putOff) return finished;
	for (const token of closed) run.session.home.wake(token);
	await failpoints.reach("ended");
	return finished;
}

interface LastWrite {
	readonly tx: Tx;
	readonly record: Record;
	readonly step: (step: Step) => Promise<void>;
}

/** Whether it is a task's that its provider has failed in passing: then it goes on later. */
async function putOff(run: Run, { last, failure }: Ending, writing: LastWrite): Promise<boolean> {
	const { task } = run.session;
	if (!task || !failure || run.cause !== undefined) return false;
	const spend = async (): Promise<void> => {
		if (last) await recordAttempt(run, last, writing);
	};
	return task.putOff(writing, failure, spend);
}

/** The reply that the run ends with, where it ends with one. */
async function recordLast(run: Run, { last }: Ending, writing: LastWrite): Promise<ReplyStep | undefined> {
	if (!last) return undefined;
	const reply = replyStep(last, await recordCall(run, last, writing));
	await writing.step(reply);
	return reply;
}

/** Tells everybody how it ended and makes the session's next run the active one. */
async function recordEnd(
	run: Run,
	{
		tx,
		record,
		reply,
		error,
	}: Pick<LastWrite, "tx" | "record"> & { reply: ReplyStep | undefined; error: string },
): Promise<RunRow | undefined> {
	const { clock } = run.session.deps;
	const steps = reply ? [...run.steps, reply] : run.steps;
	const { cost, ...usage } = spentIn(steps);
	const runId = run.id;
	if (steps.some(({ kind }) => kind === "reply" || kind === "spent")) {
		const session = await sessionTotal(tx, run.session.id);
		await record({ type: "usage.updated", runId, run: { ...usage, cost }, session });
	}
	const content = spoken(steps);
	const model = steps.findLast((step) => step.kind === "reply")?.model ?? "";
	const trusted = await run.session.deps.grants.badge(tx, run.session.place);
	const facts = { content, error, model, usage, cost };
	await record({ type: "assistant.message", runId, ...facts, ...(trusted && { trusted }) });
	await run.session.task?.end(tx, record, { error, content });
	const said = run.row.retryOf === undefined ? [run.row.content] : [];
	const steered = run.steps.flatMap((step) => (step.kind === "steered" ? [step.content] : []));
	await indexMessages(tx, run.session.id, [...said, ...steered, content]);
	await endRun(tx, { id: runId, at: clock.now() });
	await addTokens(tx, { sessionId: run.session.id, ...usage });
	return claimNext(tx, run.session, clock.now());
}

const causes = {
	cancelled: () => "cancelled",
	parked: () => "parked",
	overtime: ({ limits, session }: Run) => {
		const stopped = `stopped after ${Math.round(limits.workingMs / 60_000)} minutes of work`;
		return session.task ? stopped : `${stopped}; say "go on" to let it continue`;
	},
} as const;

/**
 * The text that a run leaves: of its last reply, or of all where that has none. An answer that somebody replied to
 * while the run was at work is part of it: nobody finds it anywhere else.
 */
function spoken(steps: readonly Step[]): string {
	const replies = steps.filter((step) => step.kind === "reply" || step.kind === "steered");
	const texts = replies.map((step) => (step.kind === "reply" ? textOf(step.content) : ""));
	const final = texts.findLast((_, index) => replies[index]?.kind === "reply") ?? "";
	if (final === "") return texts.filter((text) => text !== "").join("\n\n");
	const answers = texts.filter(
		(_, index) => isAnswer(replies[index]) && replies[index + 1]?.kind === "steered",
	);
	return [...answers, final].filter((text) => text !== "").join("\n\n");
}

/** Whether a reply calls nothing: the run would have ended with it. */
function isAnswer(step: Step | undefined): boolean {
	return step?.kind === "reply" && callsOf(step.content).length === 0;
}

/** Every call that was announced gets its end, also when the run was stopped before it. */
async function settleOpenCalls(run: Run, writing: LastWrite): Promise<void> {
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

/** What all model calls of the run took, those that gave nothing included. */
function spentIn(steps: readonly Step[]): Usage & { readonly cost: number } {
	return steps.reduce(
		(sum, step) => {
			if (step.kind !== "reply" && step.kind !== "spent") return sum;
			return { ...addUsage(sum, step.usage), cost: sum.cost + (step.cost ?? 0) };
		},
		{ ...noUsage, cost: 0 },
	);
}

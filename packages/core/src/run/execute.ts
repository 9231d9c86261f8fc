import { ParleyError } from "@parley/base";
import { closePrompts } from "../session/prompts.ts";
import type { Record } from "../session/session.ts";
import { addUsage, noUsage, type Usage } from "../usage.ts";
import { converse, type Ending, replyStep } from "./converse.ts";
import { claimNext } from "./queue.ts";
import type { Run, RunRow } from "./run.ts";
import { recordResult } from "./settle-call.ts";
import type { Step } from "./step.ts";
import { callsOf, textOf } from "./transcript.ts";

/**
 * Works on a run to its end and returns the session's next one, already claimed. A parked run ends nowhere: it goes
 * on at the next start. Rejects only when what it does cannot be recorded.
 */
export async function execute(run: Run): Promise<RunRow | undefined> {
	run.working.start();
	try {
		const ending = await work(run);
		return run.cause === "parked" ? undefined : await finish(run, ending);
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
		// Failures of the model and of tools are part of the record: this is the store, and a later try may do.
		if (error.code === "unavailable") throw reason;
		if (run.cause === undefined) {
			run.session.deps.log.error("a run failed", { runId: run.id, error: reason });
		}
		return { error: error.code === "cancelled" ? "cancelled" : error.message, last: undefined };
	}
}

async function finish(run: Run, ending: Ending): Promise<RunRow | undefined> {
	const error = run.cause ? causes[run.cause](run) : ending.error;
	const { reply, content } = spoken(run, ending);
	const { clock, failpoints } = run.session.deps;
	let closed: string[] = [];
	const next = await run.commit(async (tx, record, step) => {
		if (reply) await step(reply);
		await settleOpenCalls(run, record, step);
		closed = await closePrompts(tx, record, run.id, error === "" ? "ended" : error);
		await step({ kind: "ended", error });
		const usage = usageOf(reply ? [...run.steps, reply] : run.steps);
		const model = reply?.kind === "reply" ? reply.model : "";
		await record({ type: "assistant.message", runId: run.id, content, error, model, usage });
		const ended_at = clock.now();
		await tx.updateTable("runs").set({ state: "ended", ended_at }).where("id", "=", run.id).execute();
		await tx
			.updateTable("sessions")
			.set((eb) => ({
				input_tokens: eb("input_tokens", "+", usage.inputTokens),
				output_tokens: eb("output_tokens", "+", usage.outputTokens),
			}))
			.where("id", "=", run.session.id)
			.execute();
		return claimNext(tx, run.session, clock.now());
	});
	for (const token of closed) run.session.wake(token);
	await failpoints.reach("ended");
	return next;
}

const causes = {
	cancelled: () => "cancelled",
	parked: () => "parked",
	overtime: (run: Run) => `stopped after ${Math.round(run.deps.limits.workingMs / 60_000)} minutes of work`,
} as const;

/** The reply to record, and the text that the run leaves: of its last reply, or of all where that has none. */
function spoken(run: Run, { last }: Ending): { reply: Step | undefined; content: string } {
	const reply = last && replyStep(last);
	const texts = [...run.steps, ...(reply ? [reply] : [])]
		.filter((step) => step.kind === "reply")
		.map((step) => textOf(step.content));
	const final = texts.at(-1) ?? "";
	return { reply, content: final === "" ? texts.filter((text) => text !== "").join("\n\n") : final };
}

/** Every call that was announced gets its end, also when the run was stopped before it. */
async function settleOpenCalls(run: Run, record: Record, step: (step: Step) => Promise<void>): Promise<void> {
	const done = new Set(run.steps.flatMap((known) => (known.kind === "result" ? [known.callId] : [])));
	const started = new Set(run.steps.flatMap((known) => (known.kind === "started" ? [known.callId] : [])));
	for (const known of run.steps) {
		if (known.kind !== "reply") continue;
		for (const call of callsOf(known.content)) {
			if (!started.has(call.id) || done.has(call.id)) continue;
			await recordResult(run, { call, result: { text: "cancelled", failed: true } }, record, step);
		}
	}
}

function usageOf(steps: readonly Step[]): Usage {
	return steps.reduce((sum, step) => (step.kind === "reply" ? addUsage(sum, step.usage) : sum), noUsage);
}

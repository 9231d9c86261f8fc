import type { ParleyError } from "@parley/base";
import type { Record } from "../session/session.ts";
import { recordCall } from "./attempt.ts";
import { callModel } from "./model-call.ts";
import { placeAttachments, withdrawPictures } from "./place-attachments.ts";
import { refusalOf } from "./refusal.ts";
import { withdrawFromConversation } from "./result-pictures.ts";
import type { Run } from "./run.ts";
import { runCalls } from "./run-calls.ts";
import { enterSteers, takeSteers } from "./steers.ts";
import type { Step } from "./step.ts";
import { callsOf } from "./transcript.ts";
import type { Answer } from "./with-retries.ts";

/** How a run ends: `last` is an answer that is not recorded yet, `error` is "" when all went well. */
export interface Ending {
	readonly error: string;
	readonly last: Answer | undefined;
	/** What the model's provider did, where that is why. */
	readonly failure?: ParleyError | undefined;
}

/**
 * The agent loop: model, calls, model, … from wherever the recorded steps stand until there is nothing to do.
 * Throws only where the run was stopped, or its record cannot be written.
 */
export async function converse(run: Run): Promise<Ending> {
	await run.choose();
	await run.session.deps.workspaces.prepare(run.session.home);
	await placeAttachments(run);
	for (;;) {
		run.signal.throwIfAborted();
		const open = openCalls(run.steps);
		if (open.length > 0) await runCalls(run, open);
		const refused = await refusalOf(run, run.asking ?? run.settings.names[0]);
		if (refused !== undefined) return { error: refused, last: undefined };
		await reachCall(run);
		const answer = await callModel(run);
		await run.session.deps.failpoints.reach("model-done");
		if ("stopped" in answer) return { error: messageOf(answer.stopped), last: undefined };
		const { failure } = answer.reply;
		if (await withdrawFromConversation(run, answer)) continue;
		await withdrawPictures(run, failure);
		const error = errorOf(run, answer);
		if (error !== "" || callsOf(answer.reply.content).length === 0) return { error, last: answer, failure };
		await run.commit(async (tx, record, step) => {
			const cost = await recordCall(run, answer, { tx, record });
			await step(replyStep(answer, cost));
			await recordPhase(run, "acting", record);
		});
	}
}

/** The reply as the run remembers it. */
export function replyStep({ asked, reply }: Answer, cost: number): Extract<Step, { kind: "reply" }> {
	const { content, model, usage, stop } = reply;
	return { kind: "reply", content, model, asked, ...(stop && { stop }), usage, cost };
}

/** Begins the next model call, or goes on with the one that a stop of the gateway has cut. */
async function reachCall(run: Run): Promise<void> {
	if (run.steps.at(-1)?.kind !== "call") await beginCall(run);
	else if (run.resumed) await enterSteers(run);
}

/** The next model call; what people said meanwhile comes before it. */
function beginCall(run: Run): Promise<void> {
	return run.commit(async (tx, record, step) => {
		for (const steered of await takeSteers(tx, run.id)) await step(steered);
		await step({ kind: "call" });
		await recordPhase(run, "thinking", record);
	});
}

/** What a task's worker is at. */
async function recordPhase(
	{ session: { task } }: Run,
	phase: "thinking" | "acting",
	record: Record,
): Promise<void> {
	if (task) await record({ type: "worker.phased", taskId: task.taskId, phase });
}

/** The calls of the last reply, as long as the model has not been called again. */
function openCalls(steps: readonly Step[]): ReturnType<typeof callsOf> {
	const last = steps.findLast((step) => step.kind === "reply" || step.kind === "call");
	return last?.kind === "reply" ? callsOf(last.content) : [];
}

/** What people are told of a reply that is not what was asked for; "" where it is. */
function errorOf(run: Run, { reply }: Answer): string {
	if (reply.failure) return messageOf(reply.failure);
	if (reply.stop === "refusal") return "the model refused to answer this";
	if (reply.stop !== "max_tokens") return "";
	// The model is told which calls were cut, and can write less. A model that does not is stopped.
	if (callsOf(reply.content).length > 0 && cutReplies(run.steps) < mostCutReplies) return "";
	return "the reply was cut off at its limit or ended without a reason; ask it to go on, or for less";
}

/** Replies of one run with a call that was cut, after which it continues. */
const mostCutReplies = 2;

function cutReplies(steps: readonly Step[]): number {
	return steps.filter((step) => step.kind === "reply" && step.stop === "max_tokens").length;
}

function messageOf(failure: ParleyError): string {
	return failure.code === "cancelled" ? "cancelled" : failure.message;
}

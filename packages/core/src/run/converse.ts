import type { ParleyError } from "@parley/base";
import { callModel, type Reply } from "./model-call.ts";
import type { Run } from "./run.ts";
import { runCalls } from "./run-calls.ts";
import type { Step } from "./step.ts";
import { callsOf } from "./transcript.ts";

/** How a run ends: `last` is a reply that is not recorded yet, `error` is "" when all went well. */
export interface Ending {
	readonly error: string;
	readonly last: Reply | undefined;
}

/**
 * The agent loop: model, calls, model, … from wherever the recorded steps stand until there is nothing to do.
 * Throws only where the run was stopped, or its record cannot be written.
 */
export async function converse(run: Run): Promise<Ending> {
	for (;;) {
		run.signal.throwIfAborted();
		const open = openCalls(run.steps);
		if (open.length > 0) await runCalls(run, open);
		const tooMany = replies(run.steps) >= run.deps.limits.modelCalls;
		if (tooMany) return { error: `stopped after ${run.deps.limits.modelCalls} model calls`, last: undefined };
		if (run.steps.at(-1)?.kind !== "call") await run.commit((_tx, _record, step) => step({ kind: "call" }));
		const reply = await callModel(run);
		await run.session.deps.failpoints.reach("model-done");
		if (reply.failure) return { error: errorOf(reply.failure), last: reply };
		if (callsOf(reply.content).length === 0) return { error: "", last: reply };
		await run.commit((_tx, _record, step) => step(replyStep(reply)));
	}
}

/** The reply as the run remembers it. */
export function replyStep({ content, model, usage }: Reply): Step {
	return { kind: "reply", content, model, usage };
}

/** The calls of the last reply, as long as the model has not been called again. */
function openCalls(steps: readonly Step[]): ReturnType<typeof callsOf> {
	const last = steps.findLast((step) => step.kind === "reply" || step.kind === "call");
	return last?.kind === "reply" ? callsOf(last.content) : [];
}

function replies(steps: readonly Step[]): number {
	return steps.filter((step) => step.kind === "reply").length;
}

function errorOf(failure: ParleyError): string {
	return failure.code === "cancelled" ? "cancelled" : failure.message;
}

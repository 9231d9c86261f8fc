import type { CallBlock } from "../message.ts";
import type { Record } from "../session/session.ts";
import type { ToolResult } from "../tool.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";

/** Records what came of a call that did not run, announcing it first where that has not happened. */
export async function settleCall(run: Run, call: CallBlock, result: ToolResult): Promise<undefined> {
	await run.commit(async (_tx, record, step) => recordResult(run, { call, result }, record, step));
}

/** Writes the result of one call: the step for the model, the event for people; neither holds a known secret. */
export async function recordResult(
	run: Run,
	{ call, result }: { readonly call: CallBlock; readonly result: ToolResult },
	record: Record,
	step: (step: Step) => Promise<void>,
): Promise<void> {
	const text = run.deps.redactor.redact(result.text);
	const facts = { runId: run.id, callId: call.id, name: call.name };
	if (!run.steps.some((known) => known.kind === "started" && known.callId === call.id)) {
		await step({ kind: "started", callId: call.id });
		await record({
			type: "tool.started",
			...facts,
			arguments: run.deps.redactor.redactFields(call.arguments),
		});
	}
	await step({ kind: "result", callId: call.id, text, failed: result.failed });
	if (result.failed) await record({ type: "tool.failed", ...facts, error: text });
	else await record({ type: "tool.completed", ...facts, result: text });
}

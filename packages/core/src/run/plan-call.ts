import { ParleyError } from "@parley/base";
import type { CallBlock } from "../message.ts";
import { type Decision, decide, policyVersion } from "../policy.ts";
import type { PromptRow } from "../session/prompts.ts";
import { findTaint } from "../session/session-taint.ts";
import { findScopes } from "../session/trust.ts";
import { joinTaints, type Taint } from "../taint.ts";
import type { ToolContext } from "../tool.ts";
import { bindingHash, prepareCall, type ReadyCall, type RefusedCall } from "../tool-call.ts";
import type { Run } from "./run.ts";

/** A call that makes sense, as it would run. */
export interface PlannedCall {
	/** As the model made it. */
	readonly call: CallBlock;
	readonly ready: ReadyCall;
	readonly context: ToolContext;
	/** The arguments that a person gave it in place of the model's. */
	readonly changed?: unknown;
}

/** What is to become of a call, and what the session holds with those that run before it. */
export interface Judgement extends Decision {
	readonly taint: Taint;
	/** Whether a secret stands in the arguments: people are not shown it. */
	readonly hidden: boolean;
}

/** What an approval of the call is bound to. */
export function bindingOf({ call, ready, changed = call.arguments }: PlannedCall): string {
	return bindingHash({ name: call.name, arguments: changed }, ready.plan, policyVersion);
}

/** Whether the call may run. `pending` comes into the session with calls of the same reply that run before. */
export async function judgeCall(run: Run, planned: PlannedCall, pending: Taint): Promise<Judgement> {
	const { session, trusted: acceptAll } = run;
	const { scopes, before } = await session.deps.journal.store.read(async (db) => ({
		scopes: await findScopes(db, session.id),
		before: await findTaint(db, session.id),
	}));
	const taint = joinTaints([before, pending]);
	const { call, ready, changed = call.arguments } = planned;
	const hidden = JSON.stringify(changed) !== JSON.stringify(session.redactor.redactFields(changed));
	// Nobody has seen whole what such an answer would cover.
	const grants = hidden ? [] : scopes;
	return { ...decide(ready, { acceptAll, grants, taint }), taint, hidden };
}

/** The call with the arguments of the person who approved it; as it was where they changed none. */
export async function withChanges(
	run: Run,
	planned: PlannedCall,
	row: PromptRow | undefined,
): Promise<PlannedCall | RefusedCall> {
	if (row?.answer?.kind !== "approved" || row.answer.arguments === undefined) return planned;
	return replan(run, planned, row.answer.arguments);
}

/**
 * What an approval of the call with these arguments is bound to; throws `invalid_argument` where they make no sense, are
 * denied, or need a warning that nobody has seen: `asked` is what the person was told.
 */
export async function judgeChanged(
	run: Run,
	planned: PlannedCall,
	{
		changed,
		asked,
		pending,
	}: {
		readonly changed: unknown;
		readonly asked: Pick<Judgement, "reason" | "hidden">;
		readonly pending: Taint;
	},
): Promise<{ readonly binding: string }> {
	// It came back from what was shown: the call would run with these very words in the place of the secret.
	if (asked.hidden && JSON.stringify(changed).includes("[redacted]")) {
		throw invalid(
			"[redacted] stands for a secret that was not shown: write the value itself in its place, or approve the call unchanged",
		);
	}
	const again = await replan(run, planned, changed);
	if ("text" in again) throw invalid(again.text);
	const { effect, floor, reason } = await judgeCall(run, again, pending);
	if (effect === "deny") throw invalid(`denied: ${reason}`);
	if (floor && reason !== asked.reason) {
		throw invalid(
			`what the call would do with these arguments is always asked about (${reason}): deny it instead`,
		);
	}
	return { binding: bindingOf(again) };
}

async function replan(
	run: Run,
	{ call, context }: PlannedCall,
	changed: unknown,
): Promise<PlannedCall | RefusedCall> {
	const { name } = call;
	const ready = await prepareCall(run.settings.tools, { name, arguments: changed }, context);
	return ready.kind === "refused" ? ready : { call, ready, context, changed };
}

function invalid(message: string): ParleyError {
	return new ParleyError(`arguments: ${message}`, { code: "invalid_argument" });
}

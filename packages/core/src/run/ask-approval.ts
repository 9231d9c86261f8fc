import type { TrustBadge } from "../event.ts";
import type { ApprovalContext, Prompt } from "../prompt.ts";
import type { Asking, PromptRow, Question } from "../session/prompts.ts";
import { isUnread, unreadNote } from "../session/unread-approval.ts";
import { taintNotes } from "../taint.ts";
import { changedSince } from "../tool-call.ts";
import { denied, unanswered } from "./limits.ts";
import {
	type Before,
	bindingOf,
	type Judgement,
	judgeChanged,
	type PlannedCall,
	versionFor,
	withChanges,
} from "./plan-call.ts";
import type { ProposedCall } from "./propose-calls.ts";
import type { Run } from "./run.ts";
import { settleCall } from "./settle-call.ts";
import { promptOf, settled } from "./waiting.ts";

/** Whose question an approval is. */
export function approvalOf(run: Run, { call }: Pick<PlannedCall, "call">): Asking {
	return { runId: run.id, callId: call.id, kind: "approval" };
}

/** The approval that a call needs, as it is shown and stored. */
export async function approvalQuestion(
	run: Run,
	planned: PlannedCall & { readonly judgement: Judgement },
): Promise<Question> {
	const { call, ready, judgement } = planned;
	const { floor, hidden, version } = judgement;
	const scope = floor || hidden ? undefined : ready.plan.grant;
	const alsoIn = await run.deps.approveIn(run.session);
	return {
		callId: call.id,
		approval: {
			...{ floor, binding: bindingOf(planned, version) },
			...(scope && { scope: { ...scope, policy: version } }),
		},
		prompt: shownPrompt(run, planned, { ...judgement, allowSession: scope !== undefined, alsoIn }),
	};
}

/** Lets a person change the arguments of a call until it is decided. */
export function allowChanges(
	run: Run,
	planned: PlannedCall & { readonly judgement: Judgement; readonly pending: Before },
): void {
	const { judgement: asked, pending } = planned;
	run.control.changes.set(planned.call.id, (changed, binding) =>
		judgeChanged(run, planned, { changed, binding, asked, pending }),
	);
}

/** A call that may run: allowed by policy, or approved by the person who answered `token`. */
export interface ApprovedCall extends PlannedCall {
	readonly token: string | undefined;
	/** The approval as it was shown. */
	readonly shown: ApprovalContext | undefined;
	/** The version of the policy that decided. */
	readonly version: string;
	/** The grant of the channel that made an approval needless. */
	readonly trusted?: TrustBadge;
}

/**
 * Waits until a proposed call is decided. Returns the call with the arguments that a person approved, or undefined if
 * it does not run, with its result recorded. Throws `cancelled` if the signal aborts first.
 */
export async function decisionOf(
	run: Run,
	proposed: ProposedCall,
	signal: AbortSignal,
): Promise<ApprovedCall | undefined> {
	const { kind: _kind, judgement, pending: _pending, begun, prompt, ...planned } = proposed;
	const { call } = planned;
	const { version, trusted } = judgement;
	if (!prompt) {
		return { ...planned, token: undefined, shown: undefined, version, ...(trusted && { trusted }) };
	}
	let row: PromptRow;
	try {
		row = await settled(run, approvalOf(run, planned), prompt, signal);
	} finally {
		run.control.changes.delete(call.id);
	}
	const changed = row.answer?.kind === "approved" ? row.answer.arguments : undefined;
	const answered = await withChanges(run, planned, changed);
	if ("text" in answered) return settleCall(run, call, { text: answered.text, failed: true });
	// The approval of a call that began before a restart, and is safe to repeat, was consumed by this very call.
	const usable = begun ? ["answered", "consumed"] : ["answered"];
	const now = versionFor(run);
	const refusal = refusalOf(row, usable, bindingOf(answered, now));
	if (refusal !== undefined) return settleCall(run, call, { text: refusal, failed: true });
	return { ...answered, token: prompt.token, shown: prompt.approval, version: now };
}

/** How the results of calls begin that were approved, and are not what was approved any more. */
export const changedNote = "changed since it was approved";

const hidingNote = "[redacted] stands for a secret: what runs holds it";

/** What is told beside the call. */
interface Shown {
	readonly allowSession: boolean;
	readonly alsoIn: readonly string[];
}

/** What people see of a call: all of it, but for secrets. What is approved is the call with them. */
function shownPrompt(
	run: Run,
	{ call, ready, changed = call.arguments }: PlannedCall,
	{ floor, reason, taint, allowSession, alsoIn }: Judgement & Shown,
): Prompt {
	const { plan } = ready;
	const redactor = run.session.redactor.into("question");
	const whole = {
		label: `Allow ${plan.label}?`,
		arguments: changed,
		preview: plan.preview,
		notes: [...plan.notes, reason, ...taintNotes(taint)],
	};
	const shown = {
		label: redactor.redact(whole.label),
		arguments: redactor.redactFields(changed),
		preview: redactor.redact(whole.preview),
		notes: whole.notes.map((note) => redactor.redact(note)),
	};
	const hides = JSON.stringify(shown) !== JSON.stringify(whole);
	const { label, ...seen } = shown;
	const risk = floor ? "critical" : "normal";
	const approval: ApprovalContext = { callId: call.id, tool: call.name, risk, allowSession, ...seen };
	const unread = isUnread({ label, approval });
	const notes = [...seen.notes, ...(hides ? [hidingNote] : []), ...(unread ? [unreadNote] : [])];
	return promptOf(run, {
		...{ type: "confirm", label, required: true, options: [], validation: "", placeholder: "" },
		approval: { ...approval, notes, ...(alsoIn.length > 0 && { alsoIn }) },
	});
}

/** Why the settled question does not let the call run; undefined when it does. */
function refusalOf(row: PromptRow, usable: readonly string[], binding: string): string | undefined {
	if (row.state === "expired") return "no answer: nobody answered in time, so this was not run";
	if (row.answer?.kind === "approved") {
		if (!usable.includes(row.state)) return "not run: the approval was used already";
		const changed = changedSince(row.binding ?? "", binding);
		return changed.length === 0 ? undefined : `${changedNote}: ${changed.join(", ")}; nothing was run`;
	}
	const answer = row.answer?.kind === "denied" ? row.answer : undefined;
	const by = answer?.unanswered ? unanswered : denied;
	return answer === undefined || answer.reason === "" ? by : `${by}: ${answer.reason}`;
}

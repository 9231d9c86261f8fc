import type { ApprovalContext, Prompt } from "../prompt.ts";
import type { Asking, PromptRow } from "../session/prompts.ts";
import { isUnread, unreadNote } from "../session/unread-approval.ts";
import { taintNotes } from "../taint.ts";
import { changedSince } from "../tool-call.ts";
import { denied, unanswered } from "./breaker.ts";
import { type Before, bindingOf, type Judgement, judgeChanged, type PlannedCall } from "./plan-call.ts";
import type { Run } from "./run.ts";
import { askPerson, promptOf } from "./waiting.ts";

/** Whose question an approval is. */
export function approvalOf(run: Run, { call }: Pick<PlannedCall, "call">): Asking {
	return { runId: run.id, callId: call.id, kind: "approval" };
}

/** Asks whether the call may run, which a person may change meanwhile; see `askPerson`. */
export async function askApproval(
	run: Run,
	planned: PlannedCall,
	judgement: Judgement & { readonly pending: Before },
): Promise<PromptRow | undefined> {
	const { call, ready } = planned;
	const { floor, hidden, pending, version } = judgement;
	const scope = floor || hidden ? undefined : ready.plan.grant;
	const alsoIn = await run.deps.approveIn(run.session);
	const judge = (changed: unknown, binding: string) =>
		judgeChanged(run, planned, { changed, binding, asked: judgement, pending });
	run.changing = { callId: call.id, judge };
	try {
		return await askPerson(run, approvalOf(run, planned), () => ({
			callId: call.id,
			approval: {
				...{ floor, binding: bindingOf(planned, version) },
				...(scope && { scope: { ...scope, policy: version } }),
			},
			prompt: shownPrompt(run, planned, { ...judgement, allowSession: scope !== undefined, alsoIn }),
		}));
	} finally {
		run.changing = undefined;
	}
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
	{ call, ready }: PlannedCall,
	{ floor, reason, taint, allowSession, alsoIn }: Judgement & Shown,
): Prompt {
	const { plan } = ready;
	const redactor = run.session.redactor.into("question");
	const whole = {
		label: `Allow ${plan.label}?`,
		arguments: call.arguments,
		preview: plan.preview,
		notes: [...plan.notes, reason, ...taintNotes(taint)],
	};
	const shown = {
		label: redactor.redact(whole.label),
		arguments: redactor.redactFields(call.arguments),
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
export function refusalOf(row: PromptRow, usable: readonly string[], binding: string): string | undefined {
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

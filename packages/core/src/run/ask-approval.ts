import type { Prompt } from "../prompt.ts";
import type { Asking, PromptRow } from "../session/prompts.ts";
import { type Taint, taintNotes } from "../taint.ts";
import { denied } from "./breaker.ts";
import { bindingOf, type Judgement, judgeChanged, type PlannedCall } from "./plan-call.ts";
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
	judgement: Judgement & { readonly pending: Taint },
): Promise<PromptRow | undefined> {
	const { call, ready } = planned;
	const { floor, hidden, pending } = judgement;
	const scope = floor || hidden ? undefined : ready.plan.grant;
	const judge = (changed: unknown) => judgeChanged(run, planned, { changed, asked: judgement, pending });
	run.changing = { callId: call.id, judge };
	try {
		return await askPerson(run, approvalOf(run, planned), () => ({
			callId: call.id,
			approval: { floor, binding: bindingOf(planned), ...(scope && { scope }) },
			prompt: shownPrompt(run, planned, { ...judgement, allowSession: scope !== undefined }),
		}));
	} finally {
		run.changing = undefined;
	}
}

const hidingNote = "[redacted] stands for a secret: what runs holds it";

/** What people see of a call: all of it, but for secrets. What is approved is the call with them. */
function shownPrompt(
	run: Run,
	{ call, ready }: PlannedCall,
	{ floor, reason, taint, allowSession }: Judgement & { readonly allowSession: boolean },
): Prompt {
	const { plan } = ready;
	const { redactor } = run.session;
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
	return promptOf(run, {
		...{ type: "confirm", label, required: true, options: [], validation: "", placeholder: "" },
		approval: {
			...{ callId: call.id, tool: call.name, risk: floor ? "critical" : "normal", allowSession, ...seen },
			notes: hides ? [...seen.notes, hidingNote] : seen.notes,
		},
	});
}

/** Why the settled question does not let the call run; undefined when it does. */
export function refusalOf(row: PromptRow, usable: readonly string[], binding: string): string | undefined {
	if (row.state === "expired") return "no answer: nobody answered in time, so this was not run";
	if (row.answer?.kind === "approved") {
		if (!usable.includes(row.state)) return "not run: the approval was used already";
		return row.binding === binding ? undefined : "not run: what was approved has changed since; ask again";
	}
	const reason = row.answer?.kind === "denied" ? row.answer.reason : "";
	return reason === "" ? denied : `${denied}: ${reason}`;
}

import type { Tx } from "../journal/journal.ts";
import { type AuditEntry, byItself } from "../trust/audit.ts";
import type { ApprovedCall } from "./ask-approval.ts";
import type { PlannedCall } from "./plan-call.ts";
import type { Run } from "./run.ts";

/** What the audit calls a call: ids of calls are unique in their session. */
export function auditedCall(sessionId: string, callId: string): string {
	return `${sessionId}/${callId}`;
}

/** Whether the audit tells of a call: it does more than to look inside the roots, or somebody was asked about it. */
export function isGated({ ready, token }: Pick<ApprovedCall, "ready" | "token">): boolean {
	return token !== undefined || ready.plan.classes.some((name) => name !== "read" && name !== "person");
}

/** Whose work it is: of the person who asked for it, else of the session's owner. */
function workOf(run: Run): Pick<AuditEntry, "principal" | "via"> {
	return { principal: run.row.actor?.id ?? run.session.owner, via: byItself.via };
}

/** What somebody wants to know of a call later: which one it was, and what of the sandbox held. */
function factsOf({ call, ready, changed = call.arguments }: PlannedCall): object {
	const { classes } = ready.plan;
	const { sandbox } = ready.plan.binding;
	return { tool: call.name, classes, ...(sandbox !== undefined && { sandbox }), arguments: changed };
}

/** A call was denied by the rules: nobody was asked. */
export async function auditDenial(run: Run, tx: Tx, planned: PlannedCall): Promise<void> {
	await run.session.deps.audit.record(tx, {
		...{ ...workOf(run), action: "tool.start", decision: "denied" },
		object: auditedCall(run.session.home.id, planned.call.id),
		args: factsOf(planned),
	});
}

/** A call is about to run: in the transaction that says so, and uses its approval up. */
export async function auditStart(run: Run, tx: Tx, entry: ApprovedCall): Promise<void> {
	const { audit } = run.session.deps;
	const object = auditedCall(run.session.home.id, entry.call.id);
	const asked = entry.token !== undefined;
	if (asked)
		await audit.record(tx, { ...byItself, action: "approval.consume", object, decision: "consumed" });
	const accepted = !asked && run.trusted ? run.session.trust?.id : undefined;
	const trusted = entry.trusted?.grantId ?? accepted;
	await audit.record(tx, {
		...{ ...workOf(run), action: "tool.start", object, decision: asked ? "approved" : "allowed" },
		...(trusted !== undefined && { grantId: trusted }),
		args: factsOf(entry),
	});
}

/** What came of a call that was about to run; `unknown` where the gateway stopped, or it was given up, meanwhile. */
export async function auditFinish(
	run: Run,
	tx: Tx,
	{ callId, decision }: { readonly callId: string; readonly decision: "completed" | "failed" | "unknown" },
): Promise<void> {
	const begun = run.steps.some((step) => step.kind === "intent" && step.callId === callId && step.gated);
	if (!begun) return;
	const object = auditedCall(run.session.home.id, callId);
	await run.session.deps.audit.record(tx, { ...workOf(run), action: "tool.finish", object, decision });
}

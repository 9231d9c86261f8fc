import { defined } from "@parley/base";
import type { Selectable } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { type Audit, auditedCall, byItself, requestedBy } from "../trust/audit/audit.ts";
import { type Principal, placeKey } from "../vocabulary/principal.ts";
import type { Answer, Prompt } from "../vocabulary/prompt.ts";
import type { Session } from "./session.ts";

/** Records an approval request in the audit log. Does nothing for other questions. */
export async function auditShown(
	audit: Audit,
	tx: Tx,
	session: Session,
	{ prompt, floor }: { readonly prompt: Prompt; readonly floor: boolean },
): Promise<void> {
	const { approval } = prompt;
	if (!approval) return;
	await audit.record(tx, {
		...byItself,
		action: "approval.show",
		decision: "asked",
		object: auditedCall(session.id, approval.callId),
		args: {
			tool: approval.tool,
			floor,
			arguments: approval.arguments,
			until: new Date(prompt.expiresAt).toISOString(),
		},
	});
}

/**
 * Records an answer to an approval in the audit log. If a grant approved the call, or the answer created a grant, the
 * entry contains the id of the grant. The entry states whether a person typed the answer, and the channel of the answer
 * if it is not the session's channel.
 */
export async function auditDecided(
	audit: Audit,
	tx: Tx,
	session: Session,
	{ callId, by, answer, grantId, typed, votes }: DecidedApproval,
): Promise<void> {
	const changed = answer.kind === "approved" ? answer.arguments : undefined;
	const from = by.person && placeKey(by.person.place);
	const args = {
		...defined({
			arguments: changed,
			typed: typed || undefined,
			place: from !== session.place && from !== undefined ? from : undefined,
			votes,
		}),
	};
	await audit.record(tx, {
		...requestedBy(by),
		action: "approval.decide",
		object: auditedCall(session.id, callId),
		decision: answer.kind,
		...defined({ grantId, args: Object.keys(args).length > 0 ? args : undefined }),
	});
}

/** Records an approval that expired or was closed without an answer. Does nothing for other questions. */
export async function auditEnded(
	audit: Audit,
	tx: Tx,
	session: Session,
	{ token, decision }: { readonly token: string; readonly decision: "expired" | "closed" },
): Promise<void> {
	const row = await tx
		.selectFrom("prompts")
		.select(["call_id", "binding"])
		.where("token", "=", token)
		.executeTakeFirst();
	if (row?.binding == null) return;
	const object = auditedCall(session.id, row.call_id);
	await audit.record(tx, { ...byItself, action: "approval.end", object, decision });
}

/**
 * Records a refused answer to an approval or a grant request. Only samples are recorded, because refused answers can be
 * repeated without limit.
 */
export function auditRefused(audit: Audit, row: Selectable<Tables["prompts"]>, by: Principal): void {
	if (row.binding === null && row.wanted_grant === null) return;
	const object = auditedCall(row.session_id, row.call_id);
	audit.sample({ ...requestedBy(by), action: "approval.decide", object, decision: "refused" });
}

interface DecidedApproval {
	readonly callId: string;
	readonly by: Principal;
	readonly answer: Answer;
	readonly grantId: string | undefined;
	/** Whether a person typed the answer in a chat message. */
	readonly typed: boolean;
	/**
	 * Approvals so far and required approvals. Set if the question stays open because more approvals are
	 * required.
	 */
	readonly votes?: { readonly approvals: number; readonly needed: number };
}

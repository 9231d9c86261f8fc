import type { Selectable } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { type Audit, askedBy, auditedCall, byItself } from "../trust/audit/audit.ts";
import { type Principal, placeKey } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { Answer } from "../vocabulary/prompt-answer.ts";
import type { Session } from "./session.ts";

/** What stands in the audit of an approval: never its token, which would answer it. */

export async function auditShown(tx: Tx, session: Session, prompt: Prompt, floor: boolean): Promise<void> {
	const { approval } = prompt;
	if (!approval) return;
	await session.deps.audit.record(tx, {
		...{ ...byItself, action: "approval.show", decision: "asked" },
		object: auditedCall(session.id, approval.callId),
		args: {
			tool: approval.tool,
			floor,
			arguments: approval.arguments,
			until: new Date(prompt.expiresAt).toISOString(),
		},
	});
}

/** Somebody answered, from which channel where that is another one, or trusted the session: then under that grant. */
export async function auditDecided(
	tx: Tx,
	session: Session,
	{ callId, by, answer, grantId }: DecidedApproval,
): Promise<void> {
	const changed = answer.kind === "approved" ? answer.arguments : undefined;
	const from = by.person && placeKey(by.person.place);
	const args = {
		...(changed !== undefined && { arguments: changed }),
		...(from !== session.place && from !== undefined && { place: from }),
	};
	await session.deps.audit.record(tx, {
		...{ ...askedBy(by), action: "approval.decide", object: auditedCall(session.id, callId) },
		decision: answer.kind,
		...(grantId !== undefined && { grantId }),
		...(Object.keys(args).length > 0 && { args }),
	});
}

interface DecidedApproval {
	readonly callId: string;
	readonly by: Principal;
	readonly answer: Answer;
	readonly grantId: string | undefined;
}

/** Nobody answered in time (`expired`), or the run ended first (`closed`). Questions that ask for no permission have no row. */
export async function auditEnded(
	tx: Tx,
	session: Session,
	token: string,
	decision: "expired" | "closed",
): Promise<void> {
	const row = await tx
		.selectFrom("prompts")
		.select(["call_id", "binding"])
		.where("token", "=", token)
		.executeTakeFirst();
	if (row?.binding == null) return;
	const object = auditedCall(session.id, row.call_id);
	await session.deps.audit.record(tx, { ...byItself, action: "approval.end", object, decision });
}

type AskedRow = Pick<Selectable<Tables["prompts"]>, "session_id" | "call_id" | "binding" | "wanted_grant">;

/** Somebody wanted to answer who may not: sampled, because nothing stops them from trying again. */
export function auditRefused(audit: Audit, row: AskedRow, by: Principal): void {
	if (row.binding === null && row.wanted_grant === null) return;
	const object = auditedCall(row.session_id, row.call_id);
	audit.sample({ ...askedBy(by), action: "approval.decide", object, decision: "refused" });
}

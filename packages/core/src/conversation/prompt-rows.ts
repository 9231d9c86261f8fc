import { fromRow, type Tx } from "../store/journal.ts";
import type { PromptState } from "../store/tables.ts";
import type { Answer, Prompt } from "../vocabulary/prompt.ts";

export interface PromptRow {
	readonly prompt: Prompt;
	readonly state: PromptState;
	readonly answer: Answer | undefined;
	readonly binding: string | undefined;
}

/** Run, tool call and kind of a question. A call has at most one open approval, and at most one other open question. */
export interface Asking {
	readonly runId: string;
	readonly callId: string;
	readonly kind: "approval" | "elicitation";
}

/** Returns the newest question for the call and the kind in `asking`, if any. */
export async function findPrompt(db: Tx, asking: Asking): Promise<PromptRow | undefined> {
	const row = await db
		.selectFrom("prompts")
		.selectAll()
		.where("run_id", "=", asking.runId)
		.where("call_id", "=", asking.callId)
		.where("binding", asking.kind === "approval" ? "is not" : "is", null)
		.orderBy("seq", "desc")
		.limit(1)
		.executeTakeFirst();
	if (!row) return undefined;
	return {
		prompt: fromRow<Prompt>(row.request),
		state: row.state,
		answer: row.answer === null ? undefined : fromRow<Answer>(row.answer),
		binding: row.binding ?? undefined,
	};
}

/** Whether the call is approved and has not started. */
export function isApproved({ state, answer }: PromptRow): boolean {
	return state === "answered" && answer?.kind === "approved";
}

/**
 * Returns the arguments of the newest approval that changed the arguments of the call, or undefined if no approval
 * changed them.
 */
export async function findChanges(
	db: Tx,
	{ runId, callId }: Pick<Asking, "runId" | "callId">,
): Promise<unknown> {
	const rows = await db
		.selectFrom("prompts")
		.select("answer")
		.where("run_id", "=", runId)
		.where("call_id", "=", callId)
		.where("binding", "is not", null)
		.where("answer", "is not", null)
		.orderBy("seq")
		.execute();
	const given = rows.flatMap(({ answer }) => {
		const read = answer === null ? undefined : fromRow<Answer>(answer);
		return read?.kind === "approved" && read.arguments !== undefined ? [read.arguments] : [];
	});
	return given.at(-1);
}

export async function isAnyDenied(
	db: Tx,
	{ runId, callIds }: { readonly runId: string; readonly callIds: readonly string[] },
): Promise<boolean> {
	const denied = await db
		.selectFrom("prompts")
		.select("token")
		.where("run_id", "=", runId)
		.where("call_id", "in", callIds)
		.where("binding", "is not", null)
		.where("state", "=", "cancelled")
		.limit(1)
		.execute();
	return denied.length > 0;
}

export async function isPromptOpen(db: Tx, token: string): Promise<boolean> {
	const row = await db.selectFrom("prompts").select("state").where("token", "=", token).executeTakeFirst();
	return row?.state === "open";
}

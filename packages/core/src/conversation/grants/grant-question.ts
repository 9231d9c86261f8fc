import { type Clock, type Ids, ParleyError } from "@parley/base";
import type { Tx } from "../../store/journal.ts";
import type { PromptState } from "../../store/tables.ts";
import { type WantedGrant, wishLabel } from "../../trust/grants/grant-wish.ts";
import type { Person } from "../../vocabulary/principal.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";
import type { RecordEvents } from "../commit.ts";
import { type Prompts, promptLifeMs } from "../prompts.ts";
import type { Session } from "../session.ts";

/**
 * Asks in a session whether its channel is to be trusted, and returns the token of the question: one that belongs to no
 * run, and that nothing but a written answer settles. Throws `failed_precondition` where that is asked already.
 */
export async function askForGrant(
	{ prompts, clock, ids }: { readonly prompts: Prompts; readonly clock: Clock; readonly ids: Ids },
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
	session: Session,
	{ wanted, person }: { readonly wanted: WantedGrant; readonly person: Person },
): Promise<string> {
	const open = await tx
		.selectFrom("prompts")
		.select("token")
		.where("session_id", "=", session.id)
		.where("state", "=", "open")
		.where("wanted_grant", "is not", null)
		.limit(1)
		.executeTakeFirst();
	if (open) {
		const message = "this was asked already: its question is open, and the operator or an owner answers it";
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const wantedGrant = { ...wanted, by: { id: person.id, name: person.name } };
	const prompt: Prompt = {
		...{ token: ids.create("prompt"), runId: "", type: "confirm", label: wishLabel(wanted, person) },
		...{ required: true, options: [], validation: "", placeholder: "" },
		expiresAt: clock.now() + promptLifeMs,
	};
	await prompts.raise(tx, record, session, { prompt, callId: "", wantedGrant });
	return prompt.token;
}

/** Where a question stands. */
export async function stateOf(tx: Tx, token: string): Promise<PromptState | undefined> {
	const row = await tx.selectFrom("prompts").select("state").where("token", "=", token).executeTakeFirst();
	return row?.state;
}

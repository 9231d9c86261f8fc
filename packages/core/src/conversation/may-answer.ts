import { ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { type Action, authorize } from "../vocabulary/authorize.ts";
import type { PlaceProfile } from "../vocabulary/chat-settings.ts";
import { hasRole, type Person, type Principal } from "../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";
import type { Session } from "./session.ts";

/** A question, with the `Person` as JSON who asked for the work that it belongs to. */
export type AskedPrompt = Selectable<Tables["prompts"]> & { readonly actor: string | null };

/**
 * Passes, or throws `permission_denied` saying who may: to answer a question takes another right than to let a call run,
 * and no right but to see it is needed to say no. Throws `invalid_argument` for what is no answer at all.
 */
export function authorizeAnswer(
	principal: Principal,
	{ row, response }: { readonly row: AskedPrompt; readonly response: PromptResponse },
	{ owner, id: sessionId, place }: Pick<Session, "owner" | "id" | "place">,
	{ approvers }: Pick<PlaceProfile, "approvers">,
): void {
	const action = actionOf(row, response);
	if (action === "prompt.approve_critical" && principal.kind === "connector") {
		const message =
			"this is always asked of the operator, who answers with parley answer: through a chat platform it can only be denied";
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const acting = action === "prompt.approve" ? asApprover(principal, approvers) : principal;
	authorize(acting, action, { owner, sessionId, place, requester: requesterOf(row)?.id });
}

/** Passes for who may answer with a value what is no approval, whatever the value is; else throws as above. */
export function authorizeValue(
	principal: Principal,
	row: Pick<AskedPrompt, "actor">,
	{ owner, id: sessionId, place }: Pick<Session, "owner" | "id" | "place">,
): void {
	authorize(principal, "prompt.answer", { owner, sessionId, place, requester: requesterOf(row)?.id });
}

/** Who of a chat platform asked for the work that a question belongs to. */
export function requesterOf({ actor }: Pick<AskedPrompt, "actor">): Person | undefined {
	return actor === null ? undefined : fromRow<Person>(actor);
}

function actionOf(row: AskedPrompt, response: PromptResponse): Action {
	const floor = row.floor === 1;
	const { kind } = readAnswer(fromRow<Prompt>(row.request), floor, response);
	if (kind === "value") return "prompt.answer";
	if (kind !== "approved") return "prompt.deny";
	if (row.wanted_grant !== null) return "grant.confirm";
	return floor ? "prompt.approve_critical" : "prompt.approve";
}

/** Where the operator has named who approves, members of them may, and nobody else. */
export function asApprover(principal: Principal, approvers: readonly string[] | undefined): Principal {
	const { person } = principal;
	if (!person || !approvers) return principal;
	if (!approvers.includes(person.id)) {
		const message = `here only those approve whom the operator has named with parley places: ${approvers.join(", ")}`;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	if (!hasRole(person, "member")) return principal;
	return { ...principal, person: { ...person, role: "approver" } };
}

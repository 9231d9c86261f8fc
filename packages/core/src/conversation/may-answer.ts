import { ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { fromRow } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { type Action, authorize } from "../vocabulary/authorize.ts";
import type { PlaceProfile } from "../vocabulary/chat-settings.ts";
import { hasRole, type Person, type Principal } from "../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";
import { onlyOthersCan } from "../vocabulary/texts.ts";
import type { Session } from "./session.ts";
import { promptTexts } from "./texts.ts";

/** Row of a question. `actor`: the person who requested the run of the question, as JSON (`Person`). */
export type PromptWithActor = Selectable<Tables["prompts"]> & { readonly actor: string | null };

/**
 * Throws `permission_denied` with the roles that may answer, unless the principal may answer. Answering a question and
 * approving a call are different rights. Denying requires only the right to see the question. Throws `invalid_argument`
 * for an invalid answer.
 */
export function authorizeAnswer(
	principal: Principal,
	{ row, response }: { readonly row: PromptWithActor; readonly response: PromptResponse },
	{ owner, id: sessionId, place }: Pick<Session, "owner" | "id" | "place">,
	{ approvers }: PlaceProfile,
): void {
	const action = actionOf(row, response);
	if (action === "prompt.approve_critical" && principal.kind === "connector") {
		const message = promptTexts.onlyOperator;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const acting = action === "prompt.approve" ? asApprover(principal, approvers) : principal;
	authorize(acting, action, { owner, sessionId, place, requester: requesterOf(row)?.id });
}

/** Throws unless the principal may answer the question in `row`. For approvals, use `authorizeAnswer`. */
export function authorizeValue(
	principal: Principal,
	row: Pick<PromptWithActor, "actor">,
	{ owner, id: sessionId, place }: Session,
): void {
	authorize(principal, "prompt.answer", { owner, sessionId, place, requester: requesterOf(row)?.id });
}

/**
 * Throws `permission_denied` for a typed answer to a password question, a grant request, an always-required approval,
 * or an approval by several people. If typed decisions are disabled, also throws for a typed answer to any `confirm`
 * question.
 */
export function refuseTyped(
	row: Pick<PromptWithActor, "request" | "floor">,
	{ typed }: PromptResponse,
	{ typedApprovals }: { readonly typedApprovals: boolean },
): void {
	if (typed !== true) return;
	const { type, approval } = fromRow<Prompt>(row.request);
	if (type === "password") throw refusedTyping(promptTexts.passwordInChat);
	if (type !== "confirm") return;
	if (row.floor === 1 || approval?.approvals !== undefined) throw refusedTyping(promptTexts.useButtons);
	if (!typedApprovals) {
		throw refusedTyping(promptTexts.typingOff);
	}
}

function refusedTyping(message: string): ParleyError {
	return new ParleyError(message, { code: "permission_denied" });
}

/** Returns the chat user who requested the run of a question, or undefined. */
export function requesterOf({ actor }: Pick<PromptWithActor, "actor">): Person | undefined {
	return actor === null ? undefined : fromRow<Person>(actor);
}

function actionOf(row: PromptWithActor, response: PromptResponse): Action {
	const floor = row.floor === 1;
	const { kind } = readAnswer(fromRow<Prompt>(row.request), floor, response);
	if (kind === "value") return "prompt.answer";
	if (kind !== "approved") return "prompt.deny";
	if (row.wanted_grant !== null) return "grant.confirm";
	return floor ? "prompt.approve_critical" : "prompt.approve";
}

/**
 * Returns the principal with the role of an approver if the person is a named approver and at least a member. Throws
 * `permission_denied` if approvers are named and the person is not one of them. Otherwise returns the principal
 * unchanged.
 */
export function asApprover(principal: Principal, approvers: readonly string[] | undefined): Principal {
	const { person } = principal;
	if (!person || !approvers) return principal;
	if (!approvers.includes(person.id)) {
		throw new ParleyError(onlyOthersCan("prompt.approve", "approver"), { code: "permission_denied" });
	}
	if (!hasRole(person, "member")) return principal;
	return { ...principal, person: { ...person, role: "approver" } };
}

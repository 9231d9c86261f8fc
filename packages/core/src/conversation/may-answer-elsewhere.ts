import { ParleyError } from "@parley/base";
import { fromRow, type Tx } from "../store/journal.ts";
import { wasShared } from "../trust/grants/grant-places.ts";
import type { Places } from "../trust/places.ts";
import { authorize } from "../vocabulary/authorize.ts";
import { type Person, type Principal, placeKey } from "../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../vocabulary/prompt.ts";
import { asApprover, authorizeAnswer, type PromptWithActor } from "./may-answer.ts";
import { isSamePerson } from "./participants.ts";
import { promptTexts } from "./texts.ts";

/** Settings of all channels, including the other channels in which approvals are answered. */
export type AnsweringPlaces = Places;

/**
 * Returns the other channels whose approvals are also answered in the channel of this person. Returns none if this
 * channel is shared with other organisations. Omits channels that were shared at their last message.
 */
export async function placesAnsweredHere(
	db: Tx,
	{ kind, person }: Principal,
	places: AnsweringPlaces,
): Promise<string[]> {
	if (kind !== "connector" || !person || person.place.shared) return [];
	const here = placeKey(person.place);
	const asking = places.answeredIn(here);
	if (asking.length === 0 || (await wasShared(db, here))) return [];
	const shared = await Promise.all(asking.map((place) => wasShared(db, place)));
	return asking.filter((_, index) => !shared[index]);
}

/**
 * Returns the other channels in which approvals of a channel are answered. Omits channels that were shared with other
 * organisations at their last message. Returns none if this channel was shared at its last message.
 */
export async function placesAnswering(db: Tx, place: string | undefined, places: Places): Promise<string[]> {
	const named = places.approveIn(place);
	if (place === undefined || named.length === 0 || (await wasShared(db, place))) return [];
	const shared = await Promise.all(named.map((other) => wasShared(db, other)));
	return named.filter((_, index) => !shared[index]);
}

/** Throws `permission_denied` unless the principal may approve calls of their channel. */
export function authorizeApprover(principal: Principal, places: Places): void {
	const { person } = principal;
	const { approvers } = person ? places.profileOf(placeKey(person.place)) : {};
	authorize(asApprover(principal, approvers), "prompt.approve");
}

/** Whether a question is the approval of a tool call. Only approvals can be answered in another channel. */
export function isApproval({ binding, wanted_grant }: PromptWithActor): boolean {
	return binding !== null && wanted_grant === null;
}

/** Session of an approval, with its channel and the participants of the run. */
interface PromptOrigin {
	readonly id: string;
	readonly place: string | undefined;
	/** Chat users who contributed to the run, with their current roles: see `participantsIn`. */
	readonly participants: readonly Person[];
}

/**
 * Throws `permission_denied` with the missing right unless the person may answer this approval in their own channel,
 * which is not the channel of the session. Throws `not_found` for a principal without a person. Only one unchanged call
 * can be approved in the person's channel. A denial needs the same right.
 */
export function authorizeElsewhere(
	principal: Principal,
	{ row, response }: { readonly row: PromptWithActor; readonly response: PromptResponse },
	{ id, place, participants }: PromptOrigin,
	places: Places,
): void {
	authorizeApprover(principal, places);
	const { person } = principal;
	if (!person) throw new ParleyError(promptTexts.notFound, { code: "not_found" });
	const here = placeKey(person.place);
	// The person must have the rights for the same question in their own channel.
	const ownChannel = { owner: principal.id, id, place: here };
	authorizeAnswer(principal, { row, response }, ownChannel, places.profileOf(here));
	// A participant must also have the permission to approve in the channel of the request.
	for (const participant of participants) {
		if (!isSamePerson(participant, person)) continue;
		const there = { ...principal, person: participant };
		authorize(asApprover(there, places.profileOf(place).approvers), "prompt.approve");
	}
	refuseMore(row, response);
}

/**
 * Throws `permission_denied` for a session approval or changed arguments, which are possible only in the
 * original channel.
 */
function refuseMore(row: PromptWithActor, response: PromptResponse): void {
	const answer = readAnswer(fromRow<Prompt>(row.request), row.floor === 1, response);
	if (answer.kind !== "approved") return;
	if (!answer.remember && response.arguments === undefined) return;
	const message = promptTexts.elsewhere;
	throw new ParleyError(message, { code: "permission_denied" });
}

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

/**
 * Settings of all channels. For each channel, they include the other channels in which its approvals may be answered.
 */
export type AnsweringPlaces = Places;

/**
 * Returns the channels with approvals that may also be answered in the person's channel. Omits channels that were
 * shared with other organisations at their last message. Returns none for a principal without a person, or if the
 * person's channel is shared or was shared at its last message.
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
 * Returns the channels, other than `place`, in which approvals of the channel `place` may be answered. Omits channels
 * that were shared with other organisations at their last message. Returns none if `place` was shared at its last
 * message.
 */
export async function placesAnswering(db: Tx, place: string | undefined, places: Places): Promise<string[]> {
	const named = places.approveIn(place);
	if (place === undefined || named.length === 0 || (await wasShared(db, place))) return [];
	const shared = await Promise.all(named.map((other) => wasShared(db, other)));
	return named.filter((_, index) => !shared[index]);
}

/** Throws `permission_denied` unless the principal may approve calls of the principal's channel. */
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
 * Throws `permission_denied` with the missing right unless the person may answer the approval in the person's own
 * channel. The session belongs to a different channel. Throws `not_found` for a principal without a person. Only one
 * unchanged call can be approved in the person's channel. A denial requires the same right as an approval.
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
	// The person must have the rights that the same question would require in the person's own channel.
	const ownChannel = { owner: principal.id, id, place: here };
	authorizeAnswer(principal, { row, response }, ownChannel, places.profileOf(here));
	// If the person is a participant of the run, the person must also have the right to approve in the channel of the
	// session.
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

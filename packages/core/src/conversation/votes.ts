import { defined, ParleyError } from "@parley/base";
import { fromRow } from "../store/journal.ts";
import type { Person, Principal } from "../vocabulary/principal.ts";
import { actingId } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import { isSamePerson } from "./participants.ts";
import type { JudgedChange } from "./session.ts";
import { promptTexts } from "./texts.ts";

/** One of several approvals that a call requires. */
export interface Vote {
	readonly by: string;
	/** Principal of the connector or operator that sent the vote. */
	readonly principal: string;
	/** Voting person. Absent for the operator. */
	readonly person?: Person;
	/** Time of the vote, in milliseconds since the epoch. */
	readonly at: number;
}

/** Arguments that an approver changed. */
export interface ChangedCall {
	readonly arguments: unknown;
	/** Binding of the approval for the changed call. */
	readonly binding: string;
}

/**
 * Votes of an open approval, in order, and the changed arguments that the votes approve. Stored in the row of the
 * prompt.
 */
export interface Votes {
	readonly votes: readonly Vote[];
	readonly changed?: ChangedCall;
}

/** Current facts that decide which votes are valid. */
export interface Voters {
	/** Authors of the work. They cannot approve the call. */
	readonly requesters: readonly Person[];
	/** Whether the operator is an author of the work. */
	readonly isOperatorsWork: boolean;
	/** `Vote.by` of voters who may no longer approve. Their votes are void. */
	readonly lost: ReadonlySet<string>;
}

/** Returns the votes in the row of an approval. */
export function votesOf({ votes }: { readonly votes: string | null }): Votes {
	return votes === null ? { votes: [] } : fromRow<Votes>(votes);
}

/** Returns the number of approvals by different people that a prompt requires. The default is 1. */
export function approvalsOf({ approval }: Prompt): number {
	return approval?.approvals ?? 1;
}

/**
 * Adds the vote of a principal. A vote with changed arguments makes all earlier votes void. Throws `permission_denied`
 * for a requester, and for a second vote by the same person on unchanged arguments.
 */
export function addVote(
	{ votes, changed }: Votes,
	{
		by,
		at,
		change,
	}: { readonly by: Principal; readonly at: number; readonly change?: ChangedCall | undefined },
	{ requesters, isOperatorsWork, lost }: Voters,
): Votes {
	const { person } = by;
	const isRequester = person ? requesters.some((other) => isSamePerson(other, person)) : isOperatorsWork;
	if (isRequester) {
		throw refused(promptTexts.severalPeople);
	}
	const vote: Vote = { by: actingId(by), principal: by.id, at, ...defined({ person }) };
	if (change) return { votes: [vote], changed: change };
	const valid = votes.filter((earlier) => !lost.has(earlier.by));
	if (valid.some((earlier) => isVoteOf(earlier, by))) {
		throw refused(promptTexts.approvedAlready);
	}
	return { votes: [...valid, vote], ...defined({ changed }) };
}

/** Whether the principal `by` cast the vote. A person is recognised in any channel. */
export function isVoteOf(vote: Vote, by: Principal): boolean {
	if (vote.person && by.person) return isSamePerson(vote.person, by.person);
	return vote.by === actingId(by);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "permission_denied" });
}

/**
 * Returns the number of approvals by different people that a call requires. Changed arguments never lower the number.
 */
export function approvalsNeeded(prompt: Prompt, change: JudgedChange | undefined): number {
	return Math.max(approvalsOf(prompt), change?.shown.approval?.approvals ?? 1);
}

/** Returns the question for a changed call, with the token of `prompt`. */
export function changedPrompt(prompt: Prompt, { shown }: JudgedChange, approvals: number): Prompt {
	const { reply, alsoIn, changes = 0 } = prompt.approval ?? {};
	const remaining = { approvals, changes: changes + 1, ...defined({ reply, alsoIn }) };
	const approval = shown.approval && { ...shown.approval, ...remaining };
	return { ...prompt, label: shown.label, ...defined({ approval }) };
}

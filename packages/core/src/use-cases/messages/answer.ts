import { type Failpoints, type Logger, ParleyError } from "@parley/base";
import type { Selectable } from "kysely";
import { questionId } from "../../agent/run/log-event.ts";
import { auditRefused } from "../../conversation/audit-prompt.ts";
import {
	authorizeAnswer,
	type PromptWithActor,
	refuseTyped,
	requesterOf,
} from "../../conversation/may-answer.ts";
import {
	type AnsweringPlaces,
	authorizeApprover,
	authorizeElsewhere,
	isApproval,
	placesAnsweredHere,
} from "../../conversation/may-answer-elsewhere.ts";
import { participantsIn } from "../../conversation/participants.ts";
import type { Prompts } from "../../conversation/prompts.ts";
import type { JudgedChange, Session } from "../../conversation/session.ts";
import type { SessionGrants } from "../../conversation/session-grants.ts";
import type { Lease, Sessions } from "../../conversation/sessions.ts";
import { promptTexts } from "../../conversation/texts.ts";
import { approvalsNeeded, isVoteOf, type Vote, type Voters, votesOf } from "../../conversation/votes.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import { fromRow, type Journal } from "../../store/journal.ts";
import { addTaint } from "../../store/session-taint.ts";
import type { Tables } from "../../store/tables.ts";
import { refuseUnread } from "../../text/unread-approval.ts";
import type { Audit } from "../../trust/audit/audit.ts";
import type { People } from "../../trust/people/people.ts";
import type { PersonChecks } from "../../trust/people/person-checks.ts";
import { actingId, type Person, type Principal, placeKey } from "../../vocabulary/principal.ts";
import { type Prompt, type PromptResponse, readAnswer } from "../../vocabulary/prompt.ts";
import { promptAnswerTexts } from "./texts.ts";

export interface AnswerPorts extends KeyServices {
	readonly journal: Journal;
	readonly audit: Audit;
	readonly failpoints: Failpoints;
	readonly grants: SessionGrants;
	readonly log: Logger;
	readonly people: People;
	readonly checks: PersonChecks;
	readonly prompts: Prompts;
	readonly sessions: Sessions;
	readonly places: AnsweringPlaces;
}

/**
 * Answers the question with this token. Returns false if the question was already closed. Throws `not_found` for an
 * unknown token, and if the principal may not see the session. Throws `permission_denied` if the principal may not
 * give this answer.
 */
export async function answerQuestion(
	ports: AnswerPorts,
	request: Keyed,
	token: string,
	response: PromptResponse,
): Promise<boolean> {
	const row = await ports.journal.store.read((db) =>
		db
			.selectFrom("prompts")
			.innerJoin("sessions", "sessions.id", "prompts.session_id")
			.leftJoin("runs", "runs.id", "prompts.run_id")
			.selectAll("prompts")
			.select(["runs.actor", "runs.session_id as conversation", "sessions.place"])
			.where("token", "=", token)
			.executeTakeFirst(),
	);
	if (!row) throw unknownPrompt();
	const by = request.principal;
	using lease = await admit(ports, by, { row, response });
	const { session } = lease;
	const { wanted_grant } = row;
	if (wanted_grant !== null) {
		return ports.grants.answer(request, session, { ...row, wanted_grant, response });
	}
	refuseUnread(by, fromRow<Prompt>(row.request), response);
	const change = await judgeChange(session, row, response);
	const voters = await votersOf(ports, row, { by, response, change });
	let also: readonly string[] = [];
	const { response: counts } = await session.commit((tx, record) =>
		once(tx, request, ports, async () => {
			requireNamedStill(ports.places, by, row);
			const answered = await ports.prompts.answer(tx, record, session, {
				token,
				response,
				by,
				change,
				voters,
			});
			also = answered.also;
			// An answer through an agent is untrusted text for the run, which may be in the session of a task.
			if (by.through !== undefined) await addTaint(tx, row.conversation ?? session.id, "U");
			return answered.counts;
		}),
	);
	const log = session.runOf(row.run_id)?.log ?? ports.log.child({ sessionId: session.id, runId: row.run_id });
	const answer = response.cancelled === true ? "cancelled" : "given";
	log.info(promptAnswerTexts.answered, {
		question: questionId(ports.fingerprint, token),
		answer,
		principal: actingId(by),
	});
	await ports.failpoints.reach("answered");
	for (const settled of [token, ...also]) session.wake(settled);
	await ports.grants.review(session.place);
	return counts;
}

/**
 * Returns a lease of the question's session. Throws if the principal may not see the session. While the question is open,
 * also throws if the principal may not give this answer. Audits a refusal.
 */
async function admit(
	ports: AnswerPorts,
	by: Principal,
	answer: { readonly row: PlacedPrompt; readonly response: PromptResponse },
): Promise<Lease> {
	const { row } = answer;
	let lease: Lease | undefined;
	try {
		if (await isAnsweredElsewhere(ports, by, row)) {
			const place = row.place ?? undefined;
			const participants = await ports.journal.store.read((db) => participantsIn(db, row, ports.people));
			authorizeElsewhere(by, answer, { id: row.session_id, place, participants }, ports.places);
			refuseTyped(row, answer.response, ports.places);
			return await ports.sessions.leaseOwn(row.session_id);
		}
		lease = await ports.sessions.lease(by, row.session_id, "prompt.deny");
		const { session } = lease;
		// A late answer has no effect, so it needs no further permission.
		if (row.state !== "open") return lease;
		authorizeAnswer(by, answer, session, ports.places.profileOf(session.place));
		refuseTyped(row, answer.response, ports.places);
		return lease;
	} catch (reason) {
		lease?.[Symbol.dispose]();
		const { code } = ParleyError.from(reason);
		if (code === "permission_denied" || code === "not_found") auditRefused(ports.audit, row, by);
		// A principal that may not see the session gets no information about it.
		throw code === "not_found" ? unknownPrompt() : reason;
	}
}

/** Whether the question is an approval from another channel's session and may be answered in the person's channel. */
async function isAnsweredElsewhere(
	{ journal, places }: AnswerPorts,
	by: Principal,
	row: PlacedPrompt,
): Promise<boolean> {
	const { place } = row;
	if (place === null || !by.person || place === placeKey(by.person.place) || !isApproval(row)) return false;
	return (await journal.store.read((db) => placesAnsweredHere(db, by, places))).includes(place);
}

/**
 * Throws `not_found` unless the question may still be answered in the person's channel. Checks again in the
 * transaction, because the channel settings may have changed.
 */
function requireNamedStill(places: AnsweringPlaces, { person }: Principal, { place }: PlacedPrompt): void {
	const here = person && placeKey(person.place);
	if (here === undefined || place === null || place === here) return;
	if (!places.answeredIn(here).includes(place)) throw unknownPrompt();
}

type PlacedPrompt = PromptWithActor & { readonly place: string | null };

function unknownPrompt(): ParleyError {
	return new ParleyError(promptTexts.notFound, { code: "not_found" });
}

/**
 * Resolves with the judged change of the tool call. Resolves with undefined if the answer is a denial or
 * changes no arguments, or if the question is closed. Throws `unavailable` if the run of the call is not
 * active.
 */
async function judgeChange(
	session: Session,
	row: Selectable<Tables["prompts"]>,
	response: PromptResponse,
): Promise<JudgedChange | undefined> {
	if (response.arguments === undefined || row.state !== "open") return undefined;
	const answer = readAnswer(fromRow<Prompt>(row.request), row.floor === 1, response);
	if (answer.kind !== "approved") return undefined;
	const judge = session.runOf(row.run_id)?.changes.get(row.call_id);
	if (!judge) {
		const message = promptAnswerTexts.busy;
		throw new ParleyError(message, { code: "unavailable" });
	}
	return judge(response.arguments, row.binding ?? "", response.narrows ?? false);
}

/**
 * Resolves with the voters if the question is open and requires several approvals, and the answer approves. Otherwise,
 * resolves with undefined.
 */
async function votersOf(
	ports: AnswerPorts,
	row: PlacedPrompt,
	{
		by,
		response,
		change,
	}: {
		readonly by: Principal;
		readonly response: PromptResponse;
		readonly change: JudgedChange | undefined;
	},
): Promise<Voters | undefined> {
	if (row.state !== "open") return undefined;
	const prompt = fromRow<Prompt>(row.request);
	const isApproved = readAnswer(prompt, row.floor === 1, response).kind === "approved";
	return isApproved && approvalsNeeded(prompt, change) > 1
		? readVoters(ports, row, { by, change })
		: undefined;
}

interface VoterPorts {
	readonly journal: Journal;
	readonly people: People;
	readonly places: AnsweringPlaces;
	readonly checks: PersonChecks;
}

/**
 * Resolves with the authors of the work, and with the earlier voters who may no longer approve. For a voter with platform
 * roles, the connector must report the current roles. Without this report, throws `unavailable`, and the question stays
 * open.
 */
async function readVoters(
	ports: VoterPorts,
	row: PromptWithActor,
	{ by, change }: { readonly by: Principal; readonly change: JudgedChange | undefined },
): Promise<Voters> {
	const requesters = await ports.journal.store.read((db) => participantsIn(db, row, ports.people));
	const lost = new Set<string>();
	// A changed tool call invalidates all earlier votes.
	const earlier = change ? [] : votesOf(row).votes.filter((vote) => !isVoteOf(vote, by));
	for (const vote of earlier) {
		if (!(await mayStillApprove(ports, row, vote))) lost.add(vote.by);
	}
	return { requesters, isOperatorsWork: requesterOf(row) === undefined, lost };
}

async function mayStillApprove(ports: VoterPorts, row: PromptWithActor, vote: Vote): Promise<boolean> {
	if (!vote.person) return true;
	const person = await personNow(ports, row, { ...vote, person: vote.person });
	if (!person) return false;
	const principal = {
		id: vote.principal,
		kind: "connector",
		platform: person.place.platform,
		person,
	} as const;
	try {
		authorizeApprover(principal, ports.places);
		return true;
	} catch (reason) {
		if (ParleyError.from(reason).code === "permission_denied") return false;
		throw reason;
	}
}

/**
 * Returns the voter with the current role, or undefined if the connector reports that the person left or can
 * no longer write. Throws `unavailable` without a report.
 */
async function personNow(
	{ journal, people, checks }: VoterPorts,
	row: PromptWithActor,
	{ person, principal }: Vote & { readonly person: Person },
): Promise<Person | undefined> {
	if (person.platformRoles === undefined) {
		return { ...person, role: await journal.store.read((db) => people.roleNow(db, person)) };
	}
	const report = await checks.ask(person, { connector: principal, sessionId: row.session_id });
	if (report?.present) return people.asReported(person, report);
	if (report) return undefined;
	const message = promptAnswerTexts.roleUnreadable(person.name || person.id);
	throw new ParleyError(message, { code: "unavailable" });
}

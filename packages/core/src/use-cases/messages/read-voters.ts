import { ParleyError } from "@parley/base";
import { type PromptWithActor, requesterOf } from "../../conversation/may-answer.ts";
import { type AnsweringPlaces, authorizeApprover } from "../../conversation/may-answer-elsewhere.ts";
import type { JudgedChange } from "../../conversation/session.ts";
import { speakersTo } from "../../conversation/speakers.ts";
import { isVoteOf, type Vote, type Voters, votesOf } from "../../conversation/votes.ts";
import type { Journal } from "../../store/journal.ts";
import type { People } from "../../trust/people/people.ts";
import type { PersonChecks } from "../../trust/people/person-checks.ts";
import type { Person, Principal } from "../../vocabulary/principal.ts";

interface VoterPorts {
	readonly journal: Journal;
	readonly people: People;
	readonly places: AnsweringPlaces;
	readonly checks: PersonChecks;
}

/**
 * Reads the requesters of an approval, and the present role of each earlier voter: the connector asks its platform. Throws
 * `unavailable` if the connector of a voter cannot be asked, so that the question stays open.
 */
export async function readVoters(
	ports: VoterPorts,
	row: PromptWithActor,
	{ by, change }: { readonly by: Principal; readonly change: JudgedChange | undefined },
): Promise<Voters> {
	const requesters = await ports.journal.store.read((db) => speakersTo(db, row, ports.people));
	const lost = new Set<string>();
	// A changed call makes all earlier votes void.
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

/** The voter with their current role; undefined for a person who left. */
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
	const message = `the role of ${person.name || person.id}, who approved before, cannot be read at this moment: approve again soon`;
	throw new ParleyError(message, { code: "unavailable" });
}

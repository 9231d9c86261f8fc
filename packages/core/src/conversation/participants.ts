import { definedItems } from "@parley/base";
import { fromRow, type Tx } from "../store/journal.ts";
import { userOf } from "../store/person-role.ts";
import { taskParticipants } from "../store/task-rows.ts";
import type { People } from "../trust/people/people.ts";
import type { Person } from "../vocabulary/principal.ts";
import type { Prompt } from "../vocabulary/prompt.ts";
import type { Step } from "../vocabulary/step.ts";
import { type PromptWithActor, requesterOf } from "./may-answer.ts";

/**
 * Returns the chat users who contributed to the run of a question: the requester, the authors of added messages, and
 * the participants of the run's task. Each person has the current role in the channel in which the person wrote.
 */
export async function participantsIn(db: Tx, row: PromptWithActor, people: People): Promise<Person[]> {
	const requester = requesterOf(row);
	const participants = definedItems([
		requester,
		...(await steeringOf(db, row.run_id)),
		...(await repliersTo(db, fromRow<Prompt>(row.request).taskId)),
	]);
	return Promise.all(
		participants.map(async (person) => ({ ...person, role: await people.roleNow(db, person) })),
	);
}

/** Whether two people are the same user of a platform. Does not compare the tenants or channels. */
export function isSamePerson(one: Person, other: Person): boolean {
	return one.place.platform === other.place.platform && userOf(one) === userOf(other);
}

async function steeringOf(db: Tx, runId: string): Promise<Person[]> {
	const rows = await db.selectFrom("steps").select("data").where("run_id", "=", runId).execute();
	return rows.flatMap(({ data }) => {
		const step = fromRow<Step>(data);
		return step.kind === "steered" && step.actor ? [step.actor] : [];
	});
}

async function repliersTo(db: Tx, taskId: string | undefined): Promise<readonly Person[]> {
	if (taskId === undefined) return [];
	const row = await db.selectFrom("tasks").select("speakers").where("id", "=", taskId).executeTakeFirst();
	return row ? taskParticipants(row) : [];
}

import type { Client } from "@parley/protocol";

/** What waits for the operator, as `--json` prints it. */
export interface Waiting {
	/** Conversations with a question that nobody has answered; those where a wish stands are counted as that. */
	readonly questions: number;
	/** What people ask their channels to be trusted with. */
	readonly grant_wishes: number;
	/** People who ask to be let in. */
	readonly pairing_requests: number;
	/** Tasks that wait for somebody's word. */
	readonly suspended_tasks: number;
}

/** Conversations that are counted. */
export const mostCounted = 1000;

/** How many conversations there are, `mostCounted` at most, and what waits for the operator. */
export async function countWork(client: Client): Promise<{ sessions: number; waiting: Waiting }> {
	const { sessions } = await client.request("list_sessions", { limit: mostCounted });
	const { wishes } = await client.request("list_grants", {});
	const { waiting } = await client.request("list_people", {});
	const wishing = new Set(wishes.map(({ session_id }) => session_id));
	const suspended = await client.request("query_tasks", { status: "suspended", limit: mostCounted });
	return {
		sessions: sessions.length,
		waiting: {
			questions: sessions.filter(({ session_id, state }) => state === "waiting" && !wishing.has(session_id))
				.length,
			grant_wishes: wishes.length,
			pairing_requests: waiting.filter(({ kind }) => kind === "request").length,
			suspended_tasks: suspended.tasks.length,
		},
	};
}

/** One row each for what waits, with the command that shows it; none where nothing does. */
export function waitingRows(waiting: Waiting): string[] {
	const { questions, grant_wishes, pairing_requests, suspended_tasks } = waiting;
	return [
		...(questions > 0
			? [
					`${counted(questions, "conversation has a question", "conversations have questions")}: parley answer shows them and answers one`,
				]
			: []),
		...(suspended_tasks > 0
			? [`${counted(suspended_tasks, "task waits", "tasks wait")} for your word: parley tasks`]
			: []),
		...(grant_wishes > 0
			? [`${counted(grant_wishes, "wish", "wishes")} that a channel be trusted: parley trust list`]
			: []),
		...(pairing_requests > 0
			? [`${counted(pairing_requests, "person asks", "people ask")} to be let in: parley people`]
			: []),
	];
}

function counted(count: number, one: string, many: string): string {
	return `${count} ${count === 1 ? one : many}`;
}

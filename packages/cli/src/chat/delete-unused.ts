import { ParleyError } from "@parley/base";
import type { Client, OpenSession } from "@parley/protocol";
import type { SessionFacts } from "../client/find-session.ts";

export interface CreatedSessions {
	readonly client: Client;
	readonly created: readonly OpenSession[];
	find(id: string): Promise<SessionFacts>;
}

/** Error codes for a session that is in use or deleted, and for an unavailable gateway. */
const harmless: readonly string[] = ["failed_precondition", "not_found", "unavailable"];

/**
 * Deletes idle sessions that this chat created, and that have no messages, title, tasks or schedules. They
 * would only fill the list of sessions. Returns the ids of the deleted sessions.
 */
export async function deleteUnused({ client, created, find }: CreatedSessions): Promise<readonly string[]> {
	const deleted: string[] = [];
	for (const { id } of created) {
		try {
			if (!isEmpty(await find(id)) || (await hasWork(client, id))) continue;
			await client.request("delete_session", { session_id: id, force: false });
			deleted.push(id);
		} catch (reason) {
			const error = ParleyError.from(reason);
			if (!harmless.includes(error.code)) throw error;
		}
	}
	return deleted;
}

function isEmpty({ message_count: messages, title, state }: SessionFacts): boolean {
	return messages === 0 && title === "" && state === "idle";
}

async function hasWork(client: Client, id: string): Promise<boolean> {
	const [{ tasks }, { schedules }] = await Promise.all([
		client.request("query_tasks", { session_id: id, limit: 1 }),
		client.request("list_schedules", { session_id: id, limit: 1 }),
	]);
	return tasks.length > 0 || schedules.length > 0;
}

import type { Client, OpenSession } from "@parley/protocol";

/**
 * Deletes sessions that this chat created and did not use: without messages, title, tasks and schedules. They would
 * otherwise fill the list of sessions.
 */
export async function deleteUnused(client: Client, created: readonly OpenSession[]): Promise<void> {
	if (created.length === 0) return;
	const { sessions } = await client.request("list_sessions", { limit: 1_000 });
	const empty = sessions.filter((one) => one.message_count === 0 && one.title === "" && one.state === "idle");
	for (const { id } of created) {
		if (empty.some((one) => one.session_id === id) && !(await hasWork(client, id))) {
			await client.request("delete_session", { session_id: id, force: false });
		}
	}
}

async function hasWork(client: Client, id: string): Promise<boolean> {
	const [{ tasks }, { schedules }] = await Promise.all([
		client.request("query_tasks", { session_id: id, limit: 1 }),
		client.request("list_schedules", { session_id: id, limit: 1 }),
	]);
	return tasks.length > 0 || schedules.length > 0;
}

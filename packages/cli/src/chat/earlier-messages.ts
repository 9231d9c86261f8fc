import type { Client } from "@parley/protocol";

const maxSessions = 10;
const maxMessagesPerSession = 50;

/**
 * Resolves with the messages of people in the latest sessions without an external key, oldest first, without
 * duplicates.
 */
export async function readEarlierMessages(client: Client): Promise<readonly string[]> {
	const { sessions } = await client.request("list_sessions", { limit: 4 * maxSessions });
	const own = sessions.filter(
		({ external_key, message_count: count }) => external_key === undefined && count > 0,
	);
	const pages = await Promise.all(
		own
			.slice(0, maxSessions)
			.map(({ session_id }) => client.request("load_messages", { session_id, limit: maxMessagesPerSession })),
	);
	const messages = pages.toReversed().flat();
	const texts = messages
		.filter(({ role, imported }) => role === "user" && !imported)
		.map(({ content }) => content);
	// Keeps only the last of several equal messages.
	return [...new Set(texts.toReversed())].toReversed();
}

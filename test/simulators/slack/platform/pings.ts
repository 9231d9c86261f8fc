import { mrkdwnOf } from "../blocks/block-text.ts";
import { messageId } from "./message-id.ts";
import type { MessageRecord } from "./records.ts";
import type { State } from "./state.ts";

/**
 * Records the users and groups that a message of the app would notify, also by mentions in code:
 * https://docs.slack.dev/messaging/formatting-message-text#mentioning
 */
export function notePings(state: State, message: MessageRecord, by: "create" | "edit"): void {
	if (message.author !== state.app.user) return;
	const text = [message.text, ...mrkdwnOf(message.blocks)].join("\n");
	for (const who of calledBy(state, text)) state.pings.push({ messageId: messageId(message), who, by, text });
}

function calledBy(state: State, text: string): string[] {
	const all = [...text.matchAll(/<!(channel|here|everyone)(?:\|[^>]*)?>/g)].map(([, who = ""]) => `@${who}`);
	const groups = [...text.matchAll(/<!subteam\^(\w+)(?:\|[^>]*)?>/g)].map(([, id = ""]) => `@${id}`);
	const people = [...text.matchAll(/<@(\w+)(?:\|[^>]*)?>/g)]
		.filter(([, id]) => id !== state.app.user.id)
		.map(([, id = ""]) => `@${state.users.get(id)?.name ?? id}`);
	return [...new Set([...all, ...groups, ...people])];
}

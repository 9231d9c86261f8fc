import type { MessageRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";

/** Adds a reaction: https://docs.slack.dev/reference/methods/reactions.add#errors */
export function addReaction(state: State, by: UserRecord, message: MessageRecord, name: string): void {
	if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new Refusal("invalid_name");
	demandSpeech(message, by);
	const users = message.reactions.get(name) ?? new Set();
	if (users.has(by)) throw new Refusal("already_reacted");
	message.reactions.set(name, users.add(by));
	emitReaction(state, by, message, { type: "reaction_added", name });
}

/** Removes a reaction: https://docs.slack.dev/reference/methods/reactions.remove#errors */
export function removeReaction(state: State, by: UserRecord, message: MessageRecord, name: string): void {
	demandSpeech(message, by);
	const users = message.reactions.get(name);
	if (!users?.delete(by)) throw new Refusal("no_reaction");
	if (users.size === 0) message.reactions.delete(name);
	emitReaction(state, by, message, { type: "reaction_removed", name });
}

function demandSpeech({ channel }: MessageRecord, by: UserRecord): void {
	if (channel.archived) throw new Refusal("is_archived");
	if (!channel.members.has(by)) throw new Refusal("not_in_channel");
}

/** Emits an event about a reaction: https://docs.slack.dev/reference/events/reaction_added */
function emitReaction(
	state: State,
	by: UserRecord,
	{ channel, ts, author }: MessageRecord,
	{ type, name }: { readonly type: "reaction_added" | "reaction_removed"; readonly name: string },
): void {
	const event = {
		...{ type, user: by.id, reaction: name, item_user: author.id },
		item: { type: "message", channel: channel.id, ts },
		event_ts: state.stamps.create(),
	};
	sendEvents(state, { subscription: type, channel, event });
}

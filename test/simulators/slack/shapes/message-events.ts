import type { MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { rootOf } from "../platform/threads.ts";
import { contextOf } from "./contexts.ts";
import { messageShape } from "./messages.ts";

const channelTypes = { channel: "channel", group: "group", im: "im", mpim: "mpim" } as const;

/** Fields about reactions and replies, which the events of a message do not contain. */
const notInEvents = ["reactions", "reply_count", "reply_users", "reply_users_count", "latest_reply"];

/** Returns the shape of a message event: https://docs.slack.dev/reference/events/message */
export function messageEventShape(state: State, message: MessageRecord): Record<string, unknown> {
	const { channel } = message;
	const shape: Record<string, unknown> = { ...messageShape(state, message) };
	for (const name of [...notInEvents, "is_locked", "subscribed", "upload"]) delete shape[name];
	if (message.threadTs === undefined) delete shape["thread_ts"];
	const root = rootOf(message);
	return {
		...shape,
		...(message.broadcast && root !== message && { root: messageShape(state, root) }),
		...(!message.author.isBot && message.subtype === undefined && fromClient(state, message)),
		...{ channel: channel.id, channel_type: channelTypes[channel.kind], event_ts: message.ts },
	};
}

/**
 * Returns the fields that only messages from clients have. Context:
 * https://docs.slack.dev/reference/events/message.im
 */
function fromClient(state: State, message: MessageRecord): object {
	const isContext =
		state.app.agentView && message.channel.kind === "im" && state.contexts.has(message.author.id);
	return {
		client_msg_id: clientId(message),
		...(isContext && { app_context: contextOf(state, message.author) }),
	};
}

function clientId({ ts }: MessageRecord): string {
	const digits = ts.replace(".", "").padStart(32, "0");
	return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** Returns the shape of a mention event: https://docs.slack.dev/reference/events/app_mention */
export function appMentionShape(state: State, message: MessageRecord): Record<string, unknown> {
	const { channel_type: _, subtype: __, parent_user_id: ___, ...shape } = messageEventShape(state, message);
	const event_ts = message.edited?.ts ?? message.ts;
	return { ...shape, type: "app_mention", event_ts };
}

function inner(event: Record<string, unknown>): Record<string, unknown> {
	const { channel: _, channel_type: __, event_ts: ___, ...message } = event;
	return message;
}

/**
 * Returns the shape of an event about a changed message:
 * https://docs.slack.dev/reference/events/message/message_changed
 */
export function changedShape(
	state: State,
	message: MessageRecord,
	before: Record<string, unknown>,
): Record<string, unknown> {
	const { channel, edited } = message;
	const ts = edited?.ts ?? state.stamps.create();
	const changed = message.deleted ? messageShape(state, message) : inner(messageEventShape(state, message));
	return {
		...{ type: "message", subtype: "message_changed", hidden: true, channel: channel.id },
		...{ channel_type: channelTypes[channel.kind], ts, event_ts: ts },
		message: { ...changed, source_team: message.author.team.id, user_team: message.author.team.id },
		previous_message: inner(before),
	};
}

/**
 * Returns the shape of an event about a deleted message:
 * https://docs.slack.dev/reference/events/message/message_deleted
 */
export function deletedShape(
	state: State,
	{ ts: deleted, channel }: MessageRecord,
	before: Record<string, unknown>,
): Record<string, unknown> {
	const ts = state.stamps.create();
	return {
		...{ type: "message", subtype: "message_deleted", hidden: true, deleted_ts: deleted },
		...{ channel: channel.id, channel_type: channelTypes[channel.kind], ts, event_ts: ts },
		previous_message: inner(before),
	};
}

import type { Draft } from "../platform/drafts.ts";
import { hasMessageContent } from "../platform/intents.ts";
import { createMessage, deleteMessage, editMessage } from "../platform/messages.ts";
import { demand, may } from "../platform/permissions.ts";
import { addReaction, removeReaction } from "../platform/reactions.ts";
import type { ChannelRecord, MessageRecord } from "../platform/records.ts";
import { startTyping } from "../platform/typing.ts";
import { messageShape, withoutContent } from "../shapes/messages.ts";
import { type Call, nothing, ok, param, type Route } from "./route.ts";

export function channelOf(call: Call): ChannelRecord {
	return call.state.channel(param(call, "channel_id"));
}

export function messageOf(call: Call): MessageRecord {
	const channel = channelOf(call);
	demand(call.state, call.state.app.user, channel);
	return call.state.message(channel, param(call, "message_id"));
}

export function draftOf({ body, files }: Call): Draft {
	// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
	return { body: (body ?? {}) as Draft["body"], files };
}

/**
 * Returns the message object. Without the message content intent, the content may be empty, because the intent also
 * restricts REST: https://discord.com/developers/docs/events/gateway#message-content-intent
 */
function read({ state }: Call, message: MessageRecord): object {
	const shape = messageShape(state, message);
	return hasMessageContent(state.app.privileged) ? shape : withoutContent(state, message, shape);
}

/**
 * Returns messages, newest first, 50 by default:
 * https://discord.com/developers/docs/resources/message#get-channel-messages. A caller who may not read the history
 * gets an empty list and no error.
 */
function listMessages(call: Call): object[] {
	const channel = channelOf(call);
	const { user } = call.state.app;
	demand(call.state, user, channel);
	if (!may(call.state, user, channel, "ReadMessageHistory")) return [];
	const { after, before, around, limit = "50" } = call.query;
	const maximum = Number(limit);
	const all = channel.messages.filter(({ deleted, onlyFor }) => !deleted && !onlyFor);
	const chosen = choose(all, { after, before, around, maximum });
	return chosen.reverse().map((message) => read(call, message));
}

interface Choice {
	readonly after: string | undefined;
	readonly before: string | undefined;
	readonly around: string | undefined;
	readonly maximum: number;
}

function choose(all: readonly MessageRecord[], { after, before, around, maximum }: Choice): MessageRecord[] {
	const is = (id: string, other: string): boolean => BigInt(id) > BigInt(other);
	if (after !== undefined) return all.filter(({ id }) => is(id, after)).slice(0, maximum);
	if (before !== undefined) return all.filter(({ id }) => is(before, id)).slice(-maximum);
	if (around === undefined) return all.slice(-maximum);
	const middle = all.findLastIndex(({ id }) => !is(id, around));
	const first = Math.max(0, middle - Math.floor(maximum / 2));
	return all.slice(first, first + maximum);
}

const messages = "/channels/{channel_id}/messages";
const one = `${messages}/{message_id}`;
const ownReactions = `${one}/reactions/{emoji_name}/@me`;

export const messageRoutes: readonly Route[] = [
	{
		...{ method: "GET", path: messages },
		handle: (call) => ok(listMessages(call)),
	},
	{
		...{ method: "POST", path: messages },
		handle(call) {
			const { state } = call;
			const message = createMessage(state, state.app.user, channelOf(call), draftOf(call));
			return ok(messageShape(state, message, true));
		},
	},
	{
		...{ method: "GET", path: one },
		handle(call) {
			demand(call.state, call.state.app.user, channelOf(call), "ReadMessageHistory");
			return ok(read(call, messageOf(call)));
		},
	},
	{
		...{ method: "PATCH", path: one },
		handle(call) {
			const { state } = call;
			return ok(messageShape(state, editMessage(state, state.app.user, messageOf(call), draftOf(call))));
		},
	},
	{
		...{ method: "DELETE", path: one },
		handle(call) {
			deleteMessage(call.state, call.state.app.user, messageOf(call));
			return nothing;
		},
	},
	{
		...{ method: "PUT", path: ownReactions },
		handle(call) {
			addReaction(call.state, call.state.app.user, messageOf(call), param(call, "emoji_name"));
			return nothing;
		},
	},
	{
		...{ method: "DELETE", path: ownReactions },
		handle(call) {
			removeReaction(call.state, call.state.app.user, messageOf(call), param(call, "emoji_name"));
			return nothing;
		},
	},
	{
		...{ method: "POST", path: "/channels/{channel_id}/typing" },
		handle(call) {
			startTyping(call.state, call.state.app.user, channelOf(call));
			return nothing;
		},
	},
];

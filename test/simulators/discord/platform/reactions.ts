import { GatewayDispatchEvents, GatewayIntentBits, ReactionType } from "discord-api-types/v10";
import { memberShape, userShape } from "../shapes/people.ts";
import { demand } from "./permissions.ts";
import type { MessageRecord, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";
import { demandOpen } from "./thread-state.ts";

/** Adds a reaction: https://discord.com/developers/docs/resources/message#create-reaction */
export function addReaction(state: State, by: UserRecord, message: MessageRecord, emoji: string): void {
	const { channel } = message;
	if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}|[#*0-9]\u{FE0F}?\u{20E3}/u.test(emoji)) {
		throw refusals.unknownEmoji();
	}
	demand(state, by, channel, "ReadMessageHistory");
	const users = message.reactions.get(emoji);
	// The first reaction with an emoji requires the permission ADD_REACTIONS.
	if (!users) demand(state, by, channel, "AddReactions");
	demandOpen(state, channel);
	if (users?.has(by.id)) return;
	message.reactions.set(emoji, new Set([...(users ?? []), by.id]));
	const member = channel.guild?.members.get(by.id);
	emitReaction(state, by, message, {
		t: GatewayDispatchEvents.MessageReactionAdd,
		emoji,
		more: {
			message_author_id: message.author.id,
			...(member && { member: { ...memberShape(state, member), user: userShape(by) } }),
		},
	});
}

/** Removes the user's own reaction: https://discord.com/developers/docs/resources/message#delete-own-reaction */
export function removeReaction(state: State, by: UserRecord, message: MessageRecord, emoji: string): void {
	demand(state, by, message.channel);
	demandOpen(state, message.channel);
	const users = message.reactions.get(emoji);
	if (!users?.delete(by.id)) throw refusals.unknownEmoji();
	if (users.size === 0) message.reactions.delete(emoji);
	emitReaction(state, by, message, { t: GatewayDispatchEvents.MessageReactionRemove, emoji, more: {} });
}

interface Reacted {
	readonly t: GatewayDispatchEvents.MessageReactionAdd | GatewayDispatchEvents.MessageReactionRemove;
	readonly emoji: string;
	readonly more: object;
}

function emitReaction(
	state: State,
	by: UserRecord,
	{ id, channel }: MessageRecord,
	{ t, emoji, more }: Reacted,
): void {
	const { GuildMessageReactions, DirectMessageReactions } = GatewayIntentBits;
	state.emit({
		t,
		d: {
			...{ user_id: by.id, channel_id: channel.id, message_id: id },
			...(channel.guild && { guild_id: channel.guild.id }),
			emoji: { id: null, name: emoji },
			...{ type: ReactionType.Normal, burst: false },
			...more,
		},
		intents: channel.guild ? GuildMessageReactions : DirectMessageReactions,
		channel,
	});
}

import { GatewayDispatchEvents, GatewayIntentBits } from "discord-api-types/v10";
import { memberShape, userShape } from "../shapes/people.ts";
import { demand, speaking } from "./permissions.ts";
import type { ChannelRecord, UserRecord } from "./records.ts";
import type { State } from "./state.ts";

/**
 * Duration of a typing indicator in milliseconds. A message of the user ends the indicator earlier, but the app
 * cannot cancel it: https://discord.com/developers/docs/resources/channel#trigger-typing-indicator
 */
const typingMs = 10_000;

export function startTyping(state: State, by: UserRecord, channel: ChannelRecord): void {
	demand(state, by, channel, speaking(channel));
	channel.typing.set(by.id, state.now() + typingMs);
	const member = channel.guild?.members.get(by.id);
	state.emit({
		t: GatewayDispatchEvents.TypingStart,
		d: {
			channel_id: channel.id,
			user_id: by.id,
			timestamp: Math.floor(state.now() / 1000),
			...(channel.guild && { guild_id: channel.guild.id }),
			...(member && { member: { ...memberShape(state, member), user: userShape(by) } }),
		},
		intents: channel.guild ? GatewayIntentBits.GuildMessageTyping : GatewayIntentBits.DirectMessageTyping,
		channel,
	});
}

export function typingNow(state: State, channel: ChannelRecord): UserRecord[] {
	const typing = [...channel.typing].filter(([, until]) => until > state.now());
	return typing.map(([id]) => state.user(id));
}

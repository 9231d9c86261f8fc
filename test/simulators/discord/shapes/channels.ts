import { ChannelType } from "discord-api-types/v10";
import type { ChannelRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { userShape } from "./people.ts";

function lastMessage(channel: ChannelRecord): string | null {
	return channel.messages.findLast(({ onlyFor }) => onlyFor === undefined)?.id ?? null;
}

/**
 * Returns the shape of a channel of any kind: https://discord.com/developers/docs/resources/channel#channel-object
 */
export function channelShape(state: State, channel: ChannelRecord) {
	if (channel.type === ChannelType.DM) return directShape(channel);
	return channel.thread ? threadShape(state, channel) : guildChannelShape(channel);
}

export function directShape(channel: ChannelRecord) {
	return {
		id: channel.id,
		type: ChannelType.DM as const,
		flags: 0,
		last_message_id: lastMessage(channel),
		recipients: channel.recipients.map(userShape),
	};
}

export function guildChannelShape(channel: ChannelRecord) {
	const overwrites = [...channel.overwrites.values()].map(({ id, type, allow, deny }) => ({
		...{ id, type: type === "role" ? 0 : 1 },
		...{ allow: String(allow), deny: String(deny) },
	}));
	return {
		id: channel.id,
		type: channel.type,
		flags: 0,
		guild_id: channel.guild?.id ?? "",
		name: channel.name,
		position: channel.position,
		parent_id: null,
		topic: channel.topic,
		nsfw: false,
		rate_limit_per_user: 0,
		last_message_id: lastMessage(channel),
		permission_overwrites: overwrites,
	};
}

/** Returns the shape of a thread: https://discord.com/developers/docs/topics/threads#thread-fields */
export function threadShape(state: State, channel: ChannelRecord) {
	const { thread, parent, guild } = channel;
	if (!thread || !parent || !guild) throw new Error(`channel ${channel.id} is no thread`);
	const count = channel.messages.filter(({ deleted }) => !deleted).length;
	const joined = thread.members.get(state.app.user.id);
	const member = {
		id: channel.id,
		user_id: state.app.user.id,
		join_timestamp: state.timestamp(joined ?? 0),
		flags: 1,
	};
	return {
		id: channel.id,
		type: channel.type,
		flags: 0,
		guild_id: guild.id,
		parent_id: parent.id,
		owner_id: thread.ownerId,
		name: channel.name,
		rate_limit_per_user: 0,
		last_message_id: lastMessage(channel),
		message_count: count,
		total_message_sent: channel.messages.length,
		member_count: thread.members.size,
		thread_metadata: {
			archived: thread.archived,
			archive_timestamp: state.timestamp(thread.archivedAt),
			auto_archive_duration: thread.archiveAfter,
			locked: thread.locked,
			create_timestamp: state.timestamp(thread.createdAt),
		},
		...(joined !== undefined && { member }),
	};
}

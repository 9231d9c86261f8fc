import { addMessage, announce } from "./messages.ts";
import type { ChannelKind, ChannelRecord, TeamRecord, UserRecord } from "./records.ts";
import { sendEvents } from "./send-events.ts";
import type { State } from "./state.ts";

export interface NewUser {
	/** Team of the user, if it is not the team that installed the app. */
	readonly team?: TeamRecord;
	readonly isBot?: boolean;
	readonly guest?: "several channels" | "one channel";
	readonly isAdmin?: boolean;
	readonly isOwner?: boolean;
	readonly locale?: string;
}

export function addUser(state: State, name: string, facts: NewUser = {}): UserRecord {
	const { guest, isBot = false } = facts;
	const user: UserRecord = {
		id: state.stamps.id("U"),
		handle: name.toLowerCase().replaceAll(/[^a-z0-9._-]/g, "."),
		...{ name, team: facts.team ?? state.team, isBot, deleted: false },
		...(isBot && { botId: state.stamps.id("B"), appId: state.stamps.id("A") }),
		isRestricted: guest !== undefined,
		isUltraRestricted: guest === "one channel",
		isAdmin: facts.isAdmin ?? facts.isOwner ?? false,
		isOwner: facts.isOwner ?? false,
		locale: facts.locale ?? "en-US",
	};
	state.users.set(user.id, user);
	return user;
}

const letters: Readonly<Record<ChannelKind, string>> = { channel: "C", group: "C", im: "D", mpim: "G" };

/** Adds a channel with these members, without sending events. */
export function addChannel(
	state: State,
	kind: ChannelKind,
	name: string,
	members: readonly UserRecord[],
): ChannelRecord {
	const channel: ChannelRecord = {
		id: state.stamps.id(letters[kind]),
		...{ kind, name, createdAt: state.now(), creator: members[0] ?? state.app.user },
		...{ members: new Set(members), messages: [], topic: "", archived: false, deleted: false },
		...{ sharedWith: new Set(), sharePending: new Set() },
	};
	for (const { team } of members) if (team !== state.team) channel.sharedWith.add(team);
	state.channels.set(channel.id, channel);
	return channel;
}

/** Returns the conversation of the app with `people`. Creates the conversation if it does not exist. */
export function openConversation(state: State, people: readonly UserRecord[]): ChannelRecord {
	const members = [...new Set([state.app.user, ...people])];
	const kind = members.length > 2 ? "mpim" : "im";
	const known = [...state.channels.values()].find(
		(channel) =>
			channel.kind === kind &&
			channel.members.size === members.length &&
			members.every((one) => channel.members.has(one)),
	);
	if (known) return known;
	const name = kind === "mpim" ? `mpdm-${members.map(({ handle }) => handle).join("--")}-1` : "";
	return addChannel(state, kind, name, members);
}

/**
 * Returns `C` for public channels, `D` for direct messages, and `G` for private channels and group direct messages.
 */
function channelType({ kind }: ChannelRecord): string {
	return kind === "channel" ? "C" : kind === "im" ? "D" : "G";
}

/** Adds a user to a channel: https://docs.slack.dev/reference/events/member_joined_channel */
export function join(state: State, channel: ChannelRecord, user: UserRecord, inviter?: UserRecord): void {
	if (channel.members.has(user)) return;
	channel.members.add(user);
	if (user.team !== state.team) share(state, channel, user.team);
	const subtype = channel.kind === "group" ? "group_join" : "channel_join";
	const text = `<@${user.id}> has joined the channel`;
	announce(state, addMessage(state, { author: user, channel, text, subtype }));
	const event = {
		...{ type: "member_joined_channel", user: user.id, channel: channel.id },
		...{ channel_type: channelType(channel), team: user.team.id },
		...(inviter && { inviter: inviter.id }),
		event_ts: state.stamps.create(),
	};
	sendEvents(state, { subscription: "member_joined_channel", channel, event });
}

/**
 * Removes a user from a channel: https://docs.slack.dev/reference/events/member_left_channel. If the removed
 * user is the app, the event is `channel_left` or `group_left` instead.
 */
export function leave(state: State, channel: ChannelRecord, user: UserRecord): void {
	if (!channel.members.delete(user)) return;
	const event_ts = state.stamps.create();
	if (user === state.app.user) {
		const type = channel.kind === "channel" ? "channel_left" : "group_left";
		const event = { type, channel: channel.id, actor_id: channel.creator.id, event_ts };
		sendEvents(state, { subscription: type, channel, everywhere: true, event });
		return;
	}
	const event = {
		...{ type: "member_left_channel", user: user.id, channel: channel.id },
		...{ channel_type: channelType(channel), team: user.team.id, event_ts },
	};
	sendEvents(state, { subscription: "member_left_channel", channel, event });
}

/** Shares a channel with another team: https://docs.slack.dev/reference/events/channel_shared */
export function share(state: State, channel: ChannelRecord, team: TeamRecord): void {
	channel.sharePending.delete(team);
	if (channel.sharedWith.has(team)) return;
	channel.sharedWith.add(team);
	const event = {
		...{ type: "channel_shared", channel: channel.id, connected_team_id: team.id },
		event_ts: state.stamps.create(),
	};
	sendEvents(state, { subscription: "channel_shared", channel, event });
}

/** Ends the sharing of a channel with a team: https://docs.slack.dev/reference/events/channel_unshared */
export function unshare(state: State, channel: ChannelRecord, team: TeamRecord): void {
	if (!channel.sharedWith.delete(team)) return;
	for (const user of channel.members) if (user.team === team) channel.members.delete(user);
	const event = {
		...{ type: "channel_unshared", channel: channel.id, previously_connected_team_id: team.id },
		...{ is_ext_shared: channel.sharedWith.size > 0, event_ts: state.stamps.create() },
	};
	sendEvents(state, { subscription: "channel_unshared", channel, event });
}

/**
 * Archives or unarchives a channel: https://docs.slack.dev/reference/events/channel_archive. For a private channel, the
 * event is `group_archive`.
 */
export function archive(state: State, channel: ChannelRecord, by: UserRecord, archived = true): void {
	channel.archived = archived;
	const type = `${prefixOf(channel)}_${archived ? "archive" : "unarchive"}`;
	const about = { type, channel: channel.id, user: by.id, event_ts: state.stamps.create() };
	const event = { ...about, ...(archived && { is_moved: 0 }) };
	sendEvents(state, { subscription: type, channel, everywhere: channel.kind === "channel", event });
}

/** Deletes a channel: https://docs.slack.dev/reference/events/channel_deleted */
export function deleteChannel(state: State, channel: ChannelRecord): void {
	const type = `${prefixOf(channel)}_deleted`;
	const event = { type, channel: channel.id };
	sendEvents(state, { subscription: type, channel, everywhere: channel.kind === "channel", event });
	channel.deleted = true;
}

/** Renames a channel: https://docs.slack.dev/reference/events/channel_rename */
export function renameChannel(state: State, channel: ChannelRecord, name: string): void {
	channel.name = name;
	const type = `${prefixOf(channel)}_rename`;
	const about = {
		id: channel.id,
		name,
		name_normalized: name,
		created: Math.floor(channel.createdAt / 1000),
		...{ is_channel: channel.kind === "channel", is_mpim: false },
	};
	const event = { type, channel: about, event_ts: state.stamps.create() };
	sendEvents(state, { subscription: type, channel, everywhere: channel.kind === "channel", event });
}

function prefixOf({ kind }: ChannelRecord): "channel" | "group" {
	return kind === "channel" ? "channel" : "group";
}

import { ChannelType } from "discord-api-types/v10";
import { openDirect } from "../platform/guilds.ts";
import { demand, sees } from "../platform/permissions.ts";
import type { ChannelRecord, GuildRecord, MemberRecord } from "../platform/records.ts";
import { refusals } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { settle } from "../platform/thread-state.ts";
import {
	changeThread,
	joinThread,
	openThread,
	openThreadOf,
	type ThreadChange,
} from "../platform/threads.ts";
import { channelShape, directShape, threadShape } from "../shapes/channels.ts";
import { channelsOf, guildShape } from "../shapes/guilds.ts";
import { memberShape, roleShape, userShape } from "../shapes/people.ts";
import { channelOf, messageOf } from "./message-routes.ts";
import { type Call, created, nothing, ok, param, type Route } from "./route.ts";

function guildOf(call: Call): GuildRecord {
	const { state } = call;
	const guild = state.guild(param(call, "guild_id"));
	if (!guild.members.has(state.app.user.id)) throw refusals.missingAccess();
	return guild;
}

function memberWithUser(state: State, member: MemberRecord) {
	return { ...memberShape(state, member), user: userShape(member.user) };
}

interface ThreadBody {
	readonly name: string;
	readonly auto_archive_duration?: number | null;
}

function wishOf({ body }: Call) {
	// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
	const { name, auto_archive_duration: archiveAfter } = body as ThreadBody;
	return { name, ...(archiveAfter && { archiveAfter }) };
}

function changeChannel(call: Call, channel: ChannelRecord): void {
	const { state, body } = call;
	if (channel.thread) {
		// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
		changeThread(state, state.app.user, channel, body as ThreadChange);
		return;
	}
	demand(state, state.app.user, channel, "ManageChannels");
	// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
	const { name, topic } = body as { readonly name?: string; readonly topic?: string | null };
	channel.name = name ?? channel.name;
	channel.topic = topic === undefined ? channel.topic : topic;
}

function directWith(call: Call): ChannelRecord {
	// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
	const { recipient_id: id } = call.body as { readonly recipient_id?: string };
	const person = call.state.user(id ?? "");
	if (person.bot) throw refusals.directRefused();
	return openDirect(call.state, person);
}

export const channelRoutes: readonly Route[] = [
	{
		...{ method: "GET", path: "/channels/{channel_id}" },
		handle(call) {
			const channel = channelOf(call);
			if (!sees(call.state, call.state.app.user, channel)) throw refusals.missingAccess();
			settle(call.state, channel);
			return ok(channelShape(call.state, channel));
		},
	},
	{
		...{ method: "PATCH", path: "/channels/{channel_id}" },
		handle(call) {
			const channel = channelOf(call);
			changeChannel(call, channel);
			return ok(channelShape(call.state, channel));
		},
	},
	{
		...{ method: "POST", path: "/channels/{channel_id}/messages/{message_id}/threads" },
		handle(call) {
			const { state } = call;
			return created(threadShape(state, openThreadOf(state, state.app.user, messageOf(call), wishOf(call))));
		},
	},
	{
		...{ method: "POST", path: "/channels/{channel_id}/threads" },
		handle(call) {
			const { state } = call;
			return created(threadShape(state, openThread(state, state.app.user, channelOf(call), wishOf(call))));
		},
	},
	{
		...{ method: "PUT", path: "/channels/{channel_id}/thread-members/@me" },
		handle(call) {
			joinThread(call.state, call.state.app.user, channelOf(call));
			return nothing;
		},
	},
	{
		...{ method: "POST", path: "/users/@me/channels" },
		handle: (call) => ok(directShape(directWith(call))),
	},
	{
		...{ method: "GET", path: "/guilds/{guild_id}" },
		handle: (call) => ok(guildShape(guildOf(call))),
	},
	{
		...{ method: "GET", path: "/guilds/{guild_id}/channels" },
		handle(call) {
			const channels = channelsOf(call.state, guildOf(call)).filter(
				({ type }) => type === ChannelType.GuildText,
			);
			return ok(channels.map((channel) => channelShape(call.state, channel)));
		},
	},
	{
		...{ method: "GET", path: "/guilds/{guild_id}/roles" },
		handle: (call) => ok([...guildOf(call).roles.values()].map(roleShape)),
	},
	{
		...{ method: "GET", path: "/guilds/{guild_id}/members/{user_id}" },
		handle(call) {
			const { state } = call;
			return ok(memberWithUser(state, state.member(guildOf(call), param(call, "user_id"))));
		},
	},
	{
		...{ method: "GET", path: "/guilds/{guild_id}/threads/active" },
		handle(call) {
			const { state } = call;
			const all = channelsOf(state, guildOf(call)).filter((channel) => sees(state, state.app.user, channel));
			for (const channel of all) settle(state, channel);
			const threads = all.filter(({ thread }) => thread && !thread.archived);
			return ok({
				threads: threads.map((thread) => threadShape(state, thread)),
				members: [],
				has_more: false,
			});
		},
	},
];

import { type APIRole, type APIUser, GuildMemberFlags } from "discord-api-types/v10";
import type { MemberRecord, RoleRecord, UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/** Returns the shape of a user: https://discord.com/developers/docs/resources/user#user-object */
export function userShape(user: UserRecord): APIUser {
	return {
		id: user.id,
		username: user.username,
		discriminator: user.bot ? "4821" : "0",
		global_name: user.bot ? null : user.name,
		avatar: null,
		banner: null,
		accent_color: null,
		avatar_decoration_data: null,
		collectibles: null,
		primary_guild: null,
		flags: 0 as NonNullable<APIUser["flags"]>,
		public_flags: 0 as NonNullable<APIUser["public_flags"]>,
		...(user.bot && { bot: true }),
	};
}

/**
 * Returns the shape of a member without its user:
 * https://discord.com/developers/docs/resources/guild#guild-member-object
 */
export function memberShape(state: State, member: MemberRecord) {
	const until = member.silentUntil;
	return {
		nick: member.nick,
		avatar: null,
		banner: null,
		avatar_decoration_data: null,
		roles: [...member.roles],
		joined_at: state.timestamp(member.joinedAt),
		premium_since: null,
		deaf: false,
		mute: false,
		flags: member.guest ? GuildMemberFlags.IsGuest : (0 as GuildMemberFlags),
		pending: false,
		communication_disabled_until: until > 0 ? state.timestamp(until) : null,
	};
}

/** Returns the shape of a role: https://discord.com/developers/docs/topics/permissions#role-object */
export function roleShape(role: RoleRecord): APIRole {
	return {
		id: role.id,
		name: role.name,
		color: 0,
		colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
		hoist: false,
		icon: null,
		unicode_emoji: null,
		position: role.position,
		permissions: String(role.permissions),
		managed: role.botId !== undefined,
		mentionable: role.mentionable,
		flags: 0 as APIRole["flags"],
		...(role.botId !== undefined && { tags: { bot_id: role.botId } }),
	};
}

import type { GuildSystemChannelFlags } from "discord-api-types/v10";
import type { ChannelRecord, GuildRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { guildChannelShape, threadShape } from "./channels.ts";
import { memberShape, roleShape, userShape } from "./people.ts";

export function channelsOf(state: State, guild: GuildRecord): ChannelRecord[] {
	return [...state.channels.values()].filter((channel) => channel.guild === guild && !channel.deleted);
}

/** Returns the shape of a guild: https://discord.com/developers/docs/resources/guild#guild-object */
export function guildShape(guild: GuildRecord) {
	return {
		id: guild.id,
		name: guild.name,
		icon: null,
		banner: null,
		splash: null,
		discovery_splash: null,
		home_header: null,
		description: null,
		features: [],
		owner_id: guild.ownerId,
		application_id: null,
		region: "deprecated",
		afk_channel_id: null,
		afk_timeout: 300,
		system_channel_id: guild.systemChannelId ?? null,
		system_channel_flags: 0 as GuildSystemChannelFlags,
		widget_enabled: false,
		widget_channel_id: null,
		verification_level: 1,
		default_message_notifications: 1,
		mfa_level: 0,
		explicit_content_filter: 0,
		max_presences: null,
		max_members: 500_000,
		max_stage_video_channel_users: 50,
		max_video_channel_users: 25,
		vanity_url_code: null,
		premium_tier: 0,
		premium_subscription_count: 0,
		premium_progress_bar_enabled: false,
		preferred_locale: "en-US",
		rules_channel_id: null,
		safety_alerts_channel_id: null,
		public_updates_channel_id: null,
		hub_type: null,
		incidents_data: null,
		nsfw: false,
		nsfw_level: 0,
		emojis: [],
		stickers: [],
		roles: [...guild.roles.values()].map(roleShape),
	};
}

/**
 * Returns the shape of a guild in its event: https://discord.com/developers/docs/events/gateway-events#guild-create
 */
export function guildCreateShape(state: State, guild: GuildRecord) {
	const { nsfw: _nsfw, home_header: _header, ...shape } = guildShape(guild);
	const all = channelsOf(state, guild);
	return {
		...shape,
		joined_at: state.timestamp(guild.joinedAt),
		large: false,
		unavailable: false,
		member_count: guild.members.size,
		voice_states: [],
		members: [...guild.members.values()].map((member) => ({
			...memberShape(state, member),
			user: userShape(member.user),
		})),
		channels: all.filter(({ thread }) => !thread).map(guildChannelShape),
		threads: all
			.filter(({ thread }) => thread && !thread.archived)
			.map((thread) => threadShape(state, thread)),
		presences: [],
		stage_instances: [],
		guild_scheduled_events: [],
		soundboard_sounds: [],
	};
}

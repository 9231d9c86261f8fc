import { ChannelType, GatewayDispatchEvents, GatewayIntentBits } from "discord-api-types/v10";
import { guildChannelShape } from "../shapes/channels.ts";
import { guildCreateShape } from "../shapes/guilds.ts";
import { memberShape, roleShape, userShape } from "../shapes/people.ts";
import { everyoneDefault } from "./permissions.ts";
import type { ChannelRecord, GuildRecord, MemberRecord, RoleRecord, UserRecord } from "./records.ts";
import type { State } from "./state.ts";

export function addUser(state: State, name: string, bot = false): UserRecord {
	const username = name.toLowerCase().replace(/[^a-z0-9_.]/g, "_");
	const user: UserRecord = { id: state.snowflakes.create(), username, name, bot, acceptsDirect: true };
	state.users.set(user.id, user);
	return user;
}

/** Creates a guild and its role `@everyone`. Both have the same id. The owner and the app are the first members. */
export function addGuild(state: State, name: string, owner: UserRecord): GuildRecord {
	const id = state.snowflakes.create();
	const everyone: RoleRecord = {
		id,
		name: "@everyone",
		permissions: everyoneDefault,
		position: 0,
		mentionable: false,
	};
	const guild: GuildRecord = {
		...{ id, name, ownerId: owner.id, joinedAt: state.now() },
		...{ roles: new Map([[id, everyone]]), members: new Map() },
	};
	state.guilds.set(id, guild);
	join(state, guild, owner);
	join(state, guild, state.app.user);
	const header = { t: GatewayDispatchEvents.GuildCreate, intents: GatewayIntentBits.Guilds };
	state.emit({ ...header, d: guildCreateShape(state, guild) });
	return guild;
}

export function addRole(
	state: State,
	guild: GuildRecord,
	name: string,
	options: { readonly permissions?: bigint; readonly mentionable?: boolean; readonly botId?: string } = {},
): RoleRecord {
	const { permissions = 0n, mentionable = false, botId } = options;
	const role: RoleRecord = {
		...{ id: state.snowflakes.create(), name, permissions, mentionable, position: guild.roles.size },
		...(botId !== undefined && { botId }),
	};
	guild.roles.set(role.id, role);
	state.emit({
		t: GatewayDispatchEvents.GuildRoleCreate,
		d: { guild_id: guild.id, role: roleShape(role) },
		intents: GatewayIntentBits.Guilds,
	});
	return role;
}

export function join(state: State, guild: GuildRecord, user: UserRecord, guest = false): MemberRecord {
	const member: MemberRecord = {
		...{ user, roles: new Set<string>(), nick: null, joinedAt: state.now(), guest, silentUntil: 0 },
	};
	guild.members.set(user.id, member);
	const d = { ...memberShape(state, member), user: userShape(user), guild_id: guild.id };
	state.emit({ t: GatewayDispatchEvents.GuildMemberAdd, d, intents: GatewayIntentBits.GuildMembers });
	return member;
}

export function leave(state: State, guild: GuildRecord, user: UserRecord): void {
	guild.members.delete(user.id);
	const t = GatewayDispatchEvents.GuildMemberRemove;
	const d = { guild_id: guild.id, user: userShape(user) };
	state.emit({ t, d, intents: GatewayIntentBits.GuildMembers });
}

export function emitMember(state: State, guild: GuildRecord, member: MemberRecord): void {
	const d = { ...memberShape(state, member), user: userShape(member.user), guild_id: guild.id };
	state.emit({ t: GatewayDispatchEvents.GuildMemberUpdate, d, intents: GatewayIntentBits.GuildMembers });
}

export function addChannel(state: State, guild: GuildRecord, name: string): ChannelRecord {
	const position = [...state.channels.values()].filter((channel) => channel.guild === guild).length;
	const channel: ChannelRecord = {
		...{ id: state.snowflakes.create(), type: ChannelType.GuildText, guild, name, topic: null, position },
		...{ recipients: [], overwrites: new Map(), messages: [], typing: new Map(), deleted: false },
	};
	state.channels.set(channel.id, channel);
	emitChannel(state, channel, GatewayDispatchEvents.ChannelCreate);
	return channel;
}

type ChannelEvent =
	| GatewayDispatchEvents.ChannelCreate
	| GatewayDispatchEvents.ChannelUpdate
	| GatewayDispatchEvents.ChannelDelete;

export function emitChannel(state: State, channel: ChannelRecord, t: ChannelEvent): void {
	state.emit({ t, d: guildChannelShape(channel), intents: GatewayIntentBits.Guilds, channel });
}

/** Returns the channel for direct messages with a user. Creates the channel if it does not exist. */
export function openDirect(state: State, person: UserRecord): ChannelRecord {
	const open = [...state.channels.values()].find(
		({ type, recipients }) => type === ChannelType.DM && recipients.includes(person),
	);
	if (open) return open;
	const channel: ChannelRecord = {
		...{ id: state.snowflakes.create(), type: ChannelType.DM, name: "", topic: null, position: 0 },
		...{ recipients: [person], overwrites: new Map(), messages: [], typing: new Map(), deleted: false },
	};
	state.channels.set(channel.id, channel);
	return channel;
}

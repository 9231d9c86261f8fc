import { PermissionFlagsBits } from "discord-api-types/v10";
import type { ChannelRecord, GuildRecord, MemberRecord, Overwrite, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

const all = Object.values(PermissionFlagsBits).reduce((sum, bit) => sum | bit, 0n);

const direct =
	PermissionFlagsBits.ViewChannel |
	PermissionFlagsBits.SendMessages |
	PermissionFlagsBits.ReadMessageHistory |
	PermissionFlagsBits.AttachFiles |
	PermissionFlagsBits.EmbedLinks |
	PermissionFlagsBits.AddReactions;

export const everyoneDefault =
	direct |
	PermissionFlagsBits.SendMessagesInThreads |
	PermissionFlagsBits.CreatePublicThreads |
	PermissionFlagsBits.UseApplicationCommands |
	PermissionFlagsBits.ChangeNickname;

/**
 * Permissions of a timed-out member:
 * https://discord.com/developers/docs/topics/permissions#permissions-for-timed-out-members
 */
const silent = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

function ofGuild(guild: GuildRecord, member: MemberRecord): bigint {
	if (guild.ownerId === member.user.id) return all;
	const ids = [guild.id, ...member.roles];
	const granted = ids.reduce((sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n), 0n);
	return granted & PermissionFlagsBits.Administrator ? all : granted;
}

function apply(permissions: bigint, overwrites: readonly (Overwrite | undefined)[]): bigint {
	const deny = overwrites.reduce((sum, overwrite) => sum | (overwrite?.deny ?? 0n), 0n);
	const allow = overwrites.reduce((sum, overwrite) => sum | (overwrite?.allow ?? 0n), 0n);
	return (permissions & ~deny) | allow;
}

function inChannel(guild: GuildRecord, member: MemberRecord, channel: ChannelRecord): bigint {
	const base = ofGuild(guild, member);
	if (base === all) return all;
	const of = (id: string): Overwrite | undefined => channel.overwrites.get(id);
	const forEveryone = apply(base, [of(guild.id)]);
	const forRoles = apply(forEveryone, [...member.roles].map(of));
	return apply(forRoles, [of(member.user.id)]);
}

/** Removes permissions without effect: https://discord.com/developers/docs/topics/permissions#implicit-permissions */
function withoutImplied(permissions: bigint, thread: boolean): bigint {
	const { ViewChannel, SendMessages, SendMessagesInThreads, AttachFiles, EmbedLinks, MentionEveryone } =
		PermissionFlagsBits;
	if ((permissions & ViewChannel) === 0n) return 0n;
	const speak = thread ? SendMessagesInThreads : SendMessages;
	return permissions & speak ? permissions : permissions & ~(AttachFiles | EmbedLinks | MentionEveryone);
}

/**
 * Returns the permissions of a user in a channel. A thread has the permissions of its channel:
 * https://discord.com/developers/docs/topics/permissions#permission-overwrites
 */
export function permissionsIn(state: State, user: UserRecord, channel: ChannelRecord): bigint {
	const { guild } = channel;
	if (!guild) return channel.recipients.includes(user) || user === state.app.user ? direct : 0n;
	const member = guild.members.get(user.id);
	if (!member) return 0n;
	const permissions = inChannel(guild, member, channel.parent ?? channel);
	const maximum = member.silentUntil > state.now() && permissions !== all ? silent : all;
	return withoutImplied(permissions & maximum, channel.thread !== undefined);
}

export function sees(state: State, user: UserRecord, channel: ChannelRecord): boolean {
	return (permissionsIn(state, user, channel) & PermissionFlagsBits.ViewChannel) !== 0n;
}

export function may(
	state: State,
	user: UserRecord,
	channel: ChannelRecord,
	permission: keyof typeof PermissionFlagsBits,
): boolean {
	return (permissionsIn(state, user, channel) & PermissionFlagsBits[permission]) !== 0n;
}

/** Throws error 50001 if the user cannot see the channel, and error 50013 if the user lacks one of `permissions`. */
export function demand(
	state: State,
	user: UserRecord,
	channel: ChannelRecord,
	...permissions: readonly (keyof typeof PermissionFlagsBits)[]
): void {
	if (!sees(state, user, channel)) throw refusals.missingAccess();
	if (!permissions.every((permission) => may(state, user, channel, permission))) {
		throw refusals.missingPermissions();
	}
}

/**
 * Returns the permission to write in a channel or thread:
 * https://discord.com/developers/docs/topics/threads#permissions
 */
export function speaking(channel: ChannelRecord): "SendMessages" | "SendMessagesInThreads" {
	return channel.thread ? "SendMessagesInThreads" : "SendMessages";
}

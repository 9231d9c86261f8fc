import { PermissionFlagsBits } from "discord-api-types/v10";
import * as z from "zod";
import { id } from "./wire.ts";

/** Permissions that define an audience. An administrator has all permissions. */
const ways = [
	PermissionFlagsBits.ViewChannel,
	PermissionFlagsBits.SendMessages,
	PermissionFlagsBits.SendMessagesInThreads,
	PermissionFlagsBits.UseApplicationCommands,
	PermissionFlagsBits.Administrator,
] as const;
/** Bits of the first four permissions in `ways`, in the same order. */
const [view, inChannels, inThreads, commands] = [1, 2, 4, 8];
const administrator = 1 << (ways.length - 1);
/** Bit of the permission to read earlier messages, which is not in `ways` because it is not part of an audience. */
const history = administrator << 1;
const ordinary = administrator - 1;

/** Permissions as the bits of `ways` and the bit `history`. */
const rights = z
	.string()
	.regex(/^\d{1,40}$/)
	.transform((text) => {
		const permissions = BigInt(text);
		const mayReadHistory = (permissions & PermissionFlagsBits.ReadMessageHistory) === 0n ? 0 : history;
		return ways.reduce(
			(sum, way, index) => ((permissions & way) === 0n ? sum : sum | (1 << index)),
			mayReadHistory,
		);
	});

export const RoleRights = z.object({ id, permissions: rights });
export const Overwrites = z.array(z.object({ id, type: z.int(), allow: rights, deny: rights })).default([]);
type Overwrite = z.output<typeof Overwrites>[number];

/** Permissions in a guild, which determine the audiences of its channels. */
export interface GuildRights {
	readonly guild: string;
	/** User id of the guild's owner, who has all permissions. */
	owner: string;
	/** Permissions by role id. The default role has the id of the guild. */
	readonly roles: Map<string, number>;
	readonly channels: Map<string, readonly Overwrite[]>;
}

/**
 * Returns a text that identifies the audience of a channel. The text contains the guild's owner, the permissions of
 * roles, and the permissions of members that have an overwrite.
 * https://docs.discord.com/developers/topics/permissions#permission-overwrites
 */
export function audienceOf({ guild, owner, roles }: GuildRights, overwrites: readonly Overwrite[]): string {
	const base = roles.get(guild) ?? 0;
	if ((base & administrator) !== 0) return "everybody";
	const of = new Map(overwrites.map((overwrite) => [overwrite.id, overwrite]));
	const { allow = 0, deny = 0 } = of.get(guild) ?? {};
	const lines = [`owner ${owner}`, `everybody ${((base & ~deny) | allow) & ordinary}`];
	for (const [role, permissions] of roles) {
		if (role === guild) continue;
		// The channel overwrite of the default role has precedence over the permissions of other roles.
		const adds = permissions & ordinary & ~(base | allow | deny);
		const isAdministrator = (permissions & administrator) !== 0;
		const description = isAdministrator ? "all" : `${adds} ${wordsOf(of.get(role))}`;
		if (description !== `0 ${nothing}`) lines.push(`${role} ${description}`);
	}
	for (const one of overwrites) {
		if (one.type === member && wordsOf(one) !== nothing) lines.push(`${one.id} ${wordsOf(one)}`);
	}
	return lines.toSorted().join();
}

/** A person in a channel of a guild, with the person's roles in the guild. */
export interface PersonInChannel {
	readonly guild: string;
	readonly channel: string;
	readonly user: string;
	readonly roles: readonly string[];
	readonly inThread: boolean;
}

/**
 * Whether the person can read the channel, and either write in it or use commands. False for a deleted channel.
 * https://docs.discord.com/developers/topics/permissions#permission-overwrites
 */
export function mayWrite(rights: GuildRights, person: PersonInChannel): boolean {
	const permissions = permissionsOf(rights, person);
	const speak = (person.inThread ? inThreads : inChannels) | commands;
	return (permissions & view) !== 0 && (permissions & speak) !== 0;
}

/** Whether the person can send messages in the channel. False for a deleted channel. */
export function maySend(rights: GuildRights, person: Omit<PersonInChannel, "inThread">): boolean {
	const permissions = permissionsOf(rights, { ...person, inThread: false });
	return (permissions & view) !== 0 && (permissions & inChannels) !== 0;
}

/** Whether the person can read the earlier messages of the channel. False for a deleted channel. */
export function mayReadHistory(rights: GuildRights, person: PersonInChannel): boolean {
	const permissions = permissionsOf(rights, person);
	return (permissions & view) !== 0 && (permissions & history) !== 0;
}

function permissionsOf(rights: GuildRights, { channel, user, roles }: PersonInChannel): number {
	const { guild, owner } = rights;
	const overwrites = rights.channels.get(channel);
	// A person has no permissions in an unknown or deleted channel.
	if (overwrites === undefined) return 0;
	const base = [guild, ...roles].reduce(
		(permissions, role) => permissions | (rights.roles.get(role) ?? 0),
		0,
	);
	if (user === owner || (base & administrator) !== 0) return ordinary | administrator | history;
	const ofRoles = overwrites.filter(({ id, type }) => type !== member && id !== guild && roles.includes(id));
	const layers = [
		overwrites.filter(({ id }) => id === guild),
		ofRoles,
		overwrites.filter(({ id, type }) => type === member && id === user),
	];
	return layers.reduce((before, layer) => {
		const allow = layer.reduce((sum, one) => sum | one.allow, 0);
		const deny = layer.reduce((sum, one) => sum | one.deny, 0);
		return (before & ~deny) | allow;
	}, base);
}

/** Type of an overwrite for a member. Any other type is for a role: resources/channel#overwrite-object */
const member = 1;
const nothing = "0/0";

function wordsOf(overwrite: Overwrite | undefined): string {
	const { allow = 0, deny = 0 } = overwrite ?? {};
	return `${allow & ordinary}/${deny & ordinary}`;
}

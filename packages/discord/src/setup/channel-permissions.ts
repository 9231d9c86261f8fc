import { PermissionFlagsBits } from "discord-api-types/v10";
import * as z from "zod";

const bits = z.string().transform((text) => BigInt(text));

const Overwrite = z.object({ id: z.string(), type: z.int(), allow: bits, deny: bits });
type Overwrite = z.output<typeof Overwrite>;

export const GuildRoles = z.array(z.object({ id: z.string(), permissions: bits }));
export const OwnMember = z.object({ roles: z.array(z.string()) });
export const GuildChannels = z.array(
	z.object({
		id: z.string(),
		name: z.string().default(""),
		type: z.int(),
		permission_overwrites: z.array(Overwrite).default([]),
	}),
);

/** What the bot is in a guild. */
export interface Standing {
	readonly guild: string;
	readonly user: string;
	/** With the permissions of each role of the guild. */
	readonly roles: z.output<typeof GuildRoles>;
	/** Those that the bot has. */
	readonly own: readonly string[];
}

const everything = (1n << 64n) - 1n;

/** What the bot may do everywhere in a guild. */
export function permissionsInGuild({ guild, roles, own }: Standing): bigint {
	const held = roles
		// The role of everybody has the id of the guild.
		.filter(({ id }) => id === guild || own.includes(id))
		.reduce((sum, { permissions }) => sum | permissions, 0n);
	return (held & PermissionFlagsBits.Administrator) === 0n ? held : everything;
}

/** What it may do in one channel: https://docs.discord.com/developers/topics/permissions#permission-overwrites */
export function permissionsIn(overwrites: readonly Overwrite[], standing: Standing): bigint {
	const { guild, user, own } = standing;
	const inGuild = permissionsInGuild(standing);
	if (inGuild === everything) return everything;
	const ofRoles = overwrites.filter(({ id }) => id !== guild && own.includes(id));
	return [
		overwrites.filter(({ id }) => id === guild),
		ofRoles,
		overwrites.filter(({ id }) => id === user),
	].reduce((held, some) => {
		const deny = some.reduce((sum, overwrite) => sum | overwrite.deny, 0n);
		const allow = some.reduce((sum, overwrite) => sum | overwrite.allow, 0n);
		return (held & ~deny) | allow;
	}, inGuild);
}

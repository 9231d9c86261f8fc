import type { Finding } from "@parley/connector";
import { ChannelType, OAuth2Scopes, PermissionFlagsBits } from "discord-api-types/v10";
import * as z from "zod";
import { serverTexts } from "../texts/servers.ts";
import { readApplication, readUser } from "./account-checks.ts";
import { askDiscord, type Discord } from "./check.ts";

const Guilds = z.array(z.object({ id: z.string(), name: z.string() }));
type Guild = z.output<typeof Guilds>[number];

/** Types of channels whose permissions are checked. */
const textual: ReadonlySet<number> = new Set([ChannelType.GuildText, ChannelType.GuildAnnouncement]);

/** Maximum number of channels to name in one finding. */
const maxNamed = 5;

export async function checkInvited(discord: Discord): Promise<Finding> {
	const id = "discord-servers";
	const { id: application } = await readApplication(discord);
	const guilds = Guilds.parse((await askDiscord(discord.port, "/users/@me/guilds")).body);
	if (guilds.length > 0) {
		const names = guilds.map(({ name }) => name);
		return { id, status: "ok", what: serverTexts.servers({ names, invite: inviteUrl(application) }) };
	}
	const fix = serverTexts.noServerFix({ invite: inviteUrl(application) });
	return { id, status: "fail", what: serverTexts.noServer, fix };
}

export async function checkPermissions(discord: Discord): Promise<Finding[]> {
	const { id: application } = await readApplication(discord);
	const { id: user } = await readUser(discord);
	const guilds = Guilds.parse((await askDiscord(discord.port, "/users/@me/guilds")).body);
	const findings: Finding[] = [];
	for (const guild of guilds) findings.push(await checkGuild(discord, guild, { application, user }));
	return findings;
}

async function checkGuild(
	{ port }: Discord,
	guild: Guild,
	{ application, user }: { readonly application: string; readonly user: string },
): Promise<Finding> {
	const id = "discord-permissions";
	const path = `/guilds/${guild.id}`;
	const { roles: own } = OwnMember.parse((await askDiscord(port, `${path}/members/${user}`)).body);
	const roles = GuildRoles.parse((await askDiscord(port, `${path}/roles`)).body);
	const channels = GuildChannels.parse((await askDiscord(port, `${path}/channels`)).body);
	const standing: Standing = { guild: guild.id, user, roles, own };
	const missing = missingOf(permissionsInGuild(standing));
	if (missing.length > 0) {
		const what = serverTexts.lacking({ server: guild.name, permissions: listed(missing) });
		const fix = serverTexts.lackingFix({ invite: inviteUrl(application, guild.id) });
		return { id, status: "fail", what, fix };
	}
	const short = channels.filter(({ type, permission_overwrites: overwrites }) => {
		// A channel that the bot cannot see needs no further permissions.
		const lacks = missingOf(permissionsIn(overwrites, standing));
		return textual.has(type) && lacks.length > 0 && lacks.every(({ name }) => name !== "View Channels");
	});
	if (short.length === 0) return { id, status: "ok", what: serverTexts.permissions({ server: guild.name }) };
	const lacking = short.slice(0, maxNamed).map(({ name, permission_overwrites: overwrites }) => {
		return `#${name}: ${missingOf(permissionsIn(overwrites, standing))
			.map((one) => one.name)
			.join(", ")}`;
	});
	const others = short.length - lacking.length;
	const what = serverTexts.lackingInChannels({ server: guild.name, channels: lacking, others });
	return { id, status: "warn", what, fix: serverTexts.lackingInChannelsFix };
}

function missingOf(granted: bigint): NeededPermission[] {
	return neededPermissions.filter(({ bit }) => (granted & bit) === 0n);
}

function listed(missing: readonly NeededPermission[]): string {
	return missing.map(({ name, reason }) => `"${name}" (${reason})`).join(", ");
}

/** A permission that the bot needs. `name` is the name in Discord's settings. */
interface NeededPermission {
	readonly name: string;
	readonly bit: bigint;
	readonly reason: string;
}

const { purposes } = serverTexts;

/** Permissions that the bot needs: https://docs.discord.com/developers/topics/permissions */
export const neededPermissions: readonly NeededPermission[] = [
	{ name: "View Channels", bit: PermissionFlagsBits.ViewChannel, reason: purposes.viewChannel },
	{ name: "Send Messages", bit: PermissionFlagsBits.SendMessages, reason: purposes.sendMessages },
	{
		name: "Send Messages in Threads",
		bit: PermissionFlagsBits.SendMessagesInThreads,
		reason: purposes.sendMessagesInThreads,
	},
	{
		name: "Create Public Threads",
		bit: PermissionFlagsBits.CreatePublicThreads,
		reason: purposes.createPublicThreads,
	},
	{
		name: "Read Message History",
		bit: PermissionFlagsBits.ReadMessageHistory,
		reason: purposes.readMessageHistory,
	},
	{
		name: "Attach Files",
		bit: PermissionFlagsBits.AttachFiles,
		reason: purposes.attachFiles,
	},
];

/** Permission for `--status reactions`. Without it, the bot posts notices. */
const optionalPermission = PermissionFlagsBits.AddReactions;

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];

/**
 * Returns the URL that adds the bot to a server. On a server that already has the bot, the URL updates its
 * permissions.
 */
function inviteUrl(application: string, guild?: string): string {
	const permissions = neededPermissions.reduce((bits, { bit }) => bits | bit, optionalPermission);
	const query = new URLSearchParams({
		client_id: application,
		scope: scopes.join(" "),
		permissions: String(permissions),
	});
	if (guild !== undefined) {
		query.set("guild_id", guild);
		query.set("disable_guild_select", "true");
	}
	return `https://discord.com/oauth2/authorize?${query}`;
}

const bits = z.string().transform((text) => BigInt(text));

const Overwrite = z.object({ id: z.string(), type: z.int(), allow: bits, deny: bits });
type Overwrite = z.output<typeof Overwrite>;

const GuildRoles = z.array(z.object({ id: z.string(), permissions: bits }));
const OwnMember = z.object({ roles: z.array(z.string()) });
const GuildChannels = z.array(
	z.object({
		id: z.string(),
		name: z.string().default(""),
		type: z.int(),
		permission_overwrites: z.array(Overwrite).default([]),
	}),
);

/** All roles of a guild, and the bot's roles there. */
export interface Standing {
	readonly guild: string;
	readonly user: string;
	readonly roles: z.output<typeof GuildRoles>;
	/** Ids of the bot's roles. */
	readonly own: readonly string[];
}

const everything = (1n << 64n) - 1n;

export function permissionsInGuild({ guild, roles, own }: Standing): bigint {
	const granted = roles
		// The default role has the id of the guild.
		.filter(({ id }) => id === guild || own.includes(id))
		.reduce((sum, { permissions }) => sum | permissions, 0n);
	return (granted & PermissionFlagsBits.Administrator) === 0n ? granted : everything;
}

/** Returns the bot's permissions in one channel: https://docs.discord.com/developers/topics/permissions#permission-overwrites */
export function permissionsIn(overwrites: readonly Overwrite[], standing: Standing): bigint {
	const { guild, user, own } = standing;
	const inGuild = permissionsInGuild(standing);
	if (inGuild === everything) return everything;
	const ofRoles = overwrites.filter(({ id }) => id !== guild && own.includes(id));
	return [
		overwrites.filter(({ id }) => id === guild),
		ofRoles,
		overwrites.filter(({ id }) => id === user),
	].reduce((granted, some) => {
		const deny = some.reduce((sum, overwrite) => sum | overwrite.deny, 0n);
		const allow = some.reduce((sum, overwrite) => sum | overwrite.allow, 0n);
		return (granted & ~deny) | allow;
	}, inGuild);
}

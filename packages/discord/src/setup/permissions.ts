import { OAuth2Scopes, PermissionFlagsBits } from "discord-api-types/v10";

/** A permission of Discord's that the bot needs where it is to work, named as people see it. */
export interface NeededPermission {
	readonly name: string;
	readonly bit: bigint;
	/** What does not work without it. */
	readonly reason: string;
}

/** All that is used, and nothing else: https://docs.discord.com/developers/topics/permissions */
export const neededPermissions: readonly NeededPermission[] = [
	{ name: "View Channels", bit: PermissionFlagsBits.ViewChannel, reason: "to see who writes to it" },
	{ name: "Send Messages", bit: PermissionFlagsBits.SendMessages, reason: "to answer" },
	{
		name: "Send Messages in Threads",
		bit: PermissionFlagsBits.SendMessagesInThreads,
		reason: "to answer in threads, and to tell of tasks",
	},
	{
		name: "Create Public Threads",
		bit: PermissionFlagsBits.CreatePublicThreads,
		reason: "to give each task its own thread",
	},
	{
		name: "Read Message History",
		bit: PermissionFlagsBits.ReadMessageHistory,
		reason:
			"to reply to a message, to find again what was posted when Discord's answer was lost, and to read what was written while it was away",
	},
	{
		name: "Attach Files",
		bit: PermissionFlagsBits.AttachFiles,
		reason: "to post files, and answers that are too long for messages",
	},
];

const scopes = [OAuth2Scopes.Bot, OAuth2Scopes.ApplicationsCommands];

/**
 * Where somebody who manages a server lets the bot in, with the permissions that it needs; for a server where it is
 * already, they are given to it anew.
 */
export function inviteUrl(application: string, guild?: string): string {
	const permissions = neededPermissions.reduce((bits, { bit }) => bits | bit, 0n);
	const query = new URLSearchParams({
		client_id: application,
		scope: scopes.join(" "),
		permissions: String(permissions),
		...(guild !== undefined && { guild_id: guild, disable_guild_select: "true" }),
	});
	return `https://discord.com/oauth2/authorize?${query}`;
}

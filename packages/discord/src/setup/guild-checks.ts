import { ChannelType } from "discord-api-types/v10";
import * as z from "zod";
import { readApplication, readUser } from "./account-checks.ts";
import { askDiscord, type Discord } from "./ask-discord.ts";
import {
	GuildChannels,
	GuildRoles,
	OwnMember,
	permissionsIn,
	permissionsInGuild,
	type Standing,
} from "./channel-permissions.ts";
import type { Finding } from "./finding.ts";
import { inviteUrl, type NeededPermission, neededPermissions } from "./permissions.ts";

const Guilds = z.array(z.object({ id: z.string(), name: z.string() }));
type Guild = z.output<typeof Guilds>[number];

/** Where people write. */
const textual: ReadonlySet<number> = new Set([ChannelType.GuildText, ChannelType.GuildAnnouncement]);

/** So many channels are named; the others are counted. */
const mostNamed = 5;

export async function checkInvited(discord: Discord): Promise<Finding> {
	const id = "discord-servers";
	const { id: application } = await readApplication(discord);
	const guilds = Guilds.parse((await askDiscord(discord.port, "/users/@me/guilds")).body);
	if (guilds.length > 0) {
		const names = guilds.map(({ name }) => name).join(", ");
		return {
			id,
			status: "ok",
			what: `the bot is in ${names}; others invite it with ${inviteUrl(application)}`,
		};
	}
	const fix = `open ${inviteUrl(application)} and choose a server that you manage`;
	return { id, status: "fail", what: "the bot is in no server", fix };
}

/** Whether it may do what it needs to, server by server. */
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
		const what = `in ${guild.name} the bot lacks ${listed(missing)}`;
		return { id, status: "fail", what, fix: `give it anew with ${inviteUrl(application, guild.id)}` };
	}
	const short = channels.filter(({ type, permission_overwrites: overwrites }) => {
		// A channel that it does not see is none of its business.
		const lacks = missingOf(permissionsIn(overwrites, standing));
		return textual.has(type) && lacks.length > 0 && lacks.every(({ name }) => name !== "View Channels");
	});
	if (short.length === 0)
		return { id, status: "ok", what: `in ${guild.name} the bot may do all that it needs` };
	const lacking = short.slice(0, mostNamed).map(({ name, permission_overwrites: overwrites }) => {
		return `#${name}: ${missingOf(permissionsIn(overwrites, standing))
			.map((one) => one.name)
			.join(", ")}`;
	});
	const more = short.length > mostNamed ? `; and ${short.length - mostNamed} more channels` : "";
	return {
		...{ id, status: "warn", what: `in ${guild.name} the bot lacks in ${lacking.join("; ")}${more}` },
		fix: `allow it in those channels, under "Edit Channel", "Permissions"`,
	};
}

function missingOf(held: bigint): NeededPermission[] {
	return neededPermissions.filter(({ bit }) => (held & bit) === 0n);
}

function listed(missing: readonly NeededPermission[]): string {
	return missing.map(({ name, reason }) => `"${name}" (${reason})`).join(", ");
}

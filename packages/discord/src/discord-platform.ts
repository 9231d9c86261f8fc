import { type ChatPlatform, readAttachment } from "@parley/connector";
import { discordDialect, momentMarkdown, personMarkdown } from "./dialect.ts";
import { directTenant } from "./intake/channels.ts";
import { conversationOf } from "./intake/translated.ts";
import { discordSurface, postLimits, type SurfaceParts } from "./surface/discord-surface.ts";

/** Discord, as the kit needs a platform. */
export function createDiscordPlatform(parts: SurfaceParts): ChatPlatform {
	return {
		name: "discord",
		dialect: discordDialect,
		limits: postLimits,
		surface: discordSurface(parts),
		conversation: conversationOf,
		// https://docs.discord.com/developers/topics/threads: they belong to channels of servers.
		hasThreads: ({ tenant }) => tenant !== directTenant,
		moment: momentMarkdown,
		person: personMarkdown,
		command: (name) => `/${name}`,
		read: (attachment, signal) => readAttachment(parts.port, attachment, signal),
	};
}

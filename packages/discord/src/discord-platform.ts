import { ParleyError } from "@parley/base";
import type { Attachment, ChatPlatform } from "@parley/connector";
import { discordDialect, momentMarkdown, personMarkdown } from "./dialect.ts";
import type { DiscordPort } from "./discord-port.ts";
import { directTenant } from "./intake/channels.ts";
import { conversationOf } from "./intake/translated.ts";
import { limits } from "./limits.ts";
import { DiscordSurface, postLimits, type SurfaceParts } from "./surface/discord-surface.ts";

/** Discord, as the kit needs a platform. */
export function createDiscordPlatform(parts: SurfaceParts): ChatPlatform {
	return {
		name: "discord",
		dialect: discordDialect,
		limits: postLimits,
		surface: new DiscordSurface(parts),
		conversation: conversationOf,
		// https://docs.discord.com/developers/topics/threads: they belong to channels of servers.
		hasThreads: ({ tenant }) => tenant !== directTenant,
		moment: momentMarkdown,
		person: personMarkdown,
		command: (name) => `/${name}`,
		read: (attachment, signal) => readAttachment(attachment, parts.port, signal),
	};
}

/** The port lets nothing in from a host that is not Discord's, and not more than it is told. */
async function readAttachment(
	{ name, size, url }: Attachment,
	port: DiscordPort,
	signal: AbortSignal,
): Promise<Uint8Array> {
	if (size > limits.requestBytes) {
		throw new ParleyError(`${name} is larger than 25 MiB: send a smaller one`, {
			code: "resource_exhausted",
		});
	}
	const bytes = await port.download(url, limits.requestBytes, signal);
	if (bytes.length === size) return bytes;
	const message = `${name} did not arrive whole: ${bytes.length} of ${size} bytes; send it again`;
	throw new ParleyError(message, { code: "data_loss" });
}

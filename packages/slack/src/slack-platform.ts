import { ParleyError } from "@parley/base";
import type { Attachment, ChatPlatform } from "@parley/connector";
import { momentMarkdown } from "./blocks/moments.ts";
import { aboutCommands, typedCommand } from "./commands/typed-command.ts";
import { conversationOf } from "./conversation.ts";
import { slackDialect } from "./dialect.ts";
import type { SlackPort } from "./slack-port.ts";
import { postLimits, SlackSurface, type SurfaceParts } from "./surface/slack-surface.ts";

/** What people may bring: it is held in memory on its way to the gateway. */
const mostBytes = 25 * 1024 * 1024;

export interface PlatformParts extends SurfaceParts {
	/** What somebody is called, as far as it is known without asking. */
	readonly nameOf?: (user: string) => string | undefined;
}

export interface SlackPlatform extends ChatPlatform {
	readonly surface: SlackSurface;
}

/** Slack, as the kit needs a platform. */
export function createSlackPlatform(parts: PlatformParts): SlackPlatform {
	const { self, port, nameOf } = parts;
	return {
		name: "slack",
		dialect: slackDialect,
		limits: postLimits,
		surface: new SlackSurface(parts),
		conversation: conversationOf,
		repliesInThreads: false,
		moment: momentMarkdown,
		person: (id) => personMarkdown(id, self.url, nameOf?.(id)),
		command: typedCommand,
		aboutCommands: aboutCommands(self.name),
		read: (attachment, signal) => readAttachment(attachment, port, signal),
	};
}

/**
 * A link to their profile. What Slack has for a person, `<@U…>`, calls them wherever it is posted
 * (https://docs.slack.dev/messaging/formatting-message-text#mentioning-users).
 */
function personMarkdown(id: string, workspace: string, name: string | undefined): string {
	const label = `@${name ?? id}`.replace(/[\\`*_~[\]<>&|!\n]/g, " ").trim();
	return `[${label}](${workspace.replace(/\/?$/, "/")}team/${encodeURIComponent(id)})`;
}

/** The port lets nothing in from a host that is not Slack's, and not more than it is told. */
async function readAttachment(
	{ name, size, url }: Attachment,
	port: Pick<SlackPort, "download">,
	signal: AbortSignal,
): Promise<Uint8Array> {
	if (size > mostBytes) {
		throw new ParleyError(`${name} is larger than 25 MiB: send a smaller one`, {
			code: "resource_exhausted",
		});
	}
	const bytes = await port.download(url, mostBytes, signal);
	if (bytes.length === size) return bytes;
	const message = `${name} did not arrive whole: ${bytes.length} of ${size} bytes; send it again`;
	throw new ParleyError(message, { code: "data_loss" });
}

import { type ChatPlatform, readAttachment } from "@parley/connector";
import { slackDialect } from "./blocks/dialect.ts";
import { momentMarkdown } from "./blocks/moments.ts";
import { deliveredMs } from "./catch-up/catch-up.ts";
import { aboutCommands, typedCommand } from "./commands/slash-command.ts";
import { ticketFor } from "./interactions/answers.ts";
import { postLimits, type SlackSurface, type SurfaceParts, slackSurface } from "./surface/slack-surface.ts";
import { conversationOf } from "./vocabulary/conversation.ts";
import { linkToRoom } from "./vocabulary/links.ts";
import { endingOfMessage, messageTime, namedMessage, readMessageId } from "./vocabulary/message-id.ts";

export interface PlatformParts extends SurfaceParts {
	/** Returns the cached name of a person, or undefined. */
	readonly nameOf?: (user: string) => string | undefined;
	/** Loads the name of a person into the cache. */
	readonly readName?: (user: string) => Promise<unknown>;
}

export interface SlackPlatform extends ChatPlatform {
	readonly surface: SlackSurface;
}

export function createSlackPlatform(parts: PlatformParts): SlackPlatform {
	const { self, port, nameOf, readName, clock } = parts;
	const surface = slackSurface(parts);
	return {
		name: "slack",
		tenant: self.team,
		eventRetentionMs: deliveredMs,
		dialect: slackDialect,
		limits: postLimits,
		streams: true,
		snippets: true,
		titles: true,
		surface,
		suggest: ({ channel }, prompts) => surface.suggest(channel, prompts),
		conversation: conversationOf,
		repliesInThreads: false,
		postedAt,
		linkTo: (room) => linkToRoom(self.url, room),
		ticketOf: ({ room: { channel, thread }, person, message }) =>
			ticketFor(message, clock.now(), {
				channel,
				user: person.id,
				thread: thread === undefined ? undefined : readMessageId(thread)?.ts,
			}),
		moment: momentMarkdown,
		person: (id) => personMarkdown(id, self.url, nameOf?.(id)),
		loadNames: async (ids) => void (await Promise.allSettled(ids.map((id) => readName?.(id)))),
		command: typedCommand,
		aboutCommands: aboutCommands(self.name),
		messageNamed: (text, { channel }) => namedMessage(text, channel),
		messageEnding: endingOfMessage,
		read: (attachment, signal) => readAttachment(port, attachment, signal),
	};
}

/**
 * Returns the time of a post in milliseconds since the epoch. For an id of another form, returns infinity, which
 * is after every message.
 */
function postedAt(post: string): number {
	const ts = readMessageId(post)?.ts;
	return ts === undefined ? Number.POSITIVE_INFINITY : messageTime(ts);
}

/**
 * Returns a link to the profile of the person. Slack's own form `<@U…>` would notify the person in every post
 * (https://docs.slack.dev/messaging/formatting-message-text#mentioning-users).
 */
function personMarkdown(id: string, workspace: string, name: string | undefined): string {
	const label = `@${name ?? id}`.replace(/[\\`*_~[\]<>&|!\n]/g, " ").trim();
	return `[${label}](${workspace.replace(/\/?$/, "/")}team/${encodeURIComponent(id)})`;
}

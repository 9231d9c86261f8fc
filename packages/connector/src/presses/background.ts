import type { CommandPayload } from "@parley/protocol";
import { oneLine, visibleLine } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandlerContext } from "../rooms/handler-context.ts";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { conversationTexts } from "../texts/conversations.ts";

const { background: texts } = conversationTexts;

const maxShown = 80;

interface Asker {
	readonly person: Person;
	readonly room: Room;
}

/**
 * Returns at most 50 background commands of a conversation: the running commands, newest first, and then the ended
 * commands, newest first.
 */
export async function backgroundOf(
	context: HandlerContext,
	{ person, room }: Asker,
	session: string,
): Promise<readonly CommandPayload[]> {
	const params = { session_id: session, ...context.onBehalf(person, room) };
	return (await context.gateway.request("list_commands", params)).commands;
}

/** Returns the running commands of a conversation as Markdown, or an empty list if no command is running. */
export async function runningPart(context: HandlerContext, asker: Asker, session: string): Promise<string[]> {
	const running = (await backgroundOf(context, asker, session)).filter(({ state }) => state === "running");
	return running.length === 0 ? [] : [commandList(context, texts.running, running)];
}

/** Returns a Markdown list of background commands with their numbers, below a heading. */
export function commandList(
	context: HandlerContext,
	heading: string,
	commands: readonly CommandPayload[],
): string {
	return [heading, ...commands.map((command) => `- ${commandLine(context, command)}`)].join("\n");
}

function commandLine({ platform }: HandlerContext, command: CommandPayload): string {
	const { number, started_at, ended_at, reason, exit_code: code } = command;
	const when = (time: string): string => platform.moment(Date.parse(time));
	const state =
		reason === undefined || ended_at === undefined
			? texts.started({ at: when(started_at) })
			: texts.ends[reason]({ code, at: when(ended_at) });
	return `**${number}** ${commandCode(command)} · ${state}`;
}

/** Returns the command line as code, in one line. */
export function commandCode({ command }: CommandPayload): string {
	const value = oneLine(visibleLine(command), maxShown);
	return markdownDialect.write([{ type: "paragraph", children: [{ type: "inlineCode", value }] }]).trim();
}

import { commandTable, readTextCommand } from "@parley/connector";
import { commandTexts } from "../texts/command.ts";

/** Name of the command in the manifest. */
export const slashCommand = "/parley";

/**
 * Returns a kit command as users type it: after `!` in a thread, and otherwise after the slash command:
 * https://docs.slack.dev/interactivity/implementing-slash-commands
 */
export function typedCommand(name: string, { thread }: { readonly thread?: string }): string {
	return thread === undefined ? `${slashCommand} ${name}` : `!${name}`;
}

/** Returns an explanation for threads, in which Slack has no commands. `bot` is the name of the bot. */
export function aboutCommands(bot: string): string {
	return commandTexts.threads({ bot });
}

/** Result of a slash command: a kit command, or an answer in mrkdwn that only the user sees. */
type Ordered =
	| { readonly command: string; readonly options: Readonly<Record<string, string | number | boolean>> }
	| { readonly words: string };

/** Names in an answer. `slash` is the slash command, for example `/parley`. */
interface Names {
	readonly slash: string;
	readonly bot: string;
}

/**
 * Parses the text after the slash command. Returns the help for an empty text, and an explanation for an invalid
 * command.
 */
export function readCommand(text: string, names: Names): Ordered {
	const { slash } = names;
	const command = text.trim().replace(/^[/!]\s*/, "");
	if (command === "" || /^help$/i.test(command)) return { words: explained(names) };
	// A text such as `stop!` is treated like a message with only this word.
	if (/^stop[.!]+$/i.test(command)) return { command: "stop", options: {} };
	const ordered = readTextCommand(`/${command}`, commandTable);
	if (ordered === undefined) {
		return { words: commandTexts.unknown({ slash, help: explained(names) }) };
	}
	if ("problem" in ordered) return { words: ordered.problem.replaceAll("`!", `\`${slash} `) };
	return { command: ordered.command.name, options: ordered.options };
}

function explained(names: Names): string {
	return commandTexts.help({ ...names, commands: commandTable });
}

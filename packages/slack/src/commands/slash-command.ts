import { commandTable, readTextCommand } from "@parley/connector";

/** The one that the manifest registers. */
export const slashCommand = "/parley";

/** What people type for a command of the kit: https://docs.slack.dev/interactivity/implementing-slash-commands */
export function typedCommand(name: string, { thread }: { readonly thread?: string }): string {
	return thread === undefined ? `${slashCommand} ${name}` : `!${name}`;
}

/** What people are told of places where Slack has no commands; `bot` is what it is called. */
export function aboutCommands(bot: string): string {
	return `Slack has no commands in threads: write them after my name there, such as \`@${bot} !task list\`.`;
}

/** What somebody has ordered: a command of the kit, or words for them alone, in mrkdwn. */
type Ordered =
	| { readonly command: string; readonly options: Readonly<Record<string, string | number | boolean>> }
	| { readonly words: string };

/** What our slash command is called where it was written, such as `/parley`, and what we are called there. */
interface Names {
	readonly slash: string;
	readonly bot: string;
}

/** Reads what was written behind our slash command. */
export function readCommand(text: string, names: Names): Ordered {
	const { slash } = names;
	const said = text.trim().replace(/^[/!]\s*/, "");
	if (said === "" || /^help$/i.test(said)) return { words: explained(names) };
	// As in a message that says nothing else.
	if (/^stop[.!]+$/i.test(said)) return { command: "stop", options: {} };
	const ordered = readTextCommand(`/${said}`, commandTable);
	if (ordered === undefined) {
		const ask = `To ask the agent something, write \`${slash} ask\` and what you want.`;
		return { words: `I do not know that command. ${ask}\n\n${explained(names)}` };
	}
	if ("problem" in ordered) return { words: ordered.problem.replaceAll("`!", `\`${slash} `) };
	return { command: ordered.command.name, options: ordered.options };
}

function explained({ slash, bot }: Names): string {
	const lines = commandTable.map(({ name, description }) => `• \`${slash} ${name}\` ${description}`);
	return `This is what I understand. ${aboutCommands(bot)}\n\n${lines.join("\n")}`;
}

import { slashCommandTexts } from "../texts/chat/commands.ts";

interface CommandHelp {
	readonly does: string;
	/** Arguments in the help; absent if the command takes none. */
	readonly argument?: string;
	/** Whether the arguments are required. */
	readonly needs?: true;
}

export const slashCommands = {
	new: { does: slashCommandTexts.new },
	sessions: { does: slashCommandTexts.sessions },
	resume: { does: slashCommandTexts.resume, argument: "ID" },
	fork: { does: slashCommandTexts.fork, argument: "N" },
	model: { does: slashCommandTexts.model, argument: "NAME" },
	steer: { does: slashCommandTexts.steer, argument: "TEXT", needs: true },
	retry: { does: slashCommandTexts.retry },
	usage: { does: slashCommandTexts.usage },
	compact: { does: slashCommandTexts.compact },
	open: { does: slashCommandTexts.open, argument: "N" },
	cancel: { does: slashCommandTexts.cancel },
	quit: { does: slashCommandTexts.quit },
	help: { does: slashCommandTexts.help },
} as const satisfies Record<string, CommandHelp>;

export type SlashCommand = keyof typeof slashCommands;

/** A line: a command, an unknown command, or a message. */
export type Line =
	| { readonly kind: "command"; readonly name: SlashCommand; readonly words: string }
	| { readonly kind: "unknown"; readonly hint: string }
	| { readonly kind: "message"; readonly content: string }
	| { readonly kind: "blank" };

/** Reads an entered line. A space before the slash makes it a message. */
export function readLine(line: string): Line {
	if (line.trim() === "") return { kind: "blank" };
	if (!line.startsWith("/")) return { kind: "message", content: line };
	const [, name = "", words = ""] = /^\/(\S*)\s*(.*)$/s.exec(line.trimEnd()) ?? [];
	if (isCommand(name)) return readCommand(name, words);
	const hint = slashCommandTexts.unknown({ name });
	return { kind: "unknown", hint };
}

export function helpRows(): string[] {
	const commands = Object.entries<CommandHelp>(slashCommands).map(([name, { does, argument }]) => {
		return `  /${`${name} ${argument ?? ""}`.padEnd(12)}${does}`;
	});
	return [
		...commands,
		slashCommandTexts.enterKey,
		slashCommandTexts.tabKey,
		slashCommandTexts.detailsKey,
		slashCommandTexts.arrowKeys,
		slashCommandTexts.searchKey,
		slashCommandTexts.interruptKey,
		slashCommandTexts.escapeKey,
	];
}

function readCommand(name: SlashCommand, words: string): Line {
	const { argument, needs }: CommandHelp = slashCommands[name];
	if (words === "" && needs)
		return { kind: "unknown", hint: slashCommandTexts.requiresText({ name, argument }) };
	if (words === "" || argument !== undefined) return { kind: "command", name, words };
	return {
		kind: "unknown",
		hint: slashCommandTexts.noText({ name }),
	};
}

function isCommand(name: string): name is SlashCommand {
	return Object.hasOwn(slashCommands, name);
}

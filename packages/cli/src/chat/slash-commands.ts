interface CommandHelp {
	readonly does: string;
	/** Arguments in the help; absent if the command takes none. */
	readonly argument?: string;
	/** Whether the arguments are required. */
	readonly needs?: true;
}

export const slashCommands = {
	new: { does: "starts another session; this one is kept" },
	sessions: { does: "lists the latest sessions" },
	resume: { does: "continues a session of the list here, by its number or id", argument: "ID" },
	model: { does: "sets the model; without NAME, lists the models", argument: "NAME" },
	steer: { does: "sends a message to the running turn", argument: "TEXT", needs: true },
	retry: { does: "requests the last reply again" },
	usage: { does: "shows the usage of this session" },
	compact: { does: "shortens the conversation for the model by a summary" },
	open: { does: "shows the last tool call or thinking in full; N: one before it", argument: "N" },
	cancel: { does: "stops the running turn, like Ctrl-C" },
	quit: { does: "leaves the chat, like Ctrl-D; running work continues" },
	help: { does: "shows this help" },
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
	const hint = `Unknown command /${name}. /help lists the commands. To send the line as a message, put a space before it.`;
	return { kind: "unknown", hint };
}

export function helpRows(): string[] {
	const commands = Object.entries<CommandHelp>(slashCommands).map(([name, { does, argument }]) => {
		return `  /${`${name} ${argument ?? ""}`.padEnd(12)}${does}`;
	});
	return [
		...commands,
		"  Enter        sends; Alt-Enter, Ctrl-J, or \\ and Enter start a new line",
		"  Tab          completes commands after /, models after /model, files after @",
		"  Ctrl-O       shows all thinking and tool calls in full",
		"  ↑ ↓          move between lines, then show earlier and later entries",
		"  Ctrl-R       searches in earlier messages, also of other sessions",
		"  Ctrl-C       stops the running turn; without one, press twice to leave",
		"  Esc          declines a question, but not an approval",
	];
}

function readCommand(name: SlashCommand, words: string): Line {
	const { argument, needs }: CommandHelp = slashCommands[name];
	if (words === "" && needs)
		return { kind: "unknown", hint: `/${name} requires a text: /${name} ${argument}` };
	if (words === "" || argument !== undefined) return { kind: "command", name, words };
	return {
		kind: "unknown",
		hint: `/${name} takes no text. To send the line as a message, put a space before it.`,
	};
}

function isCommand(name: string): name is SlashCommand {
	return Object.hasOwn(slashCommands, name);
}

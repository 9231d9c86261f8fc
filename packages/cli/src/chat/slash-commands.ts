interface CommandHelp {
	readonly does: string;
	/** Arguments in the help; absent if the command takes none. */
	readonly takes?: string;
	/** Whether something has to. */
	readonly needs?: true;
}

/** Commands of the chat. */
export const slashCommands = {
	new: { does: "begins another conversation; this one stays" },
	sessions: { does: "lists the latest conversations" },
	model: { does: "chooses the model of the next answer; alone, lists the models", takes: "NAME" },
	steer: { does: "says something to the turn at work instead of after it", takes: "TEXT", needs: true },
	retry: { does: "has the last reply made again" },
	usage: { does: "shows the usage of this conversation" },
	cancel: { does: "stops the running turn, like Ctrl-C" },
	quit: { does: "leaves, like Ctrl-D; running work continues" },
	help: { does: "shows this" },
} as const satisfies Record<string, CommandHelp>;

export type SlashCommand = keyof typeof slashCommands;

/** A line: a command, an unknown command, or a message. */
export type Line =
	| { readonly kind: "command"; readonly name: SlashCommand; readonly words: string }
	| { readonly kind: "unknown"; readonly hint: string }
	| { readonly kind: "message"; readonly content: string }
	| { readonly kind: "blank" };

/** Reads a line that was entered. A blank before the slash makes it a message. */
export function readLine(line: string): Line {
	if (line.trim() === "") return { kind: "blank" };
	if (!line.startsWith("/")) return { kind: "message", content: line };
	const [, name = "", words = ""] = /^\/(\S*)\s*(.*)$/s.exec(line.trimEnd()) ?? [];
	if (isCommand(name)) return readCommand(name, words);
	const names = Object.keys(slashCommands).map((known) => `/${known}`);
	const hint = `there is no /${name}, only ${names.join(" ")}; with a blank before it, it is a message`;
	return { kind: "unknown", hint };
}

/** The rows of `/help`. */
export function helpRows(): string[] {
	const commands = Object.entries<CommandHelp>(slashCommands).map(([name, { does, takes }]) => {
		return `  /${`${name} ${takes ?? ""}`.padEnd(12)}${does}`;
	});
	return [
		...commands,
		"  Enter        sends; Alt-Enter, Ctrl-J or \\ and Enter begin another line",
		"  Tab          completes the name of a command or skill behind /",
		"  ↑ ↓          what was entered before",
		"  Ctrl-C       stops the running turn; twice with nothing to stop, leaves",
		"  Esc          declines a question that is no approval",
	];
}

function readCommand(name: SlashCommand, words: string): Line {
	const { takes, needs }: CommandHelp = slashCommands[name];
	if (words === "" && needs) return { kind: "unknown", hint: `type what to say: /${name} ${takes}` };
	if (words === "" || takes !== undefined) return { kind: "command", name, words };
	return {
		kind: "unknown",
		hint: `/${name} stands alone; with a blank before it, the line is a message`,
	};
}

function isCommand(name: string): name is SlashCommand {
	return Object.hasOwn(slashCommands, name);
}

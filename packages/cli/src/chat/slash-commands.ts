/** What can be typed besides messages. */
export const slashCommands = {
	new: "begins another conversation; this one stays",
	sessions: "lists the latest conversations",
	cancel: "stops the running turn, like Ctrl-C",
	quit: "leaves, like Ctrl-D; running work goes on",
	help: "shows this",
} as const;

export type SlashCommand = keyof typeof slashCommands;

/** What a line is: a command, something that only looks like one, or a message. */
export type Line =
	| { readonly kind: "command"; readonly name: SlashCommand }
	| { readonly kind: "unknown"; readonly hint: string }
	| { readonly kind: "message"; readonly content: string }
	| { readonly kind: "blank" };

/** Reads a line that was entered. A blank before the slash makes it a message. */
export function readLine(line: string): Line {
	if (line.trim() === "") return { kind: "blank" };
	if (!line.startsWith("/")) return { kind: "message", content: line };
	const name = line.slice(1).trim();
	if (isCommand(name)) return { kind: "command", name };
	const names = Object.keys(slashCommands).map((known) => `/${known}`);
	const hint = `there is no /${name}, only ${names.join(" ")}; with a blank before it, it is a message`;
	return { kind: "unknown", hint };
}

/** The rows of `/help`. */
export function helpRows(): string[] {
	const commands = Object.entries(slashCommands).map(([name, does]) => `  /${name.padEnd(10)}${does}`);
	return [
		...commands,
		"  Enter       sends; Alt-Enter, Ctrl-J or \\ and Enter begin another line",
		"  ↑ ↓         what was entered before",
		"  Ctrl-C      stops the running turn; twice with nothing to stop, leaves",
		"  Esc         declines a question that is no approval",
	];
}

function isCommand(name: string): name is SlashCommand {
	return Object.hasOwn(slashCommands, name);
}

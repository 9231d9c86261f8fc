import { hangText } from "../text/wrap.ts";
import { slashCommandTexts } from "../texts/chat/commands.ts";

interface CommandHelp {
	readonly does: string;
	/** Arguments in the help. Absent if the command has no arguments. */
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
	diff: { does: slashCommandTexts.diff },
	undo: { does: slashCommandTexts.undo, argument: "MODE" },
	compact: { does: slashCommandTexts.compact },
	open: { does: slashCommandTexts.open, argument: "N" },
	cancel: { does: slashCommandTexts.cancel },
	quit: { does: slashCommandTexts.quit },
	help: { does: slashCommandTexts.help },
} as const satisfies Record<string, CommandHelp>;

export type SlashCommand = keyof typeof slashCommands;

/** Meaning of a typed line. `unknown`: not a valid command; `hint` explains how to correct the line. */
export type Line =
	| { readonly kind: "command"; readonly name: SlashCommand; readonly words: string }
	| { readonly kind: "unknown"; readonly hint: string }
	/** A shell command that follows `!`. */
	| { readonly kind: "shell"; readonly command: string }
	| { readonly kind: "message"; readonly content: string }
	| { readonly kind: "blank" };

/**
 * Reads a typed line. A space before the slash or the exclamation mark makes the line a message. `shell` defines the
 * effect of a line that begins with an exclamation mark.
 */
export function readLine(line: string, shell: ShellLines = "message"): Line {
	if (line.trim() === "") return { kind: "blank" };
	if (line.startsWith("!") && shell !== "message") return readShell(line, shell);
	if (!line.startsWith("/")) return { kind: "message", content: line };
	const [, name = "", words = ""] = /^\/(\S*)\s*(.*)$/s.exec(line.trimEnd()) ?? [];
	if (isCommand(name)) return readCommand(name, words);
	const hint = slashCommandTexts.unknown({ name });
	return { kind: "unknown", hint };
}

/**
 * Effect of a line that begins with `!`:
 * - `run`: runs the command. For a chat that draws.
 * - `refused`: shows a hint. For a chat that cannot distinguish typed lines from pasted lines.
 * - `message`: sends the line. For input that no person types.
 */
export type ShellLines = "run" | "refused" | "message";

function readShell(line: string, shell: "run" | "refused"): Line {
	const unknown = (hint: string): Line => ({ kind: "unknown", hint });
	if (shell === "refused") return unknown(slashCommandTexts.noShell);
	const command = line.slice(1).trim();
	// Also refuses a line break at the end, because only pasted text has one.
	if (line.includes("\n")) return unknown(slashCommandTexts.shellOneLine);
	return command === "" ? unknown(slashCommandTexts.shellEmpty) : { kind: "shell", command };
}

/** Number of columns before the descriptions of the help. */
const helpIndent = 15;
/** Minimum number of columns for a description. */
const leastDescription = 20;

export function helpRows(columns: number): string[] {
	const commands = Object.entries<CommandHelp>(slashCommands).map(([name, { does, argument }]) => {
		return `  /${`${name} ${argument ?? ""}`.padEnd(12)}${does}`;
	});
	const rows = [
		...commands,
		slashCommandTexts.shellLine,
		slashCommandTexts.enterKey,
		slashCommandTexts.tabKey,
		slashCommandTexts.clipboardKey,
		slashCommandTexts.detailsKey,
		slashCommandTexts.arrowKeys,
		slashCommandTexts.searchKey,
		slashCommandTexts.interruptKey,
		slashCommandTexts.escapeKey,
	];
	const width = Math.max(columns, helpIndent + leastDescription);
	return rows.flatMap((row) => hangText(row.slice(0, helpIndent), row.slice(helpIndent), width));
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

import { type Command, CommanderError, Help } from "commander";
import type { Io } from "./io.ts";

/** Error for an invalid command line. The command changed nothing. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

/** Text of the error for a confirmation without a terminal. */
export const noConfirmation = "Cannot ask for confirmation without a terminal. Use `-y` to confirm.";

/** Makes invalid command lines throw a `UsageError` with the allowed values, also those of subcommands. */
export function explainUsage(command: Command, io: Io): Command {
	const { stdout, stderr } = io;
	for (const inner of command.commands) explainUsage(inner, io);
	return command
		.configureHelp({ commandUsage: (one) => `${pathOf(one)} ${one.usage()}`, subcommandTerm: termOf })
		.configureOutput({
			outputError: () => undefined,
			writeOut: (text) => stdout.write(text),
			writeErr: (text) => stderr.write(text),
		})
		.exitOverride((error) => {
			throw error.exitCode === 0 ? error : new UsageError(describe(error, command), { cause: error });
		});
}

/** Whether the error only reports that the help or the version was shown. */
export function isShown(error: unknown): boolean {
	return error instanceof CommanderError && error.exitCode === 0;
}

function describe({ code, message }: CommanderError, command: Command): string {
	const problem = message
		.replace(/^error: /, "")
		.replace(
			/\n\(Did you mean (.*)\?\)$/,
			(_, name: string) => `; did you mean ${currentName(name, command)}?`,
		)
		.replace(/\.$/, "");
	return `${problem}\n${hintFor(code, command)}`;
}

function hintFor(code: string, command: Command): string {
	if (code === "commander.unknownCommand") {
		return `allowed: ${command.commands.map((known) => known.name()).join(", ")}`;
	}
	if (code === "commander.unknownOption") {
		const options = command.createHelp().visibleOptions(command);
		return `allowed: ${options.map(({ long, short }) => long ?? short).join(", ")}`;
	}
	return `usage: ${pathOf(command)} ${command.usage()}`;
}

/** Replaces an old name of a command by its current name. Old names work, but are not shown. */
function currentName(name: string, { commands }: Command): string {
	return commands.find((one) => one.aliases().includes(name))?.name() ?? name;
}

/** Name and arguments of a command in the list of its parent. */
function termOf(command: Command): string {
	return new Help().subcommandTerm(command).replace(/^([^ |]+)\|[^ ]+/, "$1");
}

/** `parley budget set`. */
function pathOf(command: Command): string {
	return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

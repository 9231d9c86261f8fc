import { type Command, CommanderError, Help, type Option } from "commander";
import leven from "leven";
import { commandLineTexts } from "../texts/command-line.ts";
import type { Io } from "./io.ts";
import { usualName } from "./synonyms.ts";

/** Error for an invalid command line. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

/** Error text of a command that requires a confirmation but has no terminal. */
export const noConfirmation = commandLineTexts.noConfirmation;

/**
 * Makes an invalid command line throw a `UsageError` with the allowed values or the usage. Applies to the command and
 * its subcommands.
 */
export function explainUsage(command: Command, io: Io): Command {
	const { stdout, stderr } = io;
	for (const inner of command.commands) explainUsage(inner, io);
	return command
		.configureHelp({
			commandUsage: (one) => `${pathOf(one)} ${one.usage()}`,
			subcommandTerm: termOf,
			showGlobalOptions: true,
			visibleGlobalOptions: inheritedOptions,
		})
		.configureOutput({
			outputError: () => undefined,
			writeOut: (text) => stdout.write(text),
			writeErr: (text) => stderr.write(text),
		})
		.exitOverride((error) => {
			if (shownCode(error) !== undefined) throw error;
			throw new UsageError(describe(asUnknownCommand(error, command), command), { cause: error });
		});
}

/**
 * Returns the exit code of an error that only reports shown help or a shown version: 0, or 2 if a subcommand is
 * missing. Returns undefined for any other error.
 */
export function shownCode(error: unknown): 0 | 2 | undefined {
	if (!(error instanceof CommanderError)) return undefined;
	if (error.exitCode === 0) return 0;
	return error.code === "commander.help" ? 2 : undefined;
}

function asUnknownCommand(error: CommanderError, command: Command): CommanderError {
	const [given = ""] = command.args;
	// If a group has its own action, commander treats an unknown subcommand as an argument.
	const isGroup = command.commands.length > 0 || usualName(given, command) !== undefined;
	if (error.code !== "commander.excessArguments" || !isGroup || command.registeredArguments.length > 0) {
		return error;
	}
	const similar = similarName(given, command);
	// The message has commander's form, which `describe` reads.
	const hint = similar === undefined ? "" : `\n(Did you mean ${similar}?)`;
	return new CommanderError(2, "commander.unknownCommand", `error: unknown command '${given}'${hint}`);
}

function describe({ code, message }: CommanderError, command: Command): string {
	const problem = message
		.replace(/^error: /, "")
		.replace(/\n\(Did you mean (.*)\?\)$/, (_, name: string) =>
			commandLineTexts.didYouMean({ name: currentName(name, command) }),
		)
		.replace(/\.$/, "");
	return `${withUsualName(problem, code, command)}\n${hintFor(code, command)}`;
}

/**
 * Returns `problem`. For an unknown command with a usual name such as `rm`, the result suggests Parley's command
 * instead of a similarly spelled name.
 */
function withUsualName(problem: string, code: string, command: Command): string {
	if (code !== "commander.unknownCommand") return problem;
	const [unknown, given = ""] = /^unknown command '(.*?)'/.exec(problem) ?? [];
	const usual = usualName(given, command);
	return unknown === undefined || usual === undefined
		? problem
		: `${unknown}${commandLineTexts.didYouMean({ name: usual })}`;
}

/** Returns the error for a flag before the name of a command that does not support the flag. */
export function unusedFlag(name: string, command: Command): UsageError {
	return new UsageError(
		commandLineTexts.unusedFlag({ command: pathOf(command), flag: name, usage: command.usage() }),
	);
}

/**
 * Throws if the first word of a search is a usual or mistyped name of a subcommand, because a search would
 * hide the mistake. The subcommand `search` accepts any word.
 */
export function refuseSubcommandName(words: readonly string[], command: Command): void {
	const [first = ""] = words;
	const suggested = usualName(first, command) ?? similarName(first, command);
	if (suggested === undefined) return;
	throw new UsageError(
		commandLineTexts.subcommandName({
			word: first,
			command: suggested,
			parent: pathOf(command),
			words: words.join(" "),
		}),
	);
}

function similarName(given: string, { commands }: Command): string | undefined {
	const names = commands.flatMap((one) => [one.name(), ...one.aliases()]);
	return names.find((one) => one.length > 3 && (isOneLetterOff(one, given) || isExchanged(one, given)));
}

function isOneLetterOff(name: string, given: string): boolean {
	return leven(name, given, { maxDistance: 2 }) < 2;
}

/** Whether the words differ only by two adjacent letters in reverse order. */
function isExchanged(name: string, given: string): boolean {
	const at = [...name].findIndex((letter, place) => letter !== given[place]);
	return at >= 0 && `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}` === given;
}

function hintFor(code: string, command: Command): string {
	if (code === "commander.unknownCommand" && command.commands.length > 0) {
		return commandLineTexts.allowed({ names: command.commands.map((known) => known.name()) });
	}
	if (code === "commander.unknownOption") {
		const options = command.createHelp().visibleOptions(command);
		return commandLineTexts.allowed({ names: options.map(({ long, short }) => long ?? short ?? "") });
	}
	return commandLineTexts.usage({ command: pathOf(command), usage: command.usage() });
}

/** Returns the current name of a command. Old names are aliases, which the help does not show. */
function currentName(name: string, { commands }: Command): string {
	return commands.find((one) => one.aliases().includes(name))?.name() ?? name;
}

/**
 * Options of groups. The help of a subcommand shows them only after `showGroupOptions`, because few subcommands use
 * them.
 */
const listOptions = new Set(["--limit", "--scope", "--person", "--session", "--log-level"]);
const shownListOptions = new WeakMap<Command, readonly string[]>();

/** Shows these options of the group in the help of its subcommand `command`. Returns the command. */
export function showGroupOptions(command: Command, ...options: readonly string[]): Command {
	shownListOptions.set(command, options);
	return command;
}

/**
 * Returns the options of the parent groups, which are also allowed after the subcommand. Only the program's own
 * help shows the options of the program.
 */
function inheritedOptions(command: Command): Option[] {
	const { parent } = command;
	if (!parent?.parent) return [];
	const own = new Set(command.options.map(({ long }) => long));
	const shown = shownListOptions.get(command) ?? [];
	const further = parent.options.filter(
		({ hidden, long = "" }) => !(hidden || own.has(long) || (listOptions.has(long) && !shown.includes(long))),
	);
	return [...further, ...inheritedOptions(parent)];
}

function termOf(command: Command): string {
	// Commander would also show the alias.
	return new Help().subcommandTerm(command).replace(/^([^ |]+)\|[^ ]+/, "$1");
}

/** Returns the full name of a command, for example `parley budget set`. */
function pathOf(command: Command): string {
	return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

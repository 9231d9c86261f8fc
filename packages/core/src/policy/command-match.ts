import { basename } from "node:path";
import type { FoundCommands, SeenWords } from "./commands/judge-command.ts";
import { UNKNOWN } from "./commands/words.ts";
import { isKeyword, isShell, isWrapper } from "./commands/wrappers.ts";

const assignment = /^[A-Za-z_]\w*\+?=/;

/** Builtins after which the shell's later words mean something else, or the same somewhere else. */
const changesShell = new Set(
	"cd pushd popd alias unalias export declare typeset readonly local set unset shopt hash enable".split(" "),
);

/**
 * Whether a rule that begins with these words lets the command run. A program that runs others is let through only where
 * the rule holds all of its words: what follows could be anything.
 */
export function allowsCommand(prefix: readonly string[], words: readonly string[]): boolean {
	if (prefix.some((word, index) => word !== words[index])) return false;
	const [program = "", next = ""] = words;
	const name = basename(program).toLowerCase();
	if (changesShell.has(name)) return false;
	// Options before its command can name programs, too.
	const runsOthers = isWrapper(name) || (name === "git" && next.startsWith("-"));
	return !runsOthers || prefix.length === words.length;
}

/** Whether one of the programs that a command may run, as far as anybody can tell, begins with these words. */
export function mayRun(prefix: readonly string[], { seen, whole }: FoundCommands): boolean {
	if (!whole) return true;
	return seen.some((command) =>
		command.words.some(
			(_, index) => isProgram(command, index) && mayBegin(prefix, command.words.slice(index)),
		),
	);
}

/** Whether the word there may be a program that is run: the first one is, and any behind a program that runs others. */
function isProgram({ words, hidden }: SeenWords, index: number): boolean {
	const first = words.findIndex((word) => !isKeyword(word) && !assignment.test(word));
	return hidden || index === first || words.slice(first, index).some((word) => isWrapper(nameOf(word)));
}

function mayBegin(
	[program = "", ...rest]: readonly string[],
	[word = "", ...args]: readonly string[],
): boolean {
	if (assignment.test(word)) return false;
	if (word.includes(UNKNOWN) || readsCommands(word, args)) return true;
	const name = nameOf(word);
	// Git keeps a program for each of its commands.
	if (name.startsWith("git-"))
		return mayBegin([program, ...rest], ["git", name.slice("git-".length), ...args]);
	return name === nameOf(program) && mayFollow(rest, args);
}

/** Whether the words come in their order, with nothing but options and what belongs to them between. */
function mayFollow([next, ...rest]: readonly string[], args: readonly string[]): boolean {
	if (next === undefined) return true;
	const last = args[0]?.startsWith("-") || args[0]?.includes(UNKNOWN) ? args.length : 1;
	const at = args.slice(0, last).findIndex((word) => word === next || word.includes(UNKNOWN));
	return at !== -1 && mayFollow(rest, args.slice(at + 1));
}

/** A shell that is told nothing to run takes it from its input. */
function readsCommands(word: string, args: readonly string[]): boolean {
	return isShell(nameOf(word)) && args.every((arg) => /^-[^-]?/.test(arg) && !arg.startsWith("--"));
}

/** As a careless file system knows it. */
function nameOf(program: string): string {
	return basename(program)
		.toLowerCase()
		.replace(/\.(?:exe|cmd|bat)$/, "");
}

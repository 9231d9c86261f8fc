import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, join, relative, resolve } from "node:path";
import { contentIdentityOf } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import {
	type CommandWords,
	findCommands,
	isInterpreter,
	isKeyword,
	isShell,
	isWrapper,
} from "../../policy/commands/judge-command.ts";
import type { CommandDirectories } from "../../policy/commands/places.ts";
import { UNKNOWN } from "../../policy/commands/words.ts";
import { fileIdentity, isDataName, isInside } from "./bound-files.ts";
import { surroundingsTexts } from "./texts.ts";

/** Programs, files and directories that a command line names. */
export interface Named {
	/** Programs to find on the search path. Each line has a program's name, and its identity or `none`. */
	readonly programs: string;
	/**
	 * Files, with a line for each file. A tab separates the path from the real path and the identity. Data
	 * files are included only if they are executable or the command names an interpreter.
	 */
	readonly files: string;
	/**
	 * Real paths of directories in the roots that the command line names. Does not contain directories that the facts of
	 * the working directory cover.
	 */
	readonly directories: readonly string[];
	/** False if the command names more programs or paths than the maximum, or is too long or too deeply nested to read. */
	readonly complete: boolean;
	/** False if some paths of the command are known only when the command runs. */
	readonly known: boolean;
}

/** Maximum number of programs, and of paths. */
const maxNamed = 300;

/** Directories with files that change automatically or cannot be changed. */
const systemPlaces = ["/proc", "/sys", "/dev", "/run", "/var/log"];

const parent = /(?:^|[/=]|^-[A-Za-z])\.\.(?:\/|$)/;
/** Pattern of a directory name before `..`, for example in `a/../b`. */
const climbing = /(?:^|[/=])(?!\.\.?\/)[^/=]+\/\.\.(?:\/|$)/;

/**
 * Finds the programs, files and directories that a command line names. Reads only the command line, so files that a
 * program loads itself are not found. `path` is the search path for programs.
 */
export async function findNamed(
	command: string,
	{ path, ...places }: CommandDirectories & { readonly path: string },
): Promise<Named> {
	const { commands, paths, isComplete } = findCommands(command, places);
	const programs = new Set(
		commands.flatMap((one) => one.words.filter((word, at) => !word.includes("/") && mayRun(one, at))),
	);
	// A shell or another interpreter may run every file that the command names.
	const runsAny = commands.some(({ words }) => words.some(readsScript));
	const candidates = [...paths].filter((named) => !isInside(named, systemPlaces));
	const found = await Promise.all(
		candidates.slice(0, maxNamed).map((named) => inspectProgram(named, { ...places, runsAny })),
	);
	const words = commands.flatMap((each) => each.words);
	// The system resolves `..` after a link from the link's target, which the path does not show.
	const climbs =
		words.some((word) => climbing.test(word)) ||
		(found.some((each) => each?.isLink) && words.some((word) => parent.test(word)));
	const searched = path.split(delimiter).map((directory) => resolve(places.cwd, directory || "."));
	return {
		programs: await linesOf([...programs], (name) => programIdentity(name, searched)),
		files: joined(found.map((each) => each?.line)),
		directories: outermost(found.flatMap((each) => each?.directory ?? [])),
		complete: isComplete && candidates.length <= maxNamed && programs.size <= maxNamed,
		known:
			!climbs &&
			!commands.some(returnsToDirectory) &&
			!candidates.some((named) => isUnclear(named, places.cwd)),
	};
}

/** Returns the current identities of the first 300 files, with a line for each existing regular file. */
export function fileFacts(paths: readonly string[]): Promise<string> {
	return linesOf([...new Set(paths)], namedFile);
}

interface ProgramFacts {
	readonly line?: string | undefined;
	readonly directory?: string | undefined;
	/** Whether a link leads to the directory. */
	readonly isLink?: boolean;
}

interface ProgramPlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly runsAny: boolean;
}

async function inspectProgram(
	path: string,
	{ cwd, roots, runsAny }: ProgramPlaces,
): Promise<ProgramFacts | undefined> {
	const real = await realpath(path).catch(() => undefined);
	if (real === undefined || isInside(real, systemPlaces)) return undefined;
	const stats = await stat(real).catch(() => undefined);
	if (stats?.isDirectory()) {
		const isWalked = !isCovered(real, cwd) && roots.some((root) => isWithin(real, root));
		return { directory: isWalked ? real : undefined, isLink: real !== path };
	}
	if (!stats?.isFile()) return undefined;
	const mayBeRun = runsAny || (stats.mode & 0o111) !== 0;
	return mayBeRun || !isDataName(basename(path)) ? { line: await namedFile(path) } : undefined;
}

/**
 * Whether the facts about `other` cover `directory`. Facts may leave out hidden directories, so a path
 * through a hidden directory is not covered. A final `.git` is an exception.
 */
function isCovered(directory: string, other: string): boolean {
	return isWithin(directory, other) && !/(?:^|\/)\.(?!git$)/.test(relative(other, directory));
}

function isUnclear(path: string, cwd: string): boolean {
	// The facts of the working directory include its files, so a pattern inside it is clear.
	return path.includes(UNKNOWN) || path.startsWith("/~") || (/[*?[]/.test(path) && !isWithin(path, cwd));
}

/** Whether the command returns to an earlier directory, which its words do not name. */
function returnsToDirectory({ words: [program, target] }: CommandWords): boolean {
	if (program === "popd") return true;
	return (program === "cd" && target === "-") || (program === "pushd" && /^(?:[-+]\d*)?$/.test(target ?? ""));
}

async function namedFile(path: string): Promise<string | undefined> {
	const identity = fileIdentity(path);
	return identity === undefined ? undefined : `${path}\t${await realpath(path).catch(() => "")} ${identity}`;
}

function outermost(directories: readonly string[]): string[] {
	const all = [...new Set(directories)];
	return all.filter((one) => !all.some((other) => other !== one && isCovered(one, other)));
}

/**
 * Whether the word at `index` may be a program. The first word after keywords and assignments is a program.
 * In a hidden command, or after a program that runs other programs, any later word may be a program.
 */
function mayRun({ words, hidden }: CommandWords, index: number): boolean {
	const word = words[index] ?? "";
	if (word === "" || word.includes(UNKNOWN)) return false;
	const first = words.findIndex((other) => !isKeyword(other) && !/^\w+\+?=/.test(other));
	if (index <= first) return index === first;
	return hidden || words.slice(0, first + 1).some((other) => isWrapper(basename(other)));
}

/** Whether `word` names a program that runs the content of a file argument. */
function readsScript(word: string): boolean {
	const name = basename(word);
	return isInterpreter(name) || isShell(name) || name === "source" || name === ".";
}

async function linesOf(
	names: readonly string[],
	identify: (name: string) => Promise<string | undefined>,
): Promise<string> {
	return joined(await Promise.all(names.slice(0, maxNamed).map(identify)));
}

function joined(lines: readonly (string | undefined)[]): string {
	return lines
		.filter((line) => line !== undefined)
		.sort()
		.join("\n");
}

/**
 * Returns the identity of the program `name`: the first match in `directories`, which must be absolute paths. Returns the
 * identity `none` if no directory has a match.
 */
export async function programIdentity(name: string, directories: readonly string[]): Promise<string> {
	for (const directory of directories) {
		const candidate = join(directory, name);
		if (await isRunnable(candidate)) return `${name}: ${await unlessUnreadable(candidate)}`;
	}
	// A missing program must stay missing, because a new program could take the place of a shell word.
	return `${name}: none`;
}

async function isRunnable(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// A missing or unreachable file is treated like a file that is not executable.
		return false;
	}
}

async function unlessUnreadable(path: string): Promise<string> {
	try {
		return await contentIdentityOf(path);
	} catch {
		// A user may have permission to run a program but not to read it.
		return surroundingsTexts.unreadable(path);
	}
}

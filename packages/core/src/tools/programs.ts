import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { type FoundCommands, findCommands, type SeenWords } from "../commands/judge-command.ts";
import type { Places } from "../commands/places.ts";
import { UNKNOWN } from "../commands/words.ts";
import { isInterpreter, isKeyword, isShell, isWrapper } from "../commands/wrappers.ts";
import { contentIdentityOf } from "./identity.ts";

/** What a command line would execute, as far as its text tells: one line for each, with what it is at this moment. */
export interface Executed {
	/** What the names of programs lead to. */
	readonly programs: string;
	/** Files that are run, or handed to a program that runs what stands in them. */
	readonly scripts: string;
}

/** So many are looked at; the others, which no ordinary command has, are not. */
const mostFiles = 64;

/** Files that a program runs, though nobody names them. */
const implied: Readonly<Record<string, readonly string[]>> = {
	make: ["GNUmakefile", "makefile", "Makefile"],
	just: ["justfile", ".justfile", "Justfile"],
	npm: ["package.json"],
	pnpm: ["package.json"],
	yarn: ["package.json"],
	bun: ["package.json"],
};

/**
 * Finds out what a command line would execute. It reads text, which no boundary is made of: what a script starts in its
 * turn is not followed. `path` is what programs are looked for on.
 */
export async function executedBy(
	command: string,
	{ path, ...places }: Places & { readonly path: string },
): Promise<Executed> {
	const found = findCommands(command, places);
	const names = new Set<string>();
	const files = new Set<string>();
	for (const seen of found.seen) collect(seen, found, { names, files, cwd: places.cwd });
	// A shell may read its commands from any file that is named, or from what another program makes of it.
	if (found.seen.some(feedsShell)) for (const named of found.paths) files.add(named);
	const directories = path.split(delimiter).map((directory) => resolve(places.cwd, directory || "."));
	return {
		programs: await linesOf([...names], (name) => programIdentity(name, directories)),
		scripts: await fileFacts([...files]),
	};
}

/** What files are at this moment, one line for each; those that are not there have none. */
export function fileFacts(paths: readonly string[]): Promise<string> {
	return linesOf([...new Set(paths)], scriptIdentity);
}

interface Collected {
	readonly names: Set<string>;
	readonly files: Set<string>;
	readonly cwd: string;
}

function collect(seen: SeenWords, { paths }: FoundCommands, into: Collected): void {
	for (const [index, word] of seen.words.entries()) {
		if (!mayRun(seen, index)) continue;
		if (!word.includes("/")) into.names.add(word);
		for (const file of filesOf(word, seen.words.slice(index + 1))) {
			for (const named of pathsOf(file, paths)) into.files.add(named);
		}
		for (const file of impliedBy(basename(word))) into.files.add(join(into.cwd, file));
	}
}

/** A command may be called `constructor`. */
function impliedBy(name: string): readonly string[] {
	return (Object.hasOwn(implied, name) ? implied[name] : undefined) ?? [];
}

/** The words that may be files which the program runs: itself, and what it is handed where it reads scripts. */
function filesOf(program: string, args: readonly string[]): string[] {
	const handed = readsScript(basename(program)) ? args.filter((arg) => !arg.startsWith("-")) : [];
	return program.includes("/") ? [program, ...handed] : handed;
}

/** Whether the word there may be a program: the first one is, and any behind a program that runs others. */
function mayRun({ words, hidden }: SeenWords, index: number): boolean {
	const word = words[index] ?? "";
	if (word === "" || word.includes(UNKNOWN)) return false;
	const first = words.findIndex((other) => !isKeyword(other) && !/^\w+\+?=/.test(other));
	if (index <= first) return index === first;
	return hidden || words.slice(0, first + 1).some((other) => isWrapper(basename(other)));
}

/** Whether the program runs what stands in a file that it is given. */
function readsScript(name: string): boolean {
	return isInterpreter(name) || isShell(name) || name === "source" || name === ".";
}

function feedsShell({ words }: SeenWords): boolean {
	return words.some((word) => isShell(basename(word)) || word === "source" || word === ".");
}

/** The paths that a word may mean: which directory it is read in depends on what runs before. */
function pathsOf(word: string, paths: ReadonlySet<string>): string[] {
	const name = basename(word);
	return [...paths].filter((path) => basename(path) === name);
}

async function linesOf(
	names: readonly string[],
	identify: (name: string) => Promise<string | undefined>,
): Promise<string> {
	const lines = await Promise.all(names.slice(0, mostFiles).map(identify));
	return lines
		.filter((line) => line !== undefined)
		.sort()
		.join("\n");
}

/** What the name of a program leads to, in the first of these absolute directories that has one. */
export async function programIdentity(name: string, directories: readonly string[]): Promise<string> {
	for (const directory of directories) {
		const candidate = join(directory, name);
		if (await isRunnable(candidate)) return `${name}: ${await unlessUnreadable(candidate)}`;
	}
	// What is none at this moment must be none later: another could take the place of a word of the shell.
	return `${name}: none`;
}

async function scriptIdentity(path: string): Promise<string | undefined> {
	try {
		if (!(await stat(path)).isFile()) return undefined;
	} catch {
		return undefined;
	}
	return unlessUnreadable(path);
}

async function isRunnable(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// Not there, not reachable or not executable are one answer here.
		return false;
	}
}

/** A program may be run by who cannot read it. */
async function unlessUnreadable(path: string): Promise<string> {
	try {
		return await contentIdentityOf(path);
	} catch {
		return `${path} cannot be read`;
	}
}

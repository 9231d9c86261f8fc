import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { findCommands, type SeenWords } from "../commands/judge-command.ts";
import type { Places } from "../commands/places.ts";
import { UNKNOWN } from "../commands/words.ts";
import { isInterpreter, isKeyword, isShell, isWrapper } from "../commands/wrappers.ts";
import { fileIdentity, isDataName } from "./bound-files.ts";
import { contentIdentityOf } from "./identity.ts";
import { isWithin } from "./paths.ts";

/** Programs, files and directories that a command line names. */
export interface Named {
	/** Programs that are looked up on the search path: one line for each, with its identity. */
	readonly programs: string;
	/**
	 * Files outside the working directory, and files in it that are data by name but may be run: one line for each, with a
	 * tab between path and identity.
	 */
	readonly files: string;
	/** Directories outside the working directory, but within the roots. */
	readonly directories: readonly string[];
	/** False if the command names more than is looked at. */
	readonly complete: boolean;
}

/** Maximum of programs, and of paths. */
const mostNamed = 300;

/** Files in these places change on their own, or cannot be changed. */
const systemPlaces = ["/proc", "/sys", "/dev", "/run", "/var/log"];

/**
 * Finds what a command line names. Reads its text, which is no boundary: files that a program loads on its own are not
 * found. `path` is the search path of programs.
 */
export async function findNamed(
	command: string,
	{ path, ...places }: Places & { readonly path: string },
): Promise<Named> {
	const { seen, paths } = findCommands(command, places);
	const programs = new Set(
		seen.flatMap((found) => found.words.filter((word, at) => !word.includes("/") && mayRun(found, at))),
	);
	// A shell or another interpreter may run every file that the command names.
	const runsAny = seen.some(({ words }) => words.some(readsScript));
	const looked = [...paths].filter((named) => !systemPlaces.some((place) => isWithin(named, place)));
	const found = await Promise.all(
		looked.slice(0, mostNamed).map((named) => lookAt(named, { ...places, runsAny })),
	);
	const searched = path.split(delimiter).map((directory) => resolve(places.cwd, directory || "."));
	return {
		programs: await linesOf([...programs], (name) => programIdentity(name, searched)),
		files: joined(found.map((each) => each?.line)),
		directories: outermost(found.flatMap((each) => each?.directory ?? [])),
		complete: looked.length <= mostNamed && programs.size <= mostNamed,
	};
}

/** Identities of files at this moment, one line for each; a missing file has none. */
export function fileFacts(paths: readonly string[]): Promise<string> {
	return linesOf([...new Set(paths)], namedFile);
}

interface Looked {
	readonly line?: string | undefined;
	readonly directory?: string;
}

async function lookAt(
	path: string,
	{ cwd, roots, runsAny }: Pick<Places, "cwd" | "roots"> & { readonly runsAny: boolean },
): Promise<Looked | undefined> {
	const stats = await stat(path).catch(() => undefined);
	const isInside = isWithin(path, cwd);
	if (stats?.isDirectory()) {
		const isWalked = !isInside && !isWithin(cwd, path) && roots.some((root) => isWithin(path, root));
		return isWalked ? { directory: path } : undefined;
	}
	if (!stats?.isFile()) return undefined;
	const isData = isDataName(basename(path));
	const mayBeRun = runsAny || (stats.mode & 0o111) !== 0;
	return (isData ? mayBeRun : !isInside) ? { line: await namedFile(path) } : undefined;
}

async function namedFile(path: string): Promise<string | undefined> {
	const identity = fileIdentity(path);
	return identity === undefined ? undefined : `${path}\t${await realpath(path).catch(() => "")} ${identity}`;
}

function outermost(directories: readonly string[]): string[] {
	return directories.filter((one) => !directories.some((other) => other !== one && isWithin(one, other)));
}

/** Whether the word there may be a program: the first one is, and any behind a program that runs others. */
function mayRun({ words, hidden }: SeenWords, index: number): boolean {
	const word = words[index] ?? "";
	if (word === "" || word.includes(UNKNOWN)) return false;
	const first = words.findIndex((other) => !isKeyword(other) && !/^\w+\+?=/.test(other));
	if (index <= first) return index === first;
	return hidden || words.slice(0, first + 1).some((other) => isWrapper(basename(other)));
}

/** Whether the program runs the content of a file that it gets. */
function readsScript(word: string): boolean {
	const name = basename(word);
	return isInterpreter(name) || isShell(name) || name === "source" || name === ".";
}

async function linesOf(
	names: readonly string[],
	identify: (name: string) => Promise<string | undefined>,
): Promise<string> {
	return joined(await Promise.all(names.slice(0, mostNamed).map(identify)));
}

function joined(lines: readonly (string | undefined)[]): string {
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

import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, delimiter, join, relative, resolve } from "node:path";
import { contentIdentityOf } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import {
	findCommands,
	isInterpreter,
	isKeyword,
	isShell,
	isWrapper,
	type SeenWords,
} from "../../policy/commands/judge-command.ts";
import type { Places } from "../../policy/commands/places.ts";
import { UNKNOWN } from "../../policy/commands/words.ts";
import { fileIdentity, isDataName, liesIn } from "./bound-files.ts";
import { surroundingsTexts } from "./texts.ts";

/** Programs, files and directories in a command line. */
export interface Named {
	/** Programs that are looked up on the search path: one line for each, with its identity. */
	readonly programs: string;
	/** Files, one line for each, with a tab between path and identity. Data files are included only if they may be executed. */
	readonly files: string;
	/** Real paths of directories within the roots that the facts of the working directory do not include. */
	readonly directories: readonly string[];
	/** False if the command names more than is looked at. */
	readonly complete: boolean;
	/** False if the command names paths that are known only when it runs. */
	readonly known: boolean;
}

/** Maximum of programs, and of paths. */
const maxNamed = 300;

/** Files in these places change on their own, or cannot be changed. */
const systemPlaces = ["/proc", "/sys", "/dev", "/run", "/var/log"];

const parent = /(?:^|[/=]|^-[A-Za-z])\.\.(?:\/|$)/;
/** A name and then the directory above it. */
const climbing = /(?:^|[/=])(?!\.\.?\/)[^/=]+\/\.\.(?:\/|$)/;

/**
 * Finds the files that a command line names. It only reads the text, so it does not find files that a program loads itself.
 * `path` is the search path of programs.
 */
export async function findNamed(
	command: string,
	{ path, ...places }: Places & { readonly path: string },
): Promise<Named> {
	const { seen, paths, whole } = findCommands(command, places);
	const programs = new Set(
		seen.flatMap((found) => found.words.filter((word, at) => !word.includes("/") && mayRun(found, at))),
	);
	// A shell or another interpreter may run every file that the command names.
	const runsAny = seen.some(({ words }) => words.some(readsScript));
	const looked = [...paths].filter((named) => !liesIn(named, systemPlaces));
	const found = await Promise.all(
		looked.slice(0, maxNamed).map((named) => lookAt(named, { ...places, runsAny })),
	);
	const words = seen.flatMap((each) => each.words);
	// The system resolves `..` from the target of a link. The text of a path does not show that.
	const climbs =
		words.some((word) => climbing.test(word)) ||
		(found.some((each) => each?.isLink) && words.some((word) => parent.test(word)));
	const searched = path.split(delimiter).map((directory) => resolve(places.cwd, directory || "."));
	return {
		programs: await linesOf([...programs], (name) => programIdentity(name, searched)),
		files: joined(found.map((each) => each?.line)),
		directories: outermost(found.flatMap((each) => each?.directory ?? [])),
		complete: whole && looked.length <= maxNamed && programs.size <= maxNamed,
		known: !climbs && !seen.some(returnsToDirectory) && !looked.some((named) => isUnclear(named, places.cwd)),
	};
}

/** Present identities of files, one line for each. A missing file has the word `none`. */
export function fileFacts(paths: readonly string[]): Promise<string> {
	return linesOf([...new Set(paths)], namedFile);
}

interface Looked {
	readonly line?: string | undefined;
	readonly directory?: string | undefined;
	/** Whether a link leads to the directory. */
	readonly isLink?: boolean;
}

interface LookedPlaces {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly runsAny: boolean;
}

async function lookAt(path: string, { cwd, roots, runsAny }: LookedPlaces): Promise<Looked | undefined> {
	const real = await realpath(path).catch(() => undefined);
	if (real === undefined || liesIn(real, systemPlaces)) return undefined;
	const stats = await stat(real).catch(() => undefined);
	if (stats?.isDirectory()) {
		const isWalked = !isCovered(real, cwd) && roots.some((root) => isWithin(real, root));
		return { directory: isWalked ? real : undefined, isLink: real !== path };
	}
	if (!stats?.isFile()) return undefined;
	const mayBeRun = runsAny || (stats.mode & 0o111) !== 0;
	return mayBeRun || !isDataName(basename(path)) ? { line: await namedFile(path) } : undefined;
}

/** Whether the facts of `other` include the directory. Caches and other hidden directories may be left out. */
function isCovered(directory: string, other: string): boolean {
	return isWithin(directory, other) && !/(?:^|\/)\.(?!git$)/.test(relative(other, directory));
}

/** Whether a part of the path is known only when the command runs. Patterns inside the working directory are harmless. */
function isUnclear(path: string, cwd: string): boolean {
	return path.includes(UNKNOWN) || path.startsWith("/~") || (/[*?[]/.test(path) && !isWithin(path, cwd));
}

/** Whether the command enters a directory that its words do not name. */
function returnsToDirectory({ words: [program, target] }: SeenWords): boolean {
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

/** Whether the word at this position may be a program: the first one is, and any word after a program that runs others. */
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
	return joined(await Promise.all(names.slice(0, maxNamed).map(identify)));
}

function joined(lines: readonly (string | undefined)[]): string {
	return lines
		.filter((line) => line !== undefined)
		.sort()
		.join("\n");
}

/** Identity of the program that a name means, from the first of these absolute directories that has one. */
export async function programIdentity(name: string, directories: readonly string[]): Promise<string> {
	for (const directory of directories) {
		const candidate = join(directory, name);
		if (await isRunnable(candidate)) return `${name}: ${await unlessUnreadable(candidate)}`;
	}
	// A missing program must stay missing, because another program could replace a shell word.
	return `${name}: none`;
}

async function isRunnable(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// Programs that are missing, unreachable or not executable have the same result.
		return false;
	}
}

/** A user may run a program without the permission to read it. */
async function unlessUnreadable(path: string): Promise<string> {
	try {
		return await contentIdentityOf(path);
	} catch {
		return surroundingsTexts.unreadable(path);
	}
}

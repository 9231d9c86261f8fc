import type { Dirent } from "node:fs";
import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { isControl, isSecret } from "../../filesystem/sensitive-paths.ts";
import type { Mount } from "./system-layout.ts";

/** Directories that contain control files (see `isControl`) and other files. */
const partlyControl = [".github", ".config"];
/** Directories in a home directory that contain secrets and other files. */
const partlySecret = [".config", ".docker", ".local/share"];

export interface CommandPaths {
	readonly roots: readonly string[];
	readonly cwd: string;
	readonly home: string | undefined;
}

/**
 * A control file, which can affect programs that run later. `target` is the target of a link, or "" if the file is
 * not a link.
 */
interface Steering {
	readonly directory: string;
	readonly target: string;
}

/** Control files by path. */
export type Known = ReadonlyMap<string, Steering>;

/**
 * Finds control files in the roots, in the directories between a root and the working directory, and in `nested`.
 * Includes the home directory if a root contains it. Excludes `.git`. Searches no subdirectories of these
 * directories, except `.github` and `.config`.
 */
export async function findControl(places: CommandPaths, nested: Iterable<string>): Promise<Known> {
	const directories = new Set([...directoriesOf(places), ...nested]);
	const found = await Promise.all([...directories].map(controlIn));
	return new Map(found.flat());
}

/** Returns mounts that make the control files of one directory read-only, except for links. */
export function protectControl(directory: string, known: Known): Mount[] {
	const here = [...known].filter(([, steering]) => steering.directory === directory);
	// A mount point cannot be renamed, so another directory cannot replace it.
	const between = new Set(here.map(([path]) => dirname(path)).filter((path) => path !== directory));
	return [
		...[...between].map((path) => ["--bind", path, path]),
		...here.filter(([, { target }]) => target === "").map(([path]) => ["--ro-bind-try", path, path]),
	];
}

/**
 * Returns the secrets directly in the home directory, and in some of its subdirectories, if a root contains the
 * home directory. An operator who chose the home directory as a root did not intend to share keys.
 */
export async function secretsAtHome(places: CommandPaths): Promise<string[]> {
	const { home } = places;
	if (home === undefined || !directoriesOf(places).has(home)) return [];
	const directories = [home, ...partlySecret.map((name) => join(home, name))];
	const names = await Promise.all(
		directories.map(async (path) => (await namesIn(path)).map((name) => join(path, name))),
	);
	return names.flat().filter((path) => isSecret(path));
}

/**
 * Returns the real paths of the secrets in the roots. For a link with the name of a secret, returns its target if the
 * target is in a root. The limit of `walk` applies.
 */
export async function secretsInRoots(roots: readonly string[]): Promise<string[]> {
	const found = await walk(roots, (path) => isSecret(path));
	const real = await Promise.all(found.map(async (path) => (await ifThere(realpath(path))) ?? []));
	return real.flat().filter((path) => roots.some((root) => isWithin(path, root) && path !== root));
}

/** Returns mounts that make files, sockets and directories appear empty. */
export async function cover(paths: readonly string[]): Promise<Mount[]> {
	const outer = [...new Set(paths)].filter(
		(path) => !paths.some((other) => other !== path && isWithin(path, other)),
	);
	return (await Promise.all(outer.map(coverOne))).flat();
}

/**
 * Returns the roots, the working directory and its parents within a root, and the home directory if a root contains it.
 */
export function directoriesOf({ roots, cwd, home }: CommandPaths): Set<string> {
	const inRoots = (path: string): boolean => roots.some((root) => isWithin(path, root));
	const found = new Set<string>(roots);
	for (let path = cwd; inRoots(path) && path !== dirname(path); path = dirname(path)) found.add(path);
	if (home !== undefined && inRoots(home)) found.add(home);
	return found;
}

async function controlIn(directory: string): Promise<(readonly [string, Steering])[]> {
	const places = [directory, ...partlyControl.map((name) => join(directory, name))];
	const names = await Promise.all(
		places.map(async (place) => (await namesIn(place)).map((name) => join(place, name))),
	);
	// Only the path below the directory is checked, because commands cannot change directories above a root.
	const control = names.flat().filter((path) => isControl(`/${relative(directory, path)}`));
	return await Promise.all(
		control
			.filter((path) => !path.endsWith("/.git"))
			.map(async (path) => [path, { directory, target: (await ifLink(path)) ?? "" }] as const),
	);
}

async function coverOne(path: string): Promise<Mount[]> {
	const stats = await ifThere(lstat(path));
	if (stats?.isDirectory())
		return [
			["--tmpfs", path],
			["--remount-ro", path],
		];
	return stats?.isFile() || stats?.isSocket() ? [["--ro-bind", "/dev/null", path]] : [];
}

async function namesIn(directory: string): Promise<string[]> {
	// `lstat` does not follow a link, which could lead out of the roots.
	const stats = await ifThere(lstat(directory));
	return stats?.isDirectory() ? ((await ifThere(readdir(directory))) ?? []) : [];
}

async function ifLink(path: string): Promise<string | undefined> {
	const stats = await ifThere(lstat(path));
	return stats?.isSymbolicLink() ? await ifThere(readlink(path)) : undefined;
}

/** Maximum entries of a search. A search of this size delays a command by a few tenths of a second. */
const MAX_ENTRIES = 20_000;
/** Large directories of packages and git, which are not searched. The certificates in them are not secrets. */
const skipped = ["node_modules", "site-packages", ".git"];

/**
 * Returns the paths that `isProtected` accepts, the nearest first. Does not search below returned paths, and follows no
 * links. Stops after `MAX_ENTRIES` entries.
 */
async function walk(
	directories: readonly string[],
	isProtected: (path: string, entry: Dirent) => boolean,
): Promise<string[]> {
	const found: string[] = [];
	let left = MAX_ENTRIES;
	const open = [...directories];
	for (let at = open.shift(); at !== undefined && left > 0; at = open.shift()) {
		const entries = (await ifThere(readdir(at, { withFileTypes: true }))) ?? [];
		for (const entry of entries.slice(0, left)) {
			const path = join(at, entry.name);
			if (skipped.includes(entry.name)) continue;
			if (isProtected(path, entry)) found.push(path);
			else if (entry.isDirectory()) open.push(path);
		}
		left -= entries.length;
	}
	return found;
}

/** Maximum bytes to read from /proc/net/unix, the kernel's list of Unix sockets. A line has about a hundred bytes. */
const LIST_BYTES = 4 * 1024 * 1024;
/**
 * Pattern of a line `Num RefCount Protocol Flags Type St Inode Path`:
 * https://man7.org/linux/man-pages/man5/proc_pid_net.5.html
 */
const line = /^[0-9a-f]+:(?: [0-9A-F]+){5} +\d+(?: (.+))?$/;

/**
 * Returns the Unix socket files at or below these directories that /proc/net/unix lists. A network namespace does not
 * prevent a command from connecting to these sockets. If the list may be incomplete, for example because its text is
 * too long, also searches the directories.
 */
export async function hostSockets(directories: readonly string[]): Promise<string[]> {
	const { names, isComplete } = socketNamesIn((await ifThere(readList())) ?? "");
	const real = await Promise.all(names.map(realName));
	const listed = real.filter((path) => path !== undefined && directories.some((one) => isWithin(path, one)));
	const searched = isComplete ? [] : await walk(directories, (_, entry) => entry.isSocket());
	const found = new Set([...listed, ...searched].filter((path) => path !== undefined));
	const stats = await Promise.all([...found].map(async (path) => ({ path, is: await ifThere(lstat(path)) })));
	return stats.filter(({ is }) => is?.isSocket()).map(({ path }) => path);
}

/**
 * Returns the absolute paths in the text of /proc/net/unix, and whether the text names every socket that has a
 * file.
 */
export function socketNamesIn(list: string): { readonly names: string[]; readonly isComplete: boolean } {
	const [header, ...lines] = list.split("\n");
	const matches = lines.slice(0, -1).map((text) => line.exec(text));
	const names = matches.flatMap((match) => match?.[1] ?? []).filter((name) => !name.startsWith("@"));
	return {
		names: [...new Set(names.filter((name) => name.startsWith("/")))],
		isComplete:
			header !== "" &&
			lines.at(-1) === "" &&
			matches.every((match) => match !== null) &&
			names.every((name) => name.startsWith("/")),
	};
}

/**
 * Resolves the links of the path's directory, for comparison with the real paths of roots. Returns undefined if the
 * directory does not exist.
 */
async function realName(name: string): Promise<string | undefined> {
	const directory = await ifThere(realpath(dirname(name)));
	return directory && join(directory, basename(name));
}

/**
 * Returns the kernel's list of Unix sockets. Reads at most `LIST_BYTES` bytes, because files of /proc report no size
 * and can be long.
 */
async function readList(): Promise<string> {
	await using file = await open("/proc/self/net/unix");
	const buffer = Buffer.alloc(LIST_BYTES);
	let length = 0;
	for (let read = -1; read !== 0 && length < LIST_BYTES; length += read) {
		({ bytesRead: read } = await file.read(buffer, length, LIST_BYTES - length, null));
	}
	return buffer.toString("utf8", 0, length);
}

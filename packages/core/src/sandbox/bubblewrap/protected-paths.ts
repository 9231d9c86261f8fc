import type { Dirent } from "node:fs";
import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { isControl, isSecret } from "../../filesystem/sensitive-paths.ts";
import type { Mount } from "./system-layout.ts";

/** Directories that contain control files (see `isControl`) and other files. */
const partlyControl = [".github", ".config"];
/** Directories below a home directory. They contain secrets and other files. */
const partlySecret = [".config", ".docker", ".local/share"];

export interface CommandPaths {
	readonly roots: readonly string[];
	readonly cwd: string;
	readonly home: string | undefined;
}

/**
 * A control file. It can affect programs that run later. `target` is the target if the control file is a link, and
 * otherwise "".
 */
interface Steering {
	readonly directory: string;
	readonly target: string;
}

/** Control files by path. */
export type Known = ReadonlyMap<string, Steering>;

/**
 * Finds control files directly in the directories of `directoriesOf` and in the directories of `nested`. Does not
 * search subdirectories, except `.github` and `.config`. Excludes `.git`.
 */
export async function findControl(places: CommandPaths, nested: Iterable<string>): Promise<Known> {
	const directories = new Set([...directoriesOf(places), ...nested]);
	const found = await Promise.all([...directories].map(controlIn));
	return new Map(found.flat());
}

/** Returns mounts that make the control files of one directory read-only, except for links. */
export function protectControl(directory: string, known: Known): Mount[] {
	const here = [...known].filter(([, steering]) => steering.directory === directory);
	// A mount point cannot be renamed, so no command can replace it by another directory.
	const between = new Set(here.map(([path]) => dirname(path)).filter((path) => path !== directory));
	return [
		...[...between].map((path) => ["--bind", path, path]),
		...here.filter(([, { target }]) => target === "").map(([path]) => ["--ro-bind-try", path, path]),
	];
}

/**
 * Returns the secrets in the home directory itself and in its subdirectories `partlySecret`. Returns an empty list if
 * no root contains the home directory. An operator with the home directory as a root did not intend to share keys.
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
 * Returns the real paths of the secrets in the roots. If a link has the name of a secret, returns the target of the
 * link if the target is in a root. The search stops at the limit of `walk`.
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
 * Returns the roots, and the home directory if a root contains it. If a root contains the working directory, also
 * returns the working directory and the directories between it and the root.
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
	// Only the part of the path below `directory` is checked, because commands cannot change directories above a root.
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
	// `lstat` does not follow links, because a link could lead out of the roots.
	const stats = await ifThere(lstat(directory));
	return stats?.isDirectory() ? ((await ifThere(readdir(directory))) ?? []) : [];
}

async function ifLink(path: string): Promise<string | undefined> {
	const stats = await ifThere(lstat(path));
	return stats?.isSymbolicLink() ? await ifThere(readlink(path)) : undefined;
}

/**
 * Maximum directory entries that a search reads. A search of 20,000 entries delays a command by a few tenths of a second.
 */
const MAX_ENTRIES = 20_000;
/**
 * Names of large directories of packages and git. They are not searched, because the certificates in them are not
 * secrets.
 */
const skipped = ["node_modules", "site-packages", ".git"];

/**
 * Returns the paths below `directories` that `isProtected` accepts, in breadth-first order. Does not search below
 * returned paths, and follows no links. Stops after `MAX_ENTRIES` entries.
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

/**
 * Maximum bytes to read from /proc/net/unix, the kernel's list of Unix sockets. A line of the list has about a hundred
 * bytes.
 */
const LIST_BYTES = 4 * 1024 * 1024;
/**
 * Pattern of a line `Num RefCount Protocol Flags Type St Inode Path`:
 * https://man7.org/linux/man-pages/man5/proc_pid_net.5.html
 */
const line = /^[0-9a-f]+:(?: [0-9A-F]+){5} +\d+(?: (.+))?$/;

/**
 * Returns the Unix socket files at or below `directories`, from the list in /proc/net/unix. A network namespace does
 * not prevent a command from connecting to a socket file. If the list may be incomplete, for example because its text
 * is too long, also searches the directories.
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
 * Returns the paths in the text of /proc/net/unix. `isComplete`: whether the text contains the path of every socket
 * with a file.
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
 * Returns the path with all links in its directory resolved, for comparison with the real paths of the roots. Returns
 * undefined if the directory does not exist.
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

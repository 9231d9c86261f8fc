import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import { isControl, isSecret } from "../../filesystem/sensitive-paths.ts";
import { ifThere } from "./if-there.ts";
import type { Mount } from "./system-layout.ts";
import { walk } from "./walk.ts";

/** Directories of which only some files decide what runs later. */
const halfControl = [".github", ".config"];
/** Directories in a home directory of which only some files are secret. */
const halfSecret = [".config", ".docker", ".local/share"];

export interface Places {
	readonly roots: readonly string[];
	/** Working directory of the command. */
	readonly cwd: string;
	readonly home: string | undefined;
}

/** A file that decides what runs later. `target` is the target of a link, or empty. */
interface Steering {
	readonly directory: string;
	readonly target: string;
}

/** Such files by their paths. */
export type Known = ReadonlyMap<string, Steering>;

/**
 * Files that decide what runs later: in the roots, in the directories between a root and the working directory, in the
 * home directory if a root contains it, and in `nested`. Files of git are not among them.
 */
export async function findControl(places: Places, nested: Iterable<string>): Promise<Known> {
	const directories = new Set([...directoriesOf(places), ...nested]);
	const found = await Promise.all([...directories].map(controlIn));
	return new Map(found.flat());
}

/** Makes such files of one directory read only. */
export function protectControl(directory: string, known: Known): Mount[] {
	const here = [...known].filter(([, steering]) => steering.directory === directory);
	// A mount point cannot be renamed, so that no other directory takes its place.
	const halfway = new Set(here.map(([path]) => dirname(path)).filter((path) => path !== directory));
	return [
		...[...halfway].map((path) => ["--bind", path, path]),
		...here.filter(([, { target }]) => target === "").map(([path]) => ["--ro-bind-try", path, path]),
	];
}

/** Secrets of the home directory, if a root contains it: an operator who chose it as a root did not mean the keys. */
export async function secretsAtHome(places: Places): Promise<string[]> {
	const { home } = places;
	if (home === undefined || !directoriesOf(places).has(home)) return [];
	const directories = [home, ...halfSecret.map((name) => join(home, name))];
	const names = await Promise.all(
		directories.map(async (path) => (await namesIn(path)).map((name) => join(path, name))),
	);
	return names.flat().filter((path) => isSecret(path));
}

/** Secrets in the roots, and targets of links with the name of one, within the limit of `walk`. */
export async function secretsInRoots(roots: readonly string[]): Promise<string[]> {
	const found = await walk(roots, (path) => isSecret(path));
	const real = await Promise.all(found.map(async (path) => (await ifThere(realpath(path))) ?? []));
	return real.flat().filter((path) => roots.some((root) => isWithin(path, root) && path !== root));
}

/** Makes files, sockets and directories empty. */
export async function cover(paths: readonly string[]): Promise<Mount[]> {
	const outer = [...new Set(paths)].filter(
		(path) => !paths.some((other) => other !== path && isWithin(path, other)),
	);
	return (await Promise.all(outer.map(coverOne))).flat();
}

/** The roots, the directories between a root and the working directory, and the home directory if a root contains it. */
export function directoriesOf({ roots, cwd, home }: Places): Set<string> {
	const inRoots = (path: string): boolean => roots.some((root) => isWithin(path, root));
	const found = new Set<string>(roots);
	for (let path = cwd; inRoots(path) && path !== dirname(path); path = dirname(path)) found.add(path);
	if (home !== undefined && inRoots(home)) found.add(home);
	return found;
}

async function controlIn(directory: string): Promise<(readonly [string, Steering])[]> {
	const places = [directory, ...halfControl.map((name) => join(directory, name))];
	const names = await Promise.all(
		places.map(async (place) => (await namesIn(place)).map((name) => join(place, name))),
	);
	// Only the path below the directory counts: directories above a root are not for commands.
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
	// A link can lead out of the roots.
	const stats = await ifThere(lstat(directory));
	return stats?.isDirectory() ? ((await ifThere(readdir(directory))) ?? []) : [];
}

/** Target of a link; undefined for everything else. */
async function ifLink(path: string): Promise<string | undefined> {
	const stats = await ifThere(lstat(path));
	return stats?.isSymbolicLink() ? await ifThere(readlink(path)) : undefined;
}

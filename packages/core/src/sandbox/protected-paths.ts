import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../tools/paths.ts";
import { isControl, isSecret } from "../tools/sensitive-paths.ts";
import { ifThere } from "./if-there.ts";
import type { Mount } from "./system-layout.ts";
import { walk } from "./walk.ts";

/** Directories of which a part alone steers something. */
const halfControl = [".github", ".config"];
/** Directories in a home of which a part alone is secret. */
const halfSecret = [".config", ".docker", ".local/share"];

export interface Places {
	readonly roots: readonly string[];
	/** The directory of the command. */
	readonly cwd: string;
	readonly home: string | undefined;
}

/** What steers something: its own directory, and of a link also where it leads. */
interface Steering {
	readonly directory: string;
	readonly target: string;
}

/** By the path. */
export type Known = ReadonlyMap<string, Steering>;

/**
 * What of the roots decides what runs later: in the roots themselves, in the directories between them and the command's
 * own, in the home directory where that is in one, and in these directories. Git's own files are not among them.
 */
export async function findControl(places: Places, nested: Iterable<string>): Promise<Known> {
	const directories = new Set([...directoriesOf(places), ...nested]);
	const found = await Promise.all([...directories].map(controlIn));
	return new Map(found.flat());
}

/** Makes that of one directory read only. */
export function protectControl(directory: string, known: Known): Mount[] {
	const here = [...known].filter(([, steering]) => steering.directory === directory);
	// What is no directory of its own to commands cannot be renamed: else another one could take its place.
	const halfway = new Set(here.map(([path]) => dirname(path)).filter((path) => path !== directory));
	return [
		...[...halfway].map((path) => ["--bind", path, path]),
		...here.filter(([, { target }]) => target === "").map(([path]) => ["--ro-bind-try", path, path]),
	];
}

/** Whose whole home directory is a root has not meant their keys. */
export async function secretsAtHome(places: Places): Promise<string[]> {
	const { home } = places;
	if (home === undefined || !directoriesOf(places).has(home)) return [];
	const directories = [home, ...halfSecret.map((name) => join(home, name))];
	const names = await Promise.all(
		directories.map(async (path) => (await namesIn(path)).map((name) => join(path, name))),
	);
	return names.flat().filter((path) => isSecret(path));
}

/** All secrets in the roots, also where a link with the name of one leads, as far as a bounded look finds them. */
export async function secretsInRoots(roots: readonly string[]): Promise<string[]> {
	const found = await walk(roots, (path) => isSecret(path));
	const real = await Promise.all(found.map(async (path) => (await ifThere(realpath(path))) ?? []));
	return real.flat().filter((path) => roots.some((root) => isWithin(path, root) && path !== root));
}

/** Makes files and sockets empty, and directories, with all that is in them. */
export async function cover(paths: readonly string[]): Promise<Mount[]> {
	const outer = [...new Set(paths)].filter(
		(path) => !paths.some((other) => other !== path && isWithin(path, other)),
	);
	return (await Promise.all(outer.map(coverOne))).flat();
}

/** The roots, the directories between them and the command's own, and the home directory where that is in one. */
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
	// By its name from here on: what stands above a root is the operator's own matter.
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
	// A link may lead anywhere.
	const stats = await ifThere(lstat(directory));
	return stats?.isDirectory() ? ((await ifThere(readdir(directory))) ?? []) : [];
}

/** Where a link leads; undefined for everything else. */
async function ifLink(path: string): Promise<string | undefined> {
	const stats = await ifThere(lstat(path));
	return stats?.isSymbolicLink() ? await ifThere(readlink(path)) : undefined;
}

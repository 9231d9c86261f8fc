import { lstat, readdir, readlink, realpath, rename } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isWithin } from "../tools/paths.ts";
import { isControl, isSecret } from "../tools/sensitive-paths.ts";
import { ifThere } from "./if-there.ts";
import type { Mount } from "./system-layout.ts";
import { walk } from "./walk.ts";

/** Parts of a repository that name programs. All else in `.git` is what git writes every day. */
const steersGit = ["hooks", "config", "config.worktree"];
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

/** What steers something, by its path; of a link also where it leads. */
export type Known = ReadonlyMap<string, string>;

/**
 * What of the roots decides what runs later: in the roots themselves, in the directories between them and the command's
 * own, and in the home directory where that is in one. Git's own files are not among them.
 */
export async function findControl(places: Places): Promise<Known> {
	const found = await Promise.all([...directoriesOf(places)].map(controlIn));
	return new Map(found.flat());
}

/** Makes that, and what of the repositories names programs, read only. */
export async function protect(places: Places, known: Known): Promise<Mount[]> {
	const directories = directoriesOf(places);
	// What is no directory of its own to commands cannot be renamed: else another one could take its place.
	const halfway = new Set([...known.keys()].map(dirname).filter((path) => !directories.has(path)));
	const repositories = await Promise.all([...directories].map((path) => protectGit(join(path, ".git"))));
	return [
		...[...halfway].map((path) => ["--bind", path, path]),
		...[...known].filter(([, target]) => target === "").map(([path]) => ["--ro-bind-try", path, path]),
		...repositories.flat(),
	];
}

/**
 * Moves aside what has come up since and steers what runs later; resolves with the paths where it was. The command must
 * have ended, with all that it started: nothing can be swapped while it is moved.
 */
export async function holdBack(places: Places, known: Known, mark: string): Promise<readonly string[]> {
	const held: string[] = [];
	for (const [path, target] of await findControl(places)) {
		if (known.get(path) === target) continue;
		await rename(path, `${path}.held-back-${mark}`);
		held.push(path);
	}
	return held;
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

function directoriesOf({ roots, cwd, home }: Places): Set<string> {
	const inRoots = (path: string): boolean => roots.some((root) => isWithin(path, root));
	const found = new Set<string>(roots);
	for (let path = cwd; inRoots(path) && path !== dirname(path); path = dirname(path)) found.add(path);
	if (home !== undefined && inRoots(home)) found.add(home);
	return found;
}

async function controlIn(directory: string): Promise<(readonly [string, string])[]> {
	const places = [directory, ...halfControl.map((name) => join(directory, name))];
	const names = await Promise.all(
		places.map(async (place) => (await namesIn(place)).map((name) => join(place, name))),
	);
	// By its name from here on: what stands above a root is the operator's own matter.
	const control = names.flat().filter((path) => isControl(`/${relative(directory, path)}`));
	return await Promise.all(
		control
			.filter((path) => !path.endsWith("/.git"))
			.map(async (path) => [path, (await ifLink(path)) ?? ""] as const),
	);
}

async function protectGit(git: string): Promise<Mount[]> {
	const stats = await ifThere(lstat(git));
	// A working tree of its own points to its repository, and could come to point anywhere.
	if (stats?.isFile()) return [["--ro-bind", git, git]];
	if (!stats?.isDirectory()) return [];
	const modules = join(git, "modules");
	const inner = (await namesIn(modules)).map((name) => join(modules, name));
	const hooks = join(git, "hooks");
	const planted = await ifThere(lstat(hooks));
	return [
		...[git, ...(inner.length > 0 ? [modules] : []), ...inner].map((path) => ["--bind", path, path]),
		...[git, ...inner].flatMap((repository) =>
			steersGit.map((name) => ["--ro-bind-try", join(repository, name), join(repository, name)]),
		),
		...(planted
			? []
			: [
					["--tmpfs", hooks],
					["--remount-ro", hooks],
				]),
	];
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

import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isWithin } from "../../filesystem/paths.ts";
import { ifThere } from "../bubblewrap/if-there.ts";
import type { Mount } from "../bubblewrap/system-layout.ts";
import type { Repositories } from "./find-repositories.ts";
import type { GitDirectory } from "./git-directory.ts";

interface Protected {
	/** Whether it is a repository of a root or between a root and the working directory. These cannot be renamed either. */
	isOwn(gitDirectory: string): boolean;
	/** Whether it is read only already. */
	isReadOnly(path: string): boolean;
	/** Whether commands see it and may change it. A mount would show anything else to them. */
	isOpen(path: string): boolean;
}

/** Mounts that protect one repository or working tree. */
export interface Group {
	readonly of: string;
	readonly mounts: readonly Mount[];
}

/** Mounts that protect repositories, the nearest first. Each mount makes the start of a command slower. */
export async function protectGit(repositories: Repositories, told: Protected): Promise<Group[]> {
	const directories = repositories.directories.filter(({ path }) => !told.isReadOnly(path));
	const pointers = repositories.pointers.filter((path) => !told.isReadOnly(path));
	const groups = await Promise.all(
		directories.map(async (directory) => ({
			of: ownerOf(directory.path),
			mounts: await protectParts(directory, told),
		})),
	);
	// A file `.git` contains the path of the repository, which a command could change.
	return [
		...groups,
		...pointers.map((path) => ({ of: ownerOf(path), mounts: [["--ro-bind-try", path, path]] })),
	];
}

function ownerOf(path: string): string {
	return path.endsWith("/.git") ? dirname(path) : path;
}

/** Mounts that keep repositories from being renamed. They come before all mounts in these directories. */
export async function holdInPlace(
	repositories: Repositories,
	{ isOwn, isReadOnly }: Protected,
): Promise<Mount[]> {
	const own = repositories.directories.map(({ path }) => path).filter(isOwn);
	const modules = repositories.directories
		.map(({ path }) => dirname(path))
		.filter((path) => own.some((one) => path === join(one, "modules")));
	return [...new Set([...own, ...modules])]
		.filter((path) => !isReadOnly(path))
		.map((path) => ["--bind", path, path]);
}

async function protectParts({ path, parts, complete }: GitDirectory, told: Protected): Promise<Mount[]> {
	const mounts = await Promise.all(
		[...parts].map(async ([name, { isLink }]): Promise<Mount[]> => {
			const part = join(path, name);
			return isLink ? protectTarget(part, path, told) : [["--ro-bind-try", part, part]];
		}),
	);
	const hooks = join(path, "hooks");
	const opens = !parts.has("hooks") && !parts.has("commondir") && (complete || told.isOwn(path));
	return [
		...mounts.flat(),
		...(opens
			? [
					["--tmpfs", hooks],
					["--remount-ro", hooks],
				]
			: []),
	];
}

/** Makes the target of a link read only, because nothing can be mounted on a link. The link is checked afterwards. */
async function protectTarget(link: string, gitDirectory: string, told: Protected): Promise<Mount[]> {
	const real = await ifThere(realpath(link));
	if (real === undefined || !told.isOpen(real) || isWithin(gitDirectory, real)) return [];
	const stats = await ifThere(lstat(real));
	return stats?.isDirectory() || stats?.isFile() ? [["--ro-bind-try", real, real]] : [];
}

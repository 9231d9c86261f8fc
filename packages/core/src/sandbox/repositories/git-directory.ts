import { constants } from "node:fs";
import { lstat, open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ifThere } from "../bubblewrap/if-there.ts";

/** Parts that name programs, or files in which git looks for such names. */
export const steering = ["hooks", "config", "config.worktree", "commondir"] as const;
export type Steering = (typeof steering)[number];

/** Longer than any path: https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const POINTER_BYTES = 8 * 1024;
/** Maximum of hooks that are read one by one. */
const MAX_HOOKS = 200;

/** What git takes for a repository, or for the part of one that belongs to a submodule or a working tree. */
export interface GitDirectory {
	/** Real. */
	readonly path: string;
	/** Device and inode, which stay the same when the directory is renamed. */
	readonly id: string;
	/** Time of its creation; 0 if the file system does not record it. */
	readonly bornMs: number;
	/** Whether git would take it for one as it is. */
	readonly complete: boolean;
	/** Those that are there. */
	readonly parts: ReadonlyMap<Steering, Part>;
}

export interface Part {
	readonly isLink: boolean;
	/** Changes with every change of the part. It includes `ctime`, which no command can set. */
	readonly print: string;
}

/** Reads a repository; undefined if there is no directory. */
export async function readGitDirectory(path: string): Promise<GitDirectory | undefined> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return undefined;
	const states = await Promise.all(
		steering.map(async (name) => {
			const part = await readPart(join(path, name));
			return part ? [[name, part] as const] : [];
		}),
	);
	return {
		...{ path, id: `${stats.dev}:${stats.ino}`, bornMs: stats.birthtimeMs },
		complete: (await ifThere(lstat(join(path, "HEAD")))) !== undefined,
		parts: new Map(states.flat()),
	};
}

async function readPart(path: string): Promise<Part | undefined> {
	const own = await ifThere(lstat(path));
	if (!own) return undefined;
	const isLink = own.isSymbolicLink();
	const link = isLink ? ((await ifThere(readlink(path))) ?? "") : "";
	const names = (await ifThere(stat(path)))?.isDirectory() ? ((await ifThere(readdir(path))) ?? []) : [];
	// For more hooks, the times of their directory stand for them.
	const inner = names.length > MAX_HOOKS ? ["."] : names.filter((name) => !name.endsWith(".sample"));
	const prints = await Promise.all((names.length > 0 ? inner : ["."]).map((name) => printOf(path, name)));
	return { isLink, print: [link, ...prints].join("\n") };
}

async function printOf(directory: string, name: string): Promise<string> {
	const path = join(directory, name);
	const stats = await ifThere(stat(path, { bigint: true })).then(
		(there) => there ?? ifThere(lstat(path, { bigint: true })),
	);
	if (!stats) return name;
	const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
	return [name, dev, ino, mode, size, mtimeNs, ctimeNs].join(":");
}

/** Whether git takes a directory with these entries for a repository: https://git-scm.com/docs/gitrepository-layout */
export function isGitShaped(names: { has(name: string): boolean }): boolean {
	return names.has("HEAD") && ((names.has("objects") && names.has("refs")) || names.has("commondir"));
}

/** The real path that a `.git`, or the `commondir` of a repository, leads to; undefined where that is nothing. */
export async function followPointer(path: string, prefix: string): Promise<string | undefined> {
	const real = await ifThere(realpath(path));
	if (real === undefined) return undefined;
	const text = await readStart(real, POINTER_BYTES);
	if (!text?.startsWith(prefix)) return undefined;
	const target = text.slice(prefix.length).replace(/[\r\n]+$/, "");
	return target.includes("\0") ? undefined : await ifThere(realpath(resolve(dirname(path), target)));
}

/** Beginning of a plain file as text; undefined for anything else. Does not wait for the writer of a named pipe. */
export async function readStart(path: string, bytes: number): Promise<string | undefined> {
	const file = await ifThere(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
	if (!file) return undefined;
	try {
		if (!(await file.stat()).isFile()) return undefined;
		const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
		return buffer.toString("utf8", 0, bytesRead);
	} finally {
		await file.close();
	}
}

/** Whether a directory holds hooks other than examples. */
export async function hasHooks(path: string): Promise<boolean> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return stats !== undefined;
	const names = await ifThere(readdir(path));
	return names === undefined || names.some((name) => !name.endsWith(".sample"));
}

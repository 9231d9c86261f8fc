import { constants } from "node:fs";
import { lstat, open, readdir, readlink, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ifThere } from "../if-there.ts";

/** Parts that name programs, or say where git looks for such names. All else is what git writes every day. */
export const steering = ["hooks", "config", "config.worktree", "commondir"] as const;
export type Steering = (typeof steering)[number];

/** Longer than any path: https://man7.org/linux/man-pages/man7/path_resolution.7.html */
const POINTER_BYTES = 8 * 1024;

/** What git takes for a repository, or for the part of one that belongs to a submodule or a working tree. */
export interface GitDirectory {
	/** Real. */
	readonly path: string;
	/** The same directory under whatever name: device and inode. */
	readonly id: string;
	/** When it was made; 0 where the file system does not say. */
	readonly bornMs: number;
	/** Whether git would take it for one as it is. */
	readonly complete: boolean;
	/** Those that are there; of a link where it leads. */
	readonly parts: ReadonlyMap<Steering, "there" | `link ${string}`>;
}

/** Undefined where there is no directory. */
export async function readGitDirectory(path: string): Promise<GitDirectory | undefined> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return undefined;
	const states = await Promise.all(
		steering.map(async (name) => {
			const part = await ifThere(lstat(join(path, name)));
			if (!part) return [];
			if (!part.isSymbolicLink()) return [[name, "there"] as const];
			return [[name, `link ${(await ifThere(readlink(join(path, name)))) ?? ""}`] as const];
		}),
	);
	return {
		...{ path, id: `${stats.dev}:${stats.ino}`, bornMs: stats.birthtimeMs },
		complete: (await ifThere(lstat(join(path, "HEAD")))) !== undefined,
		parts: new Map(states.flat()),
	};
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

/** The beginning of a plain file as text; undefined of all else. Nobody is waited for at the other end of a pipe. */
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

/** Whether a directory of hooks holds any but examples. */
export async function hasHooks(path: string): Promise<boolean> {
	const stats = await ifThere(lstat(path));
	if (!stats?.isDirectory()) return stats !== undefined;
	const names = await ifThere(readdir(path));
	return names === undefined || names.some((name) => !name.endsWith(".sample"));
}

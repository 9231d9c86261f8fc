import { statSync } from "node:fs";

/**
 * Runs work with the permissions of the directory's owner, if this process is root and the owner is not. New files then
 * belong to the owner, and a link that the owner made cannot open another user's file. Meanwhile, the process must do
 * no other work.
 */
export async function asOwner<T>(directory: string, work: () => T | Promise<T>): Promise<T> {
	const { uid, gid } = statSync(directory);
	if (process.geteuid?.() !== 0 || uid === 0) return await work();
	const groups = process.getgroups?.() ?? [];
	process.setgroups?.([gid]);
	process.setegid?.(gid);
	process.seteuid?.(uid);
	try {
		return await work();
	} finally {
		process.seteuid?.(0);
		process.setegid?.(0);
		process.setgroups?.(groups);
	}
}

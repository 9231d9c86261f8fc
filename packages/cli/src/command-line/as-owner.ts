import { statSync } from "node:fs";

/**
 * Runs `work`. If this process is root and the directory's owner is not root, `work` has the permissions of the
 * owner. New files then belong to the owner, and a link of the owner cannot lead to a file that the owner may not
 * open. Until `work` has ended, the process must do no other work.
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

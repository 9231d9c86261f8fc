import { homedir, userInfo } from "node:os";

interface Account {
	readonly username: string;
	readonly uid: number;
	readonly gid: number;
}

/**
 * Returns the account of this process. Its name is `user` if /etc/passwd lacks the user id, for example with
 * `runAsUser` of Kubernetes. `userInfo` then throws: https://nodejs.org/api/os.html#osuserinfooptions
 */
export function ownAccount(): Account {
	try {
		return userInfo();
	} catch {
		return { username: "user", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
	}
}

/**
 * Returns the home directory of this process. If neither HOME nor /etc/passwd contains it, returns `/`, as login(1)
 * does.
 */
export function homeDirectory(): string {
	try {
		return homedir();
	} catch {
		return "/";
	}
}

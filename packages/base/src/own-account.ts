import { homedir, userInfo } from "node:os";

interface Account {
	readonly username: string;
	readonly uid: number;
	readonly gid: number;
}

/**
 * Returns the account of this process. If /etc/passwd does not contain the user id, for example with `runAsUser` in
 * Kubernetes, the name is `user`, because `userInfo` throws: https://nodejs.org/api/os.html#osuserinfooptions
 */
export function ownAccount(): Account {
	try {
		return userInfo();
	} catch {
		return { username: "user", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
	}
}

/**
 * Returns the home directory of this process. Returns `/`, as login(1) does, if neither HOME nor /etc/passwd contains a
 * home directory.
 */
export function homeDirectory(): string {
	try {
		return homedir();
	} catch {
		return "/";
	}
}

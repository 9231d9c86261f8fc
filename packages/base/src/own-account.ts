import { homedir, userInfo } from "node:os";

interface Account {
	readonly username: string;
	readonly uid: number;
	readonly gid: number;
}

/**
 * The account that this process runs as. Containers run programs with numbers that have no entry in /etc/passwd, for
 * example with `runAsUser` of Kubernetes. `userInfo` then throws: https://nodejs.org/api/os.html#osuserinfooptions
 */
export function ownAccount(): Account {
	try {
		return userInfo();
	} catch {
		return { username: "user", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
	}
}

/** The home directory of this process, or `/`, as login(1) chooses, if neither HOME nor /etc/passwd names one. */
export function homeDirectory(): string {
	try {
		return homedir();
	} catch {
		return "/";
	}
}

import { readdir, readFile, stat } from "node:fs/promises";

/** Variable that names the command to which a process belongs. */
export const MARK_NAME = "PARLEY_CALL";

/** Maximum of rounds. A process can start others while it is killed; a faster one survives. */
const MAX_ROUNDS = 20;

/**
 * Kills every process of this user that was started with this mark in its environment, in any session or group. Only
 * Linux shows environments: https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
 * A process that was started without the mark, or as another user, is not found.
 */
export async function killMarked(mark: string): Promise<void> {
	for (let round = 0; round < MAX_ROUNDS; round += 1) {
		if ((await signalMarked(mark, "SIGKILL")) === 0) return;
	}
}

/** Sends a signal to the same processes once. Resolves with how many there were. */
export async function signalMarked(mark: string, signal: NodeJS.Signals): Promise<number> {
	if (process.platform !== "linux") return 0;
	const found = await findMarked(mark);
	for (const pid of found) send(pid, signal);
	return found.length;
}

async function findMarked(mark: string): Promise<number[]> {
	const entry = `${MARK_NAME}=${mark}`;
	const names = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
	const marked = await Promise.all(
		names.map(async (name) => {
			const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(ignoreUnreadable);
			if (!environment?.split("\0").includes(entry)) return false;
			// A user who can read all processes, such as root, ends only its own.
			const owner = await stat(`/proc/${name}`).catch(ignoreUnreadable);
			return owner?.uid === process.getuid?.();
		}),
	);
	return names.filter((_, index) => marked[index]).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (reason) {
		ignoreUnreadable(reason);
	}
}

/** Ignores errors about processes that ended or belong to another user. */
function ignoreUnreadable(reason: unknown): undefined {
	const code = reason instanceof Error && "code" in reason ? reason.code : undefined;
	if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(String(code))) return undefined;
	throw reason;
}

import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { delay, ParleyError, systemClock } from "@parley/base";
import { lockIn } from "@parley/gateway/data";
import { stopMessages } from "../texts/commands/gateway/stop.ts";
import { isAlive } from "./running-gateway.ts";

/**
 * Maximum milliseconds to wait for the end of a gateway. A gateway ends within 30 s: 25 s for its runs, and 5 s to
 * close its other parts.
 */
const longestMs = 40_000;
const pollMs = 50;

/**
 * Asks the gateway of a data directory to stop, and waits until it ends. Resolves with false if the gateway still
 * runs after 40 s. If this process is root and another user owns the data, that user could have stored the id of
 * another process. The function then rejects with `failed_precondition` unless process `pid` has the lock of the
 * data, or that user may end process `pid`.
 */
export async function endGateway(pid: number, data: string): Promise<boolean> {
	await askToStop(pid, data);
	const end = systemClock.monotonic() + longestMs;
	while (isAlive(pid)) {
		if (systemClock.monotonic() > end) return false;
		await delay(systemClock, pollMs);
	}
	return true;
}

async function askToStop(pid: number, data: string): Promise<void> {
	const { uid, gid } = statSync(data);
	if (process.geteuid?.() !== 0 || uid === 0 || hasLock(pid, data)) {
		process.kill(pid, "SIGTERM");
		return;
	}
	const { askToEndAs } = await import("@parley/core");
	if (await askToEndAs(pid, { uid, gid })) return;
	throw new ParleyError(stopMessages.foreign({ pid, data }), { code: "failed_precondition" });
}

/**
 * Whether the process has the lock file of the data open for writing, as a running gateway has. False on systems
 * other than Linux.
 */
function hasLock(pid: number, data: string): boolean {
	try {
		// The kernel reports real paths, so a link to the lock of another data directory does not match.
		const lock = lockIn(realpathSync(data));
		return readdirSync(`/proc/${pid}/fd`).some((fd) => isOpenForWriting(pid, fd, lock));
	} catch {
		// The process or the lock file does not exist or cannot be read, or the system has no /proc.
		return false;
	}
}

function isOpenForWriting(pid: number, fd: string, path: string): boolean {
	try {
		if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== path) return false;
		// The flags are octal, and 2 is O_RDWR: https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html
		return /^flags:\s*\d*2$/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"));
	} catch {
		// The file was closed in the meantime, or this process may not read its flags.
		return false;
	}
}

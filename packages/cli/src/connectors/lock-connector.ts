import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { type DataLock, lockDataDirectory } from "@parley/gateway";
import { connectorRunTexts } from "../texts/connectors/run.ts";

/** SQLite's error code if another process has the lock: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Locks a data directory for the connector of a platform, because two connectors on one database would post
 * twice. Throws `unavailable` if another connector is running or the disk is full, and `failed_precondition`
 * if the directory is not writable.
 */
export function lockConnector(data: string, platform: string): DataLock {
	const lock = lockIfStopped(data, platform);
	if (lock !== undefined) return lock;
	const owner = ownerOf(join(directoryOf(data, platform), "run", "lock.pid"));
	const message = connectorRunTexts.alreadyRunning({ platform, data, owner });
	throw new ParleyError(message, { code: "unavailable" });
}

/** Locks the directory like `lockConnector`, but returns undefined if the connector is running. */
export function lockIfStopped(data: string, platform: string): DataLock | undefined {
	try {
		return lockDataDirectory(directoryOf(data, platform));
	} catch (reason) {
		if (isLocked(reason)) return undefined;
		throw reason;
	}
}

function directoryOf(data: string, platform: string): string {
	return join(data, "connectors", platform);
}

function isLocked(reason: unknown): boolean {
	const cause = reason instanceof ParleyError ? reason.cause : undefined;
	return cause instanceof Error && "errcode" in cause && (Number(cause.errcode) & 0xff) === SQLITE_BUSY;
}

/** Returns the process id of the lock's owner in parentheses, or "" if it is unknown. */
function ownerOf(file: string): string {
	try {
		const pid = readFileSync(file, "utf8");
		return pid === "" ? "" : ` (process ${pid})`;
	} catch {
		return "";
	}
}

import { rm } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { type DataLock, isBusy, lockDataDirectory } from "@parley/gateway";
import { upgradeErrors as texts } from "../texts/upgrade.ts";
import { findJournal, type NamedPackage, placesOf } from "./upgrade-journal.ts";

/**
 * Locks an installation, so that only one process changes it at a time. The system releases the lock if the process
 * ends. Throws `failed_precondition` if the installation cannot be locked.
 */
export function lockWork(installation: NamedPackage): DataLock {
	const { work: directory } = placesOf(installation);
	try {
		return lockDataDirectory(directory);
	} catch (cause) {
		const { cause: fault } = ParleyError.from(cause);
		const reason = fault instanceof Error ? fault.message : String(cause);
		const message = isBusy(fault) ? texts.busy : texts.noLock({ directory, reason });
		throw new ParleyError(message, { code: "failed_precondition", cause });
	}
}

/** Removes the directory of a finished upgrade, and releases the lock. */
export async function unlockWork(lock: DataLock, installation: NamedPackage): Promise<void> {
	const { work } = placesOf(installation);
	if (!(await findJournal(installation))) await rm(work, { recursive: true, force: true });
	lock.release();
}

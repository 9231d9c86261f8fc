import { readFile } from "node:fs/promises";
import type { Clock, Store } from "@parley/base";
import type { ConnectorDatabase } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";

export interface MachineStart {
	/** Random id of the start: proc_sys_kernel(5), `random/boot_id`. */
	readonly boot: string;
	/** Time of the start by the wall clock, in milliseconds since the epoch. Changes if the clock is set. */
	readonly bootedAt: number;
}

/**
 * A larger difference between two values of `bootedAt`, in milliseconds, shows a change of the clock. The limit is
 * far below the time for which a platform refuses duplicates.
 */
const toleranceMs = 2000;

/**
 * Reads the last start of the machine; undefined if the system does not report it, for example outside of Linux. `now`
 * returns the time of the wall clock in milliseconds since the epoch.
 */
export async function readMachineStart(now: () => number): Promise<MachineStart | undefined> {
	try {
		const [boot, uptime] = await Promise.all([
			readFile("/proc/sys/kernel/random/boot_id", "utf8"),
			// This uptime does not follow the wall clock, unlike the uptime of other systems: proc_uptime(5).
			readFile("/proc/uptime", "utf8"),
		]);
		return { boot: boot.trim(), bootedAt: now() - Number.parseFloat(uptime) * 1000 };
	} catch {
		// The system is not Linux, or a container hides these files.
		return undefined;
	}
}

/**
 * Deletes the send times of open posts if the machine was restarted or its clock was set. Also deletes them if the
 * present or the last known start is unknown. Send times come from the wall clock, so they are not comparable after a
 * change. Without them, the outbox looks up the posts instead of sending them again (decision 061).
 */
export async function checkSendTimes(
	{ store, storedValue }: ConnectorDatabase,
	clock: { readonly now: Clock["now"] },
	read: typeof readMachineStart = readMachineStart,
): Promise<void> {
	const stored = storedValue<MachineStart>("clock");
	const [before, now] = [await stored.load(), await read(() => clock.now())];
	if (before && now && isSame(before, now)) return;
	await forgetSendTimes(store);
	await stored.save(now);
}

function isSame(before: MachineStart, now: MachineStart): boolean {
	return before.boot === now.boot && Math.abs(before.bootedAt - now.bootedAt) <= toleranceMs;
}

async function forgetSendTimes(store: Store<ConnectorTables>): Promise<void> {
	await store.commit((tx) =>
		tx.updateTable("outbox").set({ sent_at: null }).where("state", "in", ["attempted", "unknown"]).execute(),
	);
}

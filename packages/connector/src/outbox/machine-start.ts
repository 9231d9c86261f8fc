import { readFile } from "node:fs/promises";
import type { Clock, Store } from "@parley/base";
import type { ConnectorDatabase } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";

/** A start of the machine, and the wall clock relative to it. */
export interface MachineStart {
	/** Random id of the start: proc_sys_kernel(5), `random/boot_id`. */
	readonly boot: string;
	/** Time of the start by the wall clock, in milliseconds since the epoch. Changes if the clock is set. */
	readonly bootedAt: number;
}

/** Maximum difference without a clock change. It is far below the time for which a platform refuses a second post. */
const toleranceMs = 2000;

/** Reads the present mark. Undefined on systems other than Linux. `now` is the wall clock. */
export async function readMachineStart(now: () => number): Promise<MachineStart | undefined> {
	try {
		const [boot, uptime] = await Promise.all([
			readFile("/proc/sys/kernel/random/boot_id", "utf8"),
			// Unlike the uptime of other systems, it does not follow the wall clock: proc_uptime(5).
			readFile("/proc/uptime", "utf8"),
		]);
		return { boot: boot.trim(), bootedAt: now() - Number.parseFloat(uptime) * 1000 };
	} catch {
		// Another system, or a container that hides them.
		return undefined;
	}
}

/**
 * Forgets the send times of open posts, which are times of the wall clock, unless the machine and its clock have run on
 * since the last start. The outbox then looks such a post up instead of sending it again (decision 061).
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

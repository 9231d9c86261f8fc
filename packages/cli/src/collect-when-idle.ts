import type { Clock, Timer } from "@parley/base";

/** How often a process looks at itself, and the share of one core above which it is at work. */
const LOOK_MS = 15_000;
const WORKING_SHARE = 0.03;

interface IdleOptions {
	readonly clock: Clock;
	/** Collects all garbage and gives free memory back. Undefined where Node was started without `--expose-gc`. */
	readonly collect?: (() => Promise<void>) | undefined;
	/** Microseconds of CPU that the process has used so far. */
	readonly cpu?: () => number;
}

/**
 * Collects all garbage once after each time of work, as soon as the process is idle. V8 does so only when it needs
 * memory: a process without work keeps what its busiest minute took. A collection takes some 40 ms of CPU.
 */
export function collectWhenIdle({ clock, collect = collectAll(), cpu = ownCpu }: IdleOptions): Timer {
	if (!collect) return { cancel: () => undefined };
	let before = cpu();
	let hasWorked = true;
	let timer = clock.after(LOOK_MS, look);

	function look(): void {
		timer = clock.after(LOOK_MS, look);
		const used = cpu() - before;
		before += used;
		const isWorking = used > LOOK_MS * 1_000 * WORKING_SHARE;
		if (!isWorking && hasWorked) void collect?.();
		hasWorked = isWorking;
	}

	return { cancel: () => timer.cancel() };
}

function collectAll(): IdleOptions["collect"] {
	const { gc } = globalThis;
	// Any other flavor keeps the free pages.
	return gc && (() => gc({ type: "major", execution: "async", flavor: "last-resort" }));
}

function ownCpu(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

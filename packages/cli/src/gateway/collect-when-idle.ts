import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "@parley/base";

/** Interval of the check, and the share of one core above which the process is busy. */
const LOOK_MS = 15_000;
const WORKING_SHARE = 0.03;
/** Delay until the options of V8 are set: the start is complete, and the heap has not grown yet. */
const SETTLE_MS = 1_000;

/** Percent by which the heap grows between two collections; the default is 300. An option of V8 that Node does not document. */
const HEAP_OPTION = "--heap-growing-percent=40";

interface IdleOptions {
	readonly clock: Clock;
	/** Sets the memory options of V8. Returns a function that collects all garbage and releases free memory. */
	readonly settle?: () => () => Promise<void>;
	/** Microseconds of CPU that the process has used so far. */
	readonly cpu?: () => number;
}

/**
 * Makes the heap of a long-lived process grow slowly, from 1 s after its start. Collects all garbage once after each busy
 * period, when the process is idle. V8 collects only when it needs memory, so an idle process would keep the memory of its
 * busiest minute. A collection takes about 40 ms of CPU.
 */
export function collectWhenIdle({ clock, settle = useLessMemory, cpu = ownCpu }: IdleOptions): Timer {
	let before = cpu();
	let hasWorked = true;
	let collect: (() => Promise<void>) | undefined;
	let timer = clock.after(SETTLE_MS, () => {
		collect = settle();
		// V8 computes the next limit of its heap at a collection. The limit of the start is four times the live heap at that
		// time, and V8 keeps most pages of a large heap.
		void collect();
		timer = clock.after(LOOK_MS - SETTLE_MS, checkIdle);
	});

	function checkIdle(): void {
		timer = clock.after(LOOK_MS, checkIdle);
		const used = cpu() - before;
		before += used;
		const isWorking = used > LOOK_MS * 1_000 * WORKING_SHARE;
		if (!isWorking && hasWorked) void collect?.();
		hasWorked = isWorking;
	}

	return { cancel: () => timer.cancel() };
}

/**
 * Sets the options of V8 that would slow down a start: with them, V8 rejects the compiled code of Node's own modules, and a
 * start takes 60 ms more CPU.
 */
export function useLessMemory(): () => Promise<void> {
	if (!process.execArgv.some((option) => /^--heap[-_]growing[-_]percent/.test(option))) {
		// V8 reads it at each collection. If V8 does not know the option, it only prints an error.
		setFlagsFromString(HEAP_OPTION);
	}
	setFlagsFromString("--expose-gc");
	// True because a context that is made after the option has the function: https://nodejs.org/api/globals.html#gc
	const gc = runInNewContext("gc") as NodeJS.GCFunction;
	// Any other flavor does not return the free pages.
	return () => gc({ type: "major", execution: "async", flavor: "last-resort" });
}

function ownCpu(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

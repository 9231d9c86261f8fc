import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "@parley/base";

/** Milliseconds between two checks, and the share of one core above which the process is busy. */
const CHECK_INTERVAL_MS = 15_000;
const WORKING_SHARE = 0.03;
/**
 * Milliseconds from the call of `collectWhenIdle` until the V8 options are set. By then, the start is complete, and
 * the heap has not grown yet.
 */
const SETTLE_MS = 1_000;

/**
 * Percentage by which the heap may grow between two collections. V8's default is 300. Node does not document
 * this option.
 */
const HEAP_OPTION = "--heap-growing-percent=40";

interface IdleOptions {
	readonly clock: Clock;
	/** Sets V8's memory options. Returns a function that collects all garbage and releases free memory. */
	readonly settle?: () => () => Promise<void>;
	/** Returns the CPU time that the process has used so far, in microseconds. */
	readonly cpu?: () => number;
}

/**
 * Makes the heap of a long-lived process grow slowly, from 1 s after this call. After each busy period, collects all
 * garbage once, when the process is idle. V8 collects only when it needs memory, so an idle process would otherwise
 * keep the memory of its busiest minute. A collection takes about 40 ms of CPU time.
 */
export function collectWhenIdle({ clock, settle = useLessMemory, cpu = ownCpu }: IdleOptions): Timer {
	let before = cpu();
	let hasWorked = true;
	let collect: (() => Promise<void>) | undefined;
	let timer = clock.after(SETTLE_MS, () => {
		collect = settle();
		// V8 applies the option to the limit of its heap only at a collection. The first limit is four times the
		// live heap, and V8 keeps most pages of a heap that has grown.
		void collect();
		timer = clock.after(CHECK_INTERVAL_MS - SETTLE_MS, checkIdle);
	});

	function checkIdle(): void {
		timer = clock.after(CHECK_INTERVAL_MS, checkIdle);
		const used = cpu() - before;
		before += used;
		const isWorking = used > CHECK_INTERVAL_MS * 1_000 * WORKING_SHARE;
		if (!isWorking && hasWorked) void collect?.();
		hasWorked = isWorking;
	}

	return { cancel: () => timer.cancel() };
}

/**
 * Sets V8 options, and returns a function that collects all garbage. With these options during a start, V8 would
 * reject the compiled code of Node's modules, which costs 60 ms.
 */
export function useLessMemory(): () => Promise<void> {
	if (!process.execArgv.some((option) => /^--heap[-_]growing[-_]percent/.test(option))) {
		// V8 reads this option at each collection. A V8 version without the option only prints an error.
		setFlagsFromString(HEAP_OPTION);
	}
	setFlagsFromString("--expose-gc");
	// The cast is safe because a context that is created after the option contains the function:
	// https://nodejs.org/api/globals.html#gc
	const gc = runInNewContext("gc") as NodeJS.GCFunction;
	// Only this flavor returns the free pages to the operating system.
	return () => gc({ type: "major", execution: "async", flavor: "last-resort" });
}

function ownCpu(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

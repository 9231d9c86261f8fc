import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock, Timer } from "@parley/base";

/** How often a process looks at itself, and the share of one core above which it is at work. */
const LOOK_MS = 15_000;
const WORKING_SHARE = 0.03;
/** When the options of V8 are set: the start is over, and little was done yet with which the heap could grow. */
const SETTLE_MS = 1_000;

/** Percent by which the heap grows between two collections; the default is 300. An option of V8 that Node does not document. */
const HEAP_OPTION = "--heap-growing-percent=40";

interface IdleOptions {
	readonly clock: Clock;
	/** Sets how V8 uses memory, and returns a function that collects all garbage and gives free memory back. */
	readonly settle?: () => () => Promise<void>;
	/** Microseconds of CPU that the process has used so far. */
	readonly cpu?: () => number;
}

/**
 * Lets the heap of a long-lived process grow slowly, 1 s after its start, and collects all garbage once after each time of
 * work, as soon as the process is idle. V8 does so only when it needs memory: a process without work keeps what its busiest
 * minute took. A collection takes some 40 ms of CPU.
 */
export function collectWhenIdle({ clock, settle = useLessMemory, cpu = ownCpu }: IdleOptions): Timer {
	let before = cpu();
	let hasWorked = true;
	let collect: (() => Promise<void>) | undefined;
	let timer = clock.after(SETTLE_MS, () => {
		collect = settle();
		// V8 computes the next limit of its heap at a collection. The limit of the start is four times what was alive then, and
		// V8 keeps most pages of a heap that was once so large.
		void collect();
		timer = clock.after(LOOK_MS - SETTLE_MS, look);
	});

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

/**
 * Sets the options of V8 that must not be there at a start: with them, V8 refuses the code of Node's own modules that comes
 * compiled with Node, and a start takes 60 ms more of CPU.
 */
export function useLessMemory(): () => Promise<void> {
	if (!process.execArgv.some((option) => /^--heap[-_]growing[-_]percent/.test(option))) {
		// V8 reads it at each collection. If V8 does not know it, it prints an error and nothing else happens.
		setFlagsFromString(HEAP_OPTION);
	}
	setFlagsFromString("--expose-gc");
	// True because a context that is made after the option has the function: https://nodejs.org/api/globals.html#gc
	const gc = runInNewContext("gc") as NodeJS.GCFunction;
	// Any other flavor keeps the free pages.
	return () => gc({ type: "major", execution: "async", flavor: "last-resort" });
}

function ownCpu(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

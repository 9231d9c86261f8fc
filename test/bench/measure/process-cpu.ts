import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the milliseconds of CPU time of all live threads of a process. Unlike the wall clock, this value is
 * hardly affected by other processes. Source: /proc/PID/schedstat,
 * https://docs.kernel.org/scheduler/sched-stats.html
 */
export function processCpu(pid: number | undefined): number {
	const threads = readdirSync(`/proc/${pid}/task`);
	const nanoseconds = threads.map((thread) =>
		Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
	);
	return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

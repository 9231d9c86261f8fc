import { readdirSync, readFileSync } from "node:fs";

/**
 * Milliseconds of CPU time that all threads of a process have used so far. Other processes on the same cores affect
 * this value less than the wall clock. Source: /proc/PID/schedstat, https://docs.kernel.org/scheduler/sched-stats.html
 */
export function processCpu(pid: number | undefined): number {
	const threads = readdirSync(`/proc/${pid}/task`);
	const nanoseconds = threads.map((thread) =>
		Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
	);
	return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

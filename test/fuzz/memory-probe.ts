import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/**
 * Preloaded into the gateway process. On SIGUSR2, collects garbage, and writes the memory and the numbers of timers and
 * file descriptors to stderr. Requires `--expose-gc`.
 */
process.on("SIGUSR2", async () => {
	// Finalizers run after a collection and may release further memory.
	for (let round = 0; round < 3; round++) {
		gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
		await setImmediate();
	}
	const { rss, heapUsed } = process.memoryUsage();
	const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
	const descriptors = readdirSync("/proc/self/fd").length;
	process.stderr.write(`probe ${JSON.stringify({ rss, heapUsed, timers, descriptors })}\n`);
});

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Serves `startServer` in the started process: sends `port`, then handles `cpu`, `memory` and `stop`. Exits when the
 * bench exits, so that the process does not disturb later benches.
 */
export function answerParent(port: number, stop: () => Promise<void>): void {
	process.on("message", (message) => {
		if (message === "cpu") {
			const { user, system } = process.cpuUsage();
			process.send?.(user + system);
		}
		if (message === "memory") void residentBytes().then((bytes) => process.send?.(bytes));
		if (message === "stop") void stop().then(() => process.disconnect());
	});
	process.once("disconnect", () => process.exit());
	process.send?.(port);
}

async function residentBytes(): Promise<number> {
	setFlagsFromString("--expose-gc");
	const collect: unknown = runInNewContext("gc");
	if (typeof collect !== "function") throw new Error("garbage cannot be collected");
	// Finalizers run in the event loop and release more memory.
	for (let pass = 0; pass < 3; pass++) {
		// The `last-resort` flavor also returns memory to the operating system.
		collect({ type: "major", execution: "sync", flavor: "last-resort" });
		await new Promise((resolve) => setImmediate(resolve));
	}
	return process.memoryUsage.rss();
}

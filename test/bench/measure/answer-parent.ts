import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * The server's side of `startServer`: sends the port, then answers `cpu`, `memory` and `stop`. A server whose bench is gone
 * ends, because it would disturb later benches.
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

/** What the process holds once garbage is gone. What finalizers let go is gone only after they have had a turn. */
async function residentBytes(): Promise<number> {
	setFlagsFromString("--expose-gc");
	const collect: unknown = runInNewContext("gc");
	if (typeof collect !== "function") throw new Error("garbage cannot be collected");
	for (let pass = 0; pass < 3; pass++) {
		// Gives back to the system what it can, which V8 does by itself when a process has been idle for long.
		collect({ type: "major", execution: "sync", flavor: "last-resort" });
		await new Promise((resolve) => setImmediate(resolve));
	}
	return process.memoryUsage.rss();
}

import { type Check, ok, warn } from "../finding.ts";

/** Whether one runs is no fault either way. */
export const gateway: Check = {
	id: "gateway",
	async look({ gateway: running, health, data }) {
		if (!running) return ok(`none runs on ${data}`);
		if (running.health === "draining") return warn("it is stopping", "wait, then run parley start");
		const storage = health?.storage?.state ?? "ok";
		const runs = `runs as process ${running.pid}: ${running.urls.join(", ")}`;
		if (running.health === "ok") return ok(runs);
		// That has a check of its own.
		if (storage === "ok" && health?.policy?.state === "broken") return ok(`${runs}; its rules are broken`);
		const why = storage === "ok" ? "" : `: its storage is ${storage}`;
		return warn(`runs, but is degraded${why}`, "parley status says what is wrong");
	},
};

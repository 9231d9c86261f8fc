import { type Check, ok, warn } from "../finding.ts";

/** Whether one runs is no fault either way. */
export const gateway: Check = {
	id: "gateway",
	async look({ gateway: running, health, data }) {
		if (!running) return ok(`none runs on ${data}`);
		if (running.health === "draining") return warn("it is stopping", "wait, then run parley start");
		const storage = health?.storage?.state;
		if (running.health === "ok") return ok(`runs as process ${running.pid}: ${running.urls.join(", ")}`);
		const why = storage !== undefined && storage !== "ok" ? `: its storage is ${storage}` : "";
		const rules = health?.policy?.state === "broken" ? ": its policy is broken" : why;
		return warn(`runs, but is degraded${rules}`, "parley status says what is wrong");
	},
};

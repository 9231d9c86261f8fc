import { llamaWords } from "../../gateway-health.ts";
import { type Check, type Found, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Whether the local model server runs, or could be started. */
export const llama: Check = {
	id: "llama",
	async look(system) {
		const { config, health } = system;
		if (config instanceof Error) return ok("unknown while the configuration is not valid");
		if (!config.llama) return ok("no local model server is configured");
		const { command, endpoint } = config.llama;
		if (health?.llama) return judge(health.llama);
		if (command !== undefined && !(await system.program(command))) {
			return fail(
				`llama.command ${JSON.stringify(command)} is no program that this user may execute`,
				"install llama.cpp, or write the path of its llama-server",
			);
		}
		const starts = command !== undefined && !system.gateway;
		return ok(`${endpoint}${starts ? " is started by the gateway" : " is run by the operator"}`);
	},
};

function judge(report: NonNullable<NonNullable<System["health"]>["llama"]>): Found {
	const words = llamaWords(report);
	if (report.state === "pausing") {
		return fail(
			words,
			"mend what the reason says; parley gateway --log-level debug prints the output of the server",
		);
	}
	if (report.tokens === "estimated")
		return warn(words, `ask ${report.endpoint}/tokenize: it must count tokens`);
	return ok(words);
}

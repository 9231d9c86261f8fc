import { type Check, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Whether the server of the models answers; no tokens are spent on that. */
export const model: Check = {
	id: "model",
	async look(system) {
		const { config, provider, gateway, health } = system;
		if (health?.provider?.state === "failing") {
			const { reason = "its calls fail" } = health.provider;
			return fail(`the gateway's calls fail: ${reason}`, "parley status shows since when");
		}
		if (config instanceof Error) return ok("not known as long as the configuration is not valid");
		if (config.llama?.command !== undefined && !gateway)
			return ok("the local model server starts with the gateway");
		const answer = await provider();
		if (!answer) return offline(system);
		const { url } = answer;
		const { host } = new URL(url);
		if (!answer.reached) {
			return fail(
				`${host} cannot be reached: ${answer.reason}`,
				`curl -I ${url} shows why; a firewall, a proxy or the name server may be in the way`,
			);
		}
		const { status } = answer;
		if (status === 401 || status === 403) {
			if (gateway && config.apiKey === undefined) return ok(`${host} answers; this shell has no key to try`);
			return fail(
				`${host} refuses the key (${status})`,
				"set ANTHROPIC_API_KEY to a valid one, and start again",
			);
		}
		if (status >= 500) return warn(`${host} answers with ${status}`, "wait: the fault is on the other side");
		return ok(`${host} answers`);
	},
};

function offline({ config }: System) {
	const noKey = !(config instanceof Error) && config.providerReason === "no key";
	return ok(
		noKey ? "the offline assistant answers: no ANTHROPIC_API_KEY is set" : "the offline assistant answers",
	);
}

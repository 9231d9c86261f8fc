import { tiers } from "@parley/core";
import type { Config } from "@parley/gateway";
import { llamaWords } from "../../client/gateway-health.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { visibleLine } from "../../text/visible.ts";
import { type Check, configInvalid, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Checks whether the model server answers. Uses no tokens. */
export const model: Check = {
	id: "model",
	async examine(system) {
		const { config, provider, gateway, health } = system;
		if (health?.provider?.state === "failing") {
			const { reason = "its calls fail" } = health.provider;
			return fail(
				`the gateway's calls fail: ${reason}`,
				"`parley status` shows the time of the first failure",
			);
		}
		if (config instanceof Error) return ok(configInvalid);
		if (config.llama?.command !== undefined && !gateway)
			return ok("the local model server starts with the gateway");
		const answer = await provider();
		if (!answer) return offline(system);
		const { url } = answer;
		const { host } = new URL(url);
		if (!answer.reached) {
			return fail(
				`cannot reach ${host}: ${answer.reason}`,
				`run \`curl -I ${url}\` to see the reason; check the firewall, the proxy and DNS`,
			);
		}
		const { status } = answer;
		if (status === 401 || status === 403) {
			const { apiKey, keyName = "ANTHROPIC_API_KEY" } = connectionOf(config);
			if (gateway && apiKey === undefined) return ok(`${host} answers; this shell has no key to test`);
			return fail(`${host} rejects the key (${status})`, `set ${keyName} to a valid key, and start again`);
		}
		if (status >= 500) return warn(`${host} answers with ${status}`, "wait: the server has a problem");
		const missing = missingModel(config, answer.models);
		if (missing) return warn(`${host} has no model ${missing.name}`, missing.mend);
		return (await findTrouble(system, config)) ?? ok(`${host} answers${furtherWords(config)}`);
	},
};

const maxNamed = 5;
/** Lists without the names that a request uses: that of Claude has no aliases, that of Azure no deployments. */
const withoutNames: ReadonlySet<string> = new Set(["anthropic", "azure"]);

/** The configured model if the server's list does not have it. */
function missingModel(
	{ provider, model: configured = "standard", connections = [] }: Config,
	listed: readonly string[] = [],
): { readonly name: string; readonly mend: string } | undefined {
	const name = configured.startsWith(`${provider}/`) ? configured.slice(provider.length + 1) : configured;
	const isElsewhere = connections.some((one) => one.name !== provider && name.startsWith(`${one.name}/`));
	const isTier = tiers.some((tier) => tier === name);
	if (listed.length === 0 || withoutNames.has(provider) || isTier || isElsewhere) return undefined;
	// A part after a colon can be a variant that no list has, or the version `latest` that a request leaves out.
	const plain = name.split(":")[0];
	if (listed.some((one) => one === name || one === configured || one === plain || one === `${name}:latest`))
		return undefined;
	const more = listed.length > maxNamed ? ", …" : "";
	const names = listed.slice(0, maxNamed).map(visibleLine).join(", ");
	return {
		name: visibleLine(name),
		mend: `set another model with --model or in the configuration; it has ${names}${more}`,
	};
}

/** Warning about the first further provider that cannot be used. */
async function findTrouble(
	{ provider }: System,
	config: Config,
): Promise<ReturnType<typeof warn> | undefined> {
	for (const { name, apiKey, keyName } of furtherOf(config)) {
		const answer = await provider(name);
		if (!answer) continue;
		if (!answer.reached) {
			return warn(
				`cannot reach the further provider ${name}: ${answer.reason}`,
				`run \`curl -I ${answer.url}\` to see the reason`,
			);
		}
		// Gemini answers 400 to a wrong key.
		if (apiKey === undefined || ![400, 401, 403].includes(answer.status)) continue;
		return warn(
			`the further provider ${name} rejects the key (${answer.status})`,
			`set ${keyName ?? "its key"} to a valid key, or unset it`,
		);
	}
	return undefined;
}

/** The key of the gateway's provider. */
function connectionOf(config: Config): { readonly apiKey?: string; readonly keyName?: string } {
	return config.connections?.find(({ name }) => name === config.provider) ?? config;
}

function furtherOf({ provider, connections = [] }: Config): NonNullable<Config["connections"]> {
	return connections.filter(({ name }) => name !== provider);
}

function furtherWords(config: Config): string {
	const names = furtherOf(config).map(({ name }) => name);
	return names.length === 0 ? "" : `; further providers: ${names.join(", ")}`;
}

function offline({ config }: System) {
	const noKey = !(config instanceof Error) && config.providerReason === "no key";
	return ok(noKey ? "the offline model is used: ANTHROPIC_API_KEY is not set" : "the offline model is used");
}

/** Checks whether the local model server runs or can be started. */
export const llama: Check = {
	id: "llama",
	async examine(system) {
		const { config, health } = system;
		if (config instanceof Error) return ok(configInvalid);
		if (!config.llama) return ok("no local model server is configured");
		const { command, endpoint } = config.llama;
		if (health?.llama) return judge(health.llama);
		if (command !== undefined && !(await system.program(command))) {
			return fail(
				`llama.command ${JSON.stringify(command)} is not a program that this user can run`,
				"install llama.cpp, or set the path of llama-server",
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
			"fix the reported problem; `parley gateway --log-level debug` prints the output of the server",
		);
	}
	if (report.tokens === "estimated")
		return warn(words, `check ${report.endpoint}/tokenize: it must return token counts`);
	return ok(words);
}

/** Problems and changes that are shown; `parley skills` shows all. */
const maxShown = 3;
const recentMs = 7 * 24 * 60 * 60 * 1_000;

/** Checks the skill files of the data directory, and whether a command without a sandbox may have changed them. */
export const skills: Check = {
	id: "skills",
	async examine(system) {
		const { skills: found, problems } = await system.skills();
		if (problems.length > 0) {
			const words = problems.length === 1 ? "a skill file" : `${problems.length} skill files`;
			const shown = listed(problems.map(({ path, message }) => `${path}: ${message}`));
			return warn(`${words} cannot be used: ${shown}`, "fix these files; the next use reads them again");
		}
		const all = found.length === 0 ? "none in the data directory" : `${found.length} in the data directory`;
		return (await recentChanges(system)) ?? ok(all);
	},
};

/** Warning about recently changed skills, if commands of the gateway could have written them. */
async function recentChanges({
	health,
	listedSkills,
	now,
}: System): Promise<ReturnType<typeof warn> | undefined> {
	const { mode, operator } = health?.sandbox ?? {};
	if (mode !== "off" && operator !== "off") return undefined;
	const recent = (await listedSkills()).filter(
		({ changed_at: at }) => at !== undefined && now() - Date.parse(at) < recentMs,
	);
	if (recent.length === 0) return undefined;
	const words = recent.length === 1 ? "a skill" : `${recent.length} skills`;
	const shown = listed(recent.map(({ path, changed_at: at = "" }) => `${visibleLine(path)} (${at})`));
	return warn(
		`commands run without a sandbox, and ${words} of the data directory changed in the last 7 days: ${shown}`,
		"review them with `parley skills show NAME`: an approved command could have written them",
	);
}

function listed(items: readonly string[]): string {
	const more = items.length > maxShown ? [`and ${items.length - maxShown} more`] : [];
	return [...items.slice(0, maxShown), ...more].join("; ");
}

const mend = "fix that line; a running gateway applies the change immediately";

/** Checks the policy of the operator. An invalid policy prevents all tool calls. */
export const policy: Check = {
	id: "policy",
	async examine({ policy: read, health }) {
		if (health?.policy?.state === "broken") {
			return fail(`the gateway denies every call: ${health.policy.reason ?? "its policy is invalid"}`, mend);
		}
		try {
			const file = await read();
			return ok(file === undefined ? "only the built-in rules" : `${file} is valid`);
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			return fail(message, mend);
		}
	},
};

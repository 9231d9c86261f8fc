import { tiers } from "@parley/core";
import type { Config } from "@parley/gateway";
import { llamaWords } from "../../client/gateway-health.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { visibleLine } from "../../text/visible.ts";
import { modelCheckTexts, skillCheckTexts } from "../../texts/doctor/model.ts";
import { type Check, configInvalid, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/**
 * Checks the servers of the configured providers, their keys, and the name of the model. Makes no model call.
 */
export const modelCheck: Check = {
	id: "model",
	async examine(system) {
		const { config, provider, gateway, health } = system;
		if (health?.provider?.state === "failing") {
			const { reason = modelCheckTexts.callsFail } = health.provider;
			return fail(modelCheckTexts.failing({ reason }), modelCheckTexts.failingFix);
		}
		if (config instanceof Error) return ok(configInvalid);
		if (config.llama?.command !== undefined && !gateway) return ok(modelCheckTexts.startsWithGateway);
		const answer = await provider();
		if (!answer) return offline(system);
		const { url } = answer;
		const { host } = new URL(url);
		if (!answer.reached) {
			return fail(
				modelCheckTexts.unreachable({ host, reason: answer.reason }),
				modelCheckTexts.unreachableFix({ url }),
			);
		}
		const { status } = answer;
		if (status === 401 || status === 403) return judgeKey({ host, status }, config, gateway !== undefined);
		if (status >= 500)
			return warn(modelCheckTexts.serverError({ host, status }), modelCheckTexts.serverErrorFix);
		const missing = missingModel(config, answer.models);
		if (missing) return warn(modelCheckTexts.noModel({ host, model: missing.name }), missing.fix);
		return (
			(await findTrouble(system, config)) ??
			ok(modelCheckTexts.answers({ host, further: furtherOf(config).map(({ name }) => name) }))
		);
	},
};

/** Returns the finding for a refused request. The request contained a key only if this shell has the key. */
function judgeKey(
	refusal: { readonly host: string; readonly status: number },
	config: Config,
	hasGateway: boolean,
): Found {
	const connection = connectionOf(config);
	const { provider, llama } = config;
	const usualKey = llama === undefined ? "ANTHROPIC_API_KEY" : "LLAMA_API_KEY";
	const { apiKey, keyName = connection === config ? usualKey : undefined } = connection;
	const { keyMissing, keyMissingFix, keyUnnamedFix, keyRejected, keyRejectedFix, noKeyHere } =
		modelCheckTexts;
	if (apiKey !== undefined)
		return fail(keyRejected(refusal), keyRejectedFix({ keyName: keyName ?? usualKey }));
	if (hasGateway) return ok(noKeyHere(refusal));
	const fix = keyName === undefined ? keyUnnamedFix({ provider }) : keyMissingFix({ keyName });
	return fail(keyMissing(refusal), fix);
}

const maxNamed = 5;
/** Providers that accept names outside their lists of models: aliases at Anthropic, and deployments at Azure. */
const withoutNames: ReadonlySet<string> = new Set(["anthropic", "azure"]);

/** Returns the configured model and a fix if the server's list should contain the model, but does not. */
function missingModel(
	{ provider, model: configured = "standard", connections = [] }: Config,
	listed: readonly string[] = [],
): { readonly name: string; readonly fix: string } | undefined {
	const name = configured.startsWith(`${provider}/`) ? configured.slice(provider.length + 1) : configured;
	const isElsewhere = connections.some((one) => one.name !== provider && name.startsWith(`${one.name}/`));
	const isTier = tiers.some((tier) => tier === name);
	if (listed.length === 0 || withoutNames.has(provider) || isTier || isElsewhere) return undefined;
	// The part after a colon can be a variant that no list contains, or the version `latest`, which a request may omit.
	const plain = name.split(":")[0];
	if (listed.some((one) => one === name || one === configured || one === plain || one === `${name}:latest`))
		return undefined;
	const names = listed.slice(0, maxNamed).map(visibleLine).join(", ");
	return {
		name: visibleLine(name),
		fix: modelCheckTexts.noModelFix({ names, isComplete: listed.length <= maxNamed }),
	};
}

/** Resolves with a warning about the first unusable provider other than the main provider. */
async function findTrouble(
	{ provider }: System,
	config: Config,
): Promise<ReturnType<typeof warn> | undefined> {
	for (const { name, apiKey, keyName } of furtherOf(config)) {
		const answer = await provider(name);
		if (!answer) continue;
		if (!answer.reached) {
			return warn(
				modelCheckTexts.furtherUnreachable({ provider: name, reason: answer.reason }),
				modelCheckTexts.furtherUnreachableFix({ url: answer.url }),
			);
		}
		// Gemini responds with 400 to an invalid key.
		if (apiKey === undefined || ![400, 401, 403].includes(answer.status)) continue;
		return warn(
			modelCheckTexts.furtherKeyRejected({ provider: name, status: answer.status }),
			modelCheckTexts.furtherKeyRejectedFix({ keyName }),
		);
	}
	return undefined;
}

function connectionOf(config: Config): { readonly apiKey?: string; readonly keyName?: string } {
	return config.connections?.find(({ name }) => name === config.provider) ?? config;
}

function furtherOf({ provider, connections = [] }: Config): NonNullable<Config["connections"]> {
	return connections.filter(({ name }) => name !== provider);
}

function offline({ config }: System) {
	const noKey = !(config instanceof Error) && config.providerReason === "no key";
	return ok(noKey ? modelCheckTexts.offlineWithoutKey : modelCheckTexts.offline);
}

/**
 * Checks the local model server: its state in the report of a running gateway, otherwise whether its program exists.
 */
export const llamaCheck: Check = {
	id: "llama",
	async examine(system) {
		const { config, health } = system;
		if (config instanceof Error) return ok(configInvalid);
		if (!config.llama) return ok(modelCheckTexts.noLlama);
		const { command, endpoint } = config.llama;
		if (health?.llama) return judge(health.llama);
		if (command !== undefined && !(await system.program(command))) {
			return fail(
				modelCheckTexts.noLlamaProgram({ command: JSON.stringify(command) }),
				modelCheckTexts.noLlamaProgramFix,
			);
		}
		const starts = command !== undefined;
		return ok(modelCheckTexts[starts ? "llamaStarted" : "llamaOfOperator"]({ url: endpoint }));
	},
};

function judge(report: NonNullable<NonNullable<System["health"]>["llama"]>): Found {
	const words = llamaWords(report);
	if (report.state === "pausing") {
		return fail(words, modelCheckTexts.llamaFailsFix);
	}
	if (report.tokens === "estimated")
		return warn(words, modelCheckTexts.llamaTokensFix({ url: report.endpoint }));
	return ok(words);
}

const maxShown = 3;
const recentMs = 7 * 24 * 60 * 60 * 1_000;

/** Checks the skill files of the data directory, and whether a command without a sandbox may have changed them. */
export const skillsCheck: Check = {
	id: "skills",
	async examine(system) {
		const { skills: found, problems } = await system.skills();
		if (problems.length > 0) {
			const shown = listed(problems.map(({ path, message }) => `${path}: ${message}`));
			return warn(
				skillCheckTexts.invalidFiles({ count: problems.length, shown }),
				skillCheckTexts.invalidFilesFix,
			);
		}
		const all =
			found.length === 0 ? skillCheckTexts.noSkills : skillCheckTexts.skills({ count: found.length });
		return (await recentChanges(system)) ?? ok(all);
	},
};

/** Resolves with a warning about recently changed skills while the gateway's sandbox is off. */
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
	const shown = listed(recent.map(({ path, changed_at: at = "" }) => `${visibleLine(path)} (${at})`));
	return warn(
		skillCheckTexts.recentChanges({ count: recent.length, shown }),
		skillCheckTexts.recentChangesFix,
	);
}

function listed(items: readonly string[]): string {
	const more = items.length > maxShown ? [skillCheckTexts.more({ count: items.length - maxShown })] : [];
	return [...items.slice(0, maxShown), ...more].join("; ");
}

/** Checks the operator's policy. An invalid policy prevents all tool calls. */
export const policyCheck: Check = {
	id: "policy",
	async examine({ policy: read, health }) {
		if (health?.policy?.state === "broken") {
			return fail(
				skillCheckTexts.everyCallDenied({ reason: health.policy.reason }),
				skillCheckTexts.policyFix,
			);
		}
		try {
			const file = await read();
			return ok(file === undefined ? skillCheckTexts.builtInRules : skillCheckTexts.policyValid({ file }));
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			return fail(message, skillCheckTexts.policyFix);
		}
	},
};

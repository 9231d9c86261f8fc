import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { defined, type LogLevel } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import {
	type Budgets,
	billionths,
	type ChatSettings,
	type FileLimits,
	findNearMiss,
	type McpServerSettings,
	type Reasoning,
	type RuntimeOptions,
	type SandboxMode,
	type SearchSettings,
} from "@parley/core";
import type { AuthMode } from "../auth/auth-mode.ts";
import { refuseForeignWriters } from "../data-directory/foreign-writers.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import type { Endpoint } from "../transport/address.ts";
import type { TlsFiles } from "../transport/tls-identity.ts";
import { isNearby, parseBaseUrl } from "./base-url.ts";
import { findLostRoot, readChat, withAbsoluteRoots } from "./chat-settings.ts";
import {
	checkLlama,
	type LlamaSettings,
	modelInArguments,
	readLlama,
	withAbsoluteLlama,
} from "./llama-settings.ts";
import { findLostPath, readMcp, withAbsoluteMcp } from "./mcp-settings.ts";
import { chooseProvider, type ProviderChoice } from "./provider.ts";
import { isOwn, providerNames } from "./provider-connections.ts";
import { checkReach, readEndpoint } from "./reach.ts";
import { configSchema, type Settings } from "./schema.ts";
import { readSearch, searchProblem } from "./search-settings.ts";
import { explain, inOurWords, notAllowed } from "./setting-refusal.ts";
import { type ConfigSources, readSources, type Source } from "./sources.ts";

/** Configuration of a gateway. Paths are absolute. */
export interface Config extends ProviderChoice {
	readonly listen: readonly Endpoint[];
	readonly data: string;
	/** Directories that tools may access; empty if no source sets them. */
	readonly root: readonly string[];
	/** Name or tier of the model. */
	readonly model?: string;
	readonly reasoning?: Reasoning;
	/** Names or tiers of fallback models. They replace `model` if it stays unavailable. */
	readonly fallback?: readonly string[];
	/** Sources of the model names, for error messages. The names are resolved after the configuration is loaded. */
	readonly origins?: ModelOrigins;
	/** File with the operator's own table of models. */
	readonly modelsFile?: string;
	readonly budgets?: Budgets;
	/** Maximum number of model calls per run. */
	readonly maxModelCalls?: number;
	/** Whether a model names sessions. Default: true. */
	readonly titles?: boolean;
	readonly tasks?: RuntimeOptions["tasks"];
	readonly files?: Partial<FileLimits>;
	/** Access of chat users, and channel settings. */
	readonly chat?: ChatSettings;
	/** Addresses that replace the addresses of Discord. */
	readonly discord?: { readonly apiUrl?: string; readonly cdnUrl?: string };
	readonly llama?: LlamaSettings;
	readonly mcp?: readonly McpServerSettings[];
	/** Whether the MCP server may show approvals as forms in its clients. */
	readonly mcpForms?: boolean;
	readonly search?: SearchSettings;
	/** Address that replaces the address of Slack, and the listener for Slack's requests. */
	readonly slack?: { readonly apiUrl?: string; readonly listen?: Endpoint };
	readonly auth: AuthMode;
	/** Confinement of commands. Default: `preferred`. */
	readonly sandbox?: SandboxMode;
	/** Whether sandboxed commands may use Unix sockets. */
	readonly commandUnixSockets?: boolean;
	/** Hosts that sandboxed commands may reach. */
	readonly egress?: readonly string[];
	readonly logLevel: LogLevel;
	readonly systemPromptFile?: string;
	/** File with the operator's rules. Default: `policy.jsonc` in the data directory, if it exists. */
	readonly policyFile?: string;
	readonly allowedHosts: readonly string[];
	readonly tls?: TlsFiles;
	readonly trustedProxies?: readonly string[];
	/** Origin (https) at which clients reach the gateway through a proxy. */
	readonly publicUrl?: string;
	/** Whether clients on other machines need neither TLS nor a proxy. */
	readonly insecureLan?: boolean;
	/**
	 * Warnings for the log: other users or groups can change the configuration file or a file that the configuration
	 * names.
	 */
	readonly warnings?: readonly string[];
}

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;

/** Sources of the model names: for each name, a flag, a variable, or `FILE:LINE:COLUMN`. */
export interface ModelOrigins {
	readonly model?: string;
	/** One source for each fallback, in the order of the fallbacks. */
	readonly fallback?: readonly string[];
}

/**
 * Options of a parse without compilation. Compiling the schema (`jitless: false`) costs more time than it saves in
 * one parse.
 */
const atOnce = { ...inOurWords, jitless: true };

/** Checked settings of one source, with absolute paths. */
export interface CheckedSource {
	readonly settings: Settings;
	readonly source: Source;
	readonly warnings: readonly string[];
}

/**
 * Loads the configuration. Precedence: flags, `PARLEY_*` variables, `ANTHROPIC_*` variables, the configuration file,
 * defaults. Each source is checked, even settings that a source of higher precedence replaces. Throws
 * `invalid_argument` for an invalid value, with its position and the allowed values, and `failed_precondition` for a
 * file that every user can change.
 */
export function loadConfig(sources: ConfigSources): Config {
	const { checked, set } = checkedSources(sources);
	const auth = set.auth ?? "local";
	const choice = chooseProvider(set, sources.environment, sources.keyName);
	for (const one of checked) checkSearch(one, sources.environment);
	if (choice.provider === "anthropic") for (const one of checked) checkServer(one, choice);
	if (set.llama) for (const one of checked) checkLlama(one, set);
	const data = set.data ?? resolve(sources.cwd, sources.defaultData);
	return {
		listen: (set.listen ?? ["127.0.0.1:7777"]).map(readEndpoint),
		data,
		root: set.root ?? [],
		...choice,
		...aboutModels(set),
		...defined({ origins: originsOf(checked) }),
		...aboutParts(set, sources.environment),
		auth,
		...aboutCommands(set),
		logLevel: set.logLevel ?? sources.defaultLogLevel ?? "info",
		...operatorsFiles(set),
		allowedHosts: set.allowedHosts ?? [],
		...aboutReach(set),
		...defined({ warnings: warningsOf(checked, data, set.policyFile !== undefined) }),
	};
}

function checkSearch(
	{ settings: { search }, source }: CheckedSource,
	environment: ConfigSources["environment"],
): void {
	const problem = search && searchProblem(search, environment);
	if (!problem) return;
	const { name, ...refused } = problem;
	throw notAllowed(source, ["search", name], refused);
}

function aboutParts(set: Settings, environment: ConfigSources["environment"]): Partial<Config> {
	return {
		...defined({
			tasks: set.tasks && taskLimits(set.tasks),
			files: set.files && fileLimits(set.files),
			chat: readChat(set.chat ?? {}),
			discord: set.discord && whereDiscordIs(set.discord),
			llama: set.llama && readLlama(set.llama, environment),
			mcp: set.mcp && readMcp(set.mcp, environment),
			mcpForms: set.mcp?.approvalForms,
			search: set.search && readSearch(set.search, environment),
			slack: set.slack && whereSlackIs(set.slack),
		}),
	};
}

/**
 * Returns the sources that apply, in order of precedence, and their merged settings. Checks values, paths, the
 * provider's name, and access from other machines. Does not check keys and model servers.
 */
export function checkedSources(sources: ConfigSources): ReturnType<typeof usedSources> {
	const used = usedSources(sources);
	const { auth = "local" } = used.set;
	for (const one of used.checked) checkReach(one, { ...used.set, auth });
	return used;
}

function usedSources(sources: ConfigSources): { checked: readonly CheckedSource[]; set: Settings } {
	const all = readSources(sources).map(check);
	const named = merged(all);
	for (const one of all) checkProviderName(one, named);
	// Settings of the Messages API do not apply to another provider.
	const checked = isOwn(named.provider ?? "auto") ? all.filter(({ source }) => !source.isOfMessagesApi) : all;
	return { checked, set: merged(checked) };
}

function checkProviderName({ settings: { provider }, source }: CheckedSource, set: Settings): void {
	const names = providerNames(set);
	if (provider === undefined || names.includes(provider)) return;
	const near = findNearMiss(provider, names);
	const reason = near === undefined ? {} : { reason: settingRefusalTexts.didYouMean({ near }) };
	const allowed = settingRefusalTexts.knownProvider({ names: names.join(", ") });
	throw notAllowed(source, ["provider"], { value: provider, allowed, ...reason });
}

function merged(checked: readonly CheckedSource[]): Settings {
	return Object.assign({}, ...checked.map(({ settings }) => settings).reverse());
}

function check(source: Source): CheckedSource {
	// Most sources are empty, and creating a schema takes time.
	if (Object.keys(source.values).length === 0)
		return { settings: {}, source, warnings: source.warnings ?? [] };
	const { success, data, error } = configSchema(Object.keys(source.values)).safeParse(source.values, atOnce);
	if (!success) throw explain(source, error);
	const absolute = (path: string): string => resolve(source.base, path);
	const settings: Settings = {
		...data,
		...defined({
			data: data.data === undefined ? undefined : absolute(data.data),
			root: data.root?.map(absolute),
			systemPromptFile: data.systemPromptFile === undefined ? undefined : absolute(data.systemPromptFile),
			policyFile: data.policyFile === undefined ? undefined : absolute(data.policyFile),
			models:
				data.models?.file === undefined ? data.models : { ...data.models, file: absolute(data.models.file) },
			chat: data.chat && withAbsoluteRoots(data.chat, absolute),
			llama: data.llama && withAbsoluteLlama(data.llama, absolute),
			mcp: data.mcp && withAbsoluteMcp(data.mcp, absolute),
			tls: data.tls && { cert: absolute(data.tls.cert), key: absolute(data.tls.key) },
		}),
	};
	return { settings, source, warnings: [...(source.warnings ?? []), ...checkPaths(settings, source)] };
}

/**
 * Checks the paths in the settings, except `data` and the paths of `llama`. Throws for a missing path. Also throws
 * for a file that controls the agent if every user can change the file. Returns warnings about other users who can
 * change a file that controls the agent.
 */
function checkPaths(settings: Settings, source: Source): string[] {
	const { root = [], systemPromptFile, policyFile, models, tls, chat, mcp } = settings;
	for (const [item, value] of root.entries()) {
		if (statSync(value, { throwIfNoEntry: false })?.isDirectory()) continue;
		throw notAllowed(source, ["root", item], { value, allowed: settingRefusalTexts.existingDirectory });
	}
	const lost = chat && findLostRoot(chat);
	if (lost)
		throw notAllowed(source, lost.path, {
			value: lost.value,
			allowed: settingRefusalTexts.existingDirectory,
		});
	const absent = mcp && findLostPath(mcp);
	if (absent)
		throw notAllowed(source, absent.path, { value: absent.value, allowed: settingRefusalTexts.existingPath });
	checkFile(tls?.cert, source, ["tls", "cert"]);
	checkFile(tls?.key, source, ["tls", "key"]);
	return [
		...checkSteeringFile(systemPromptFile, source, ["systemPromptFile"]),
		...checkSteeringFile(policyFile, source, ["policyFile"]),
		...checkSteeringFile(models?.file, source, ["models", "file"]),
	];
}

function checkFile(value: string | undefined, source: Source, path: JsonPath): void {
	if (value === undefined || statSync(value, { throwIfNoEntry: false })?.isFile()) return;
	throw notAllowed(source, path, { value, allowed: settingRefusalTexts.existingFile });
}

function checkSteeringFile(value: string | undefined, source: Source, path: JsonPath): string[] {
	checkFile(value, source, path);
	return value === undefined ? [] : refuseForeignWriters(value, statSync(value));
}

function warningsOf(
	checked: readonly CheckedSource[],
	data: string,
	isPolicyNamed: boolean,
): Config["warnings"] {
	const warnings = checked.flatMap((one) => one.warnings);
	const policy = join(data, "policy.jsonc");
	if (!isPolicyNamed && existsSync(policy)) warnings.push(...refuseForeignWriters(policy, statSync(policy)));
	return warnings.length > 0 ? warnings : undefined;
}

/** Throws if a key would be sent unencrypted to a server outside private networks. */
function checkServer(
	{ settings: { baseUrl, llama }, source }: CheckedSource,
	{ apiKey }: ProviderChoice,
): void {
	const value = llama?.endpoint ?? baseUrl;
	const url = value === undefined ? undefined : parseBaseUrl(value);
	if (!url || url.protocol === "https:" || isNearby(url) || apiKey === undefined) return;
	const reason = settingRefusalTexts.keyUnencrypted;
	const allowed = settingRefusalTexts.httpsOrOwnNetwork;
	const path = llama?.endpoint === undefined ? ["baseUrl"] : ["llama", "endpoint"];
	throw notAllowed(source, path, { value, reason, allowed });
}

function aboutCommands({ sandbox, egress, commandUnixSockets }: Settings): Partial<Config> {
	return {
		...defined({
			sandbox,
			commandUnixSockets: commandUnixSockets || undefined,
			egress: egress?.allow,
		}),
	};
}

function operatorsFiles({ systemPromptFile, policyFile }: Settings): Partial<Config> {
	return {
		...defined({ systemPromptFile, policyFile }),
	};
}

function aboutReach({ tls, trustedProxies, publicUrl, insecureLan }: Settings): Partial<Config> {
	return {
		...defined({
			tls,
			trustedProxies,
			publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
			insecureLan: insecureLan || undefined,
		}),
	};
}

function aboutModels({
	llama,
	model = llama?.command === undefined ? undefined : modelInArguments(llama.args),
	reasoning,
	models,
	budgets,
	maxModelCalls,
	titles,
}: Settings): Partial<Config> {
	return {
		...defined({
			model,
			reasoning,
			fallback: models?.fallback,
			modelsFile: models?.file,
			maxModelCalls,
			titles,
			budgets: budgets && { gateway: limits(budgets), session: limits(budgets.session ?? {}) },
		}),
	};
}

/**
 * Returns the positions of `model` and `models.fallback`. The position of a setting is in the source of highest
 * precedence that sets it. Returns undefined if no source sets either setting.
 */
function originsOf(checked: readonly CheckedSource[]): ModelOrigins | undefined {
	const model = checked.find(({ settings }) => settings.model !== undefined)?.source.origin(["model"]);
	const last = checked.find(({ settings }) => settings.models?.fallback);
	const fallback = last?.settings.models?.fallback?.map((_, index) =>
		last.source.origin(["models", "fallback", index]),
	);
	if (model === undefined && !fallback) return undefined;
	return defined({ model, fallback });
}

function whereDiscordIs({
	apiUrl,
	cdnUrl,
}: NonNullable<Settings["discord"]>): NonNullable<Config["discord"]> {
	return { ...defined({ apiUrl, cdnUrl }) };
}

function whereSlackIs({ apiUrl, listen }: NonNullable<Settings["slack"]>): NonNullable<Config["slack"]> {
	return {
		...defined({
			apiUrl: apiUrl === undefined ? undefined : `${apiUrl.replace(/\/+$/, "")}/`,
			listen: listen === undefined ? undefined : readEndpoint(listen),
		}),
	};
}

function taskLimits({ limit, minutes, modelCalls }: NonNullable<Settings["tasks"]>): Config["tasks"] {
	return {
		...defined({ limit, workingMs: minutes === undefined ? undefined : minutes * minuteMs, modelCalls }),
	};
}

function fileLimits({ maxBytes, quotaBytes, keepDays }: NonNullable<Settings["files"]>): Partial<FileLimits> {
	return {
		...defined({ maxBytes, quotaBytes, retentionMs: keepDays === undefined ? undefined : keepDays * dayMs }),
	};
}

function limits({ day, month }: NonNullable<Settings["budgets"]>): Budgets["gateway"] {
	return {
		...defined({
			day: day === undefined ? undefined : billionths(day),
			month: month === undefined ? undefined : billionths(month),
		}),
	};
}

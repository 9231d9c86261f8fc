import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { defined, type LogLevel, ParleyError } from "@parley/base";
import { type JsonPath, parseCommentedJson } from "@parley/base/commented-json";
import { errno } from "../data-directory/errno.ts";
import { refuseForeignWriters } from "../data-directory/foreign-writers.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

/** Unchecked flags of the command line. */
export interface ConfigFlags {
	readonly listen?: readonly string[] | undefined;
	readonly data?: string | undefined;
	readonly root?: readonly string[] | undefined;
	readonly provider?: string | undefined;
	readonly model?: string | undefined;
	readonly baseUrl?: string | undefined;
	readonly reasoning?: string | undefined;
	readonly auth?: string | undefined;
	readonly sandbox?: string | undefined;
	readonly policyFile?: string | undefined;
	readonly logLevel?: string | undefined;
	readonly tlsCert?: string | undefined;
	readonly tlsKey?: string | undefined;
	readonly trustedProxies?: readonly string[] | undefined;
	readonly publicUrl?: string | undefined;
	readonly insecureLan?: boolean | undefined;
	readonly config?: string | undefined;
}

export interface ConfigSources {
	readonly flags: ConfigFlags;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Base directory of relative paths in flags and variables. */
	readonly cwd: string;
	/** Data directory if no source names one. */
	readonly defaultData: string;
	/** Name of the flag or variable with the provider's key, for messages. Default: `ANTHROPIC_API_KEY`. */
	readonly keyName?: string;
	/** Log level if no source sets one. Default: `info`. */
	readonly defaultLogLevel?: LogLevel;
	/** Text that replaces the configuration file, for a check of a change. */
	readonly draft?: Draft;
}

/** Changed text of the configuration file, before it is stored. */
export interface Draft {
	readonly text: string;
	/**
	 * Settings that a command changed, and the text before the change. For a changed setting, messages name the command
	 * instead of a position. For other settings, they name the position in `before`.
	 */
	readonly change?: { readonly paths: readonly JsonPath[]; readonly before: string };
}

/** Unchecked settings of one source, with the position of each setting for messages. */
export interface Source {
	readonly values: Readonly<Record<string, unknown>>;
	/** Base directory of relative paths. */
	readonly base: string;
	/** Warnings about other users who can change the configuration file. */
	readonly warnings?: readonly string[];
	/** Whether the settings apply only to the Messages API. */
	readonly isOfMessagesApi?: boolean;
	origin(path: JsonPath): string;
}

type Setting = Exclude<keyof ConfigFlags, "config">;

export const flagNames: Record<Setting, string> = {
	listen: "--listen",
	data: "--data",
	root: "--root",
	provider: "--provider",
	model: "--model",
	baseUrl: "--base-url",
	reasoning: "--reasoning",
	auth: "--auth",
	sandbox: "--sandbox",
	policyFile: "--policy",
	logLevel: "--log-level",
	tlsCert: "--tls-cert",
	tlsKey: "--tls-key",
	trustedProxies: "--trusted-proxy",
	publicUrl: "--public-url",
	insecureLan: "--insecure-lan",
};

export const variableNames: Record<Setting | "maxModelCalls" | "titles" | "egressAllow", string> = {
	listen: "PARLEY_LISTEN",
	data: "PARLEY_DATA",
	root: "PARLEY_ROOT",
	provider: "PARLEY_PROVIDER",
	model: "PARLEY_MODEL",
	baseUrl: "PARLEY_BASE_URL",
	reasoning: "PARLEY_REASONING",
	maxModelCalls: "PARLEY_MAX_MODEL_CALLS",
	titles: "PARLEY_TITLES",
	auth: "PARLEY_AUTH",
	sandbox: "PARLEY_SANDBOX",
	policyFile: "PARLEY_POLICY",
	egressAllow: "PARLEY_EGRESS_ALLOW",
	logLevel: "PARLEY_LOG_LEVEL",
	tlsCert: "PARLEY_TLS_CERT",
	tlsKey: "PARLEY_TLS_KEY",
	trustedProxies: "PARLEY_TRUSTED_PROXIES",
	publicUrl: "PARLEY_PUBLIC_URL",
	insecureLan: "PARLEY_INSECURE_LAN",
};

/** Variables that the vendor's own programs also read. */
export const providerVariables = { baseUrl: "ANTHROPIC_BASE_URL" };

/**
 * Reads all sources, in order of precedence. If no flag or variable names a configuration file, reads the file in the
 * data directory, if this file exists.
 */
export function readSources(sources: ConfigSources): Source[] {
	const file = fileSource(sources);
	const explicit = [
		flagSource(sources),
		environmentSource(sources, variableNames),
		{ ...environmentSource(sources, providerVariables), isOfMessagesApi: true },
	];
	return file === undefined ? explicit : [...explicit, file];
}

function flagSource({ flags: { config: _, ...values }, cwd }: ConfigSources): Source {
	return { values: nested(values), base: cwd, origin: (path) => nameIn(flagNames, flat(path)) };
}

function environmentSource(
	{ environment, cwd }: ConfigSources,
	names: Readonly<Record<string, string>>,
): Source {
	const texts = Object.entries(names).map(([key, name]) => [key, valueIn(environment, name)] as const);
	const values = texts.map(
		([key, text]) => [key, text === undefined ? undefined : readVariable(key, text)] as const,
	);
	return {
		values: nested(Object.fromEntries(values)),
		base: cwd,
		origin: (path) => nameIn(names, flat(path)),
	};
}

/**
 * Returns the path of the configuration file, and whether a flag or a variable names the file. The file might not
 * exist.
 */
export function configFile({ flags, environment, cwd, defaultData }: ConfigSources): {
	readonly path: string;
	readonly isNamed: boolean;
} {
	const named = flags.config ?? valueIn(environment, "PARLEY_CONFIG");
	const data = flags.data ?? valueIn(environment, "PARLEY_DATA") ?? defaultData;
	return { path: resolve(cwd, named ?? join(data, "parley.config.json")), isNamed: named !== undefined };
}

function fileSource(sources: ConfigSources): Source | undefined {
	const { path, isNamed } = configFile(sources);
	const { draft } = sources;
	const file = draft ? { text: draft.text, warnings: [] } : readFile(path, !isNamed);
	if (file === undefined) return undefined;
	const { text, warnings } = file;
	const { values, locate } = parseCommentedJson(path, text);
	const origin = draft?.change ? placesOf(path, draft.change) : locate;
	if (!isNamed && "data" in values) {
		throw new ParleyError(settingRefusalTexts.movedData({ place: locate(["data"]) }), {
			code: "invalid_argument",
		});
	}
	return { values, base: dirname(path), warnings, origin };
}

function placesOf(file: string, { paths, before }: NonNullable<Draft["change"]>): Source["origin"] {
	const { locate } = parseCommentedJson(file, before);
	const isChanged = (at: JsonPath): boolean =>
		paths.some((path) => path.every((key, index) => at[index] === key));
	return (at) => (isChanged(at) ? "parley config set" : locate(at));
}

function readFile(path: string, mayBeMissing: boolean): { text: string; warnings: string[] } | undefined {
	try {
		const file = openSync(path, "r");
		try {
			const warnings = refuseForeignWriters(path, fstatSync(file));
			return { text: readFileSync(file, "utf8"), warnings };
		} finally {
			closeSync(file);
		}
	} catch (cause) {
		if (cause instanceof ParleyError) throw cause;
		if (mayBeMissing && (errno(cause) === "ENOENT" || errno(cause) === "ENOTDIR")) return undefined;
		throw new ParleyError(settingRefusalTexts.fileUnreadable({ path, reason: errno(cause) }), {
			code: "invalid_argument",
			cause,
		});
	}
}

/**
 * Converts the text of a variable to the type of its setting. An invalid text stays a string, which the schema
 * refuses.
 */
function readVariable(key: string, text: string): string | number | boolean | string[] {
	if (key === "maxModelCalls") return /^\d+$/.test(text) ? Number(text) : text;
	if (lists.has(key)) return text.split(",").map((place) => place.trim());
	if (key === "insecureLan" || key === "titles") return switches[text] ?? text;
	// Directories are separated as in PATH, because their names may contain commas.
	return key === "root" ? text.split(delimiter) : text;
}

const lists = new Set(["listen", "trustedProxies", "egressAllow"]);
const switches: Readonly<Record<string, boolean>> = { "1": true, true: true, "0": false, false: false };

/** Moves flat values into the objects of their settings. For example, `tlsCert` becomes `tls.cert`. */
function nested(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const { tlsCert, tlsKey, egressAllow, ...values } = flat;
	const tls = onlySet({ cert: tlsCert, key: tlsKey });
	return {
		...onlySet(values),
		...defined({
			tls: Object.keys(tls).length > 0 ? tls : undefined,
			egress: egressAllow === undefined ? undefined : { allow: egressAllow },
		}),
	};
}

function flat([key, inner]: JsonPath): string | number {
	if (key === "egress") return "egressAllow";
	if (key === "tls" && (inner === "cert" || inner === "key")) return inner === "cert" ? "tlsCert" : "tlsKey";
	return key ?? "";
}

function valueIn(environment: ConfigSources["environment"], name: string): string | undefined {
	return environment[name] === "" ? undefined : environment[name];
}

function nameIn(names: Readonly<Record<string, string>>, key: string | number): string {
	return names[key] ?? String(key);
}

function onlySet(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

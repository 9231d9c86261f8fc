import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type LogLevel, ParleyError } from "@parley/base";
import type * as z from "zod";
import type { AuthMode } from "../auth/auth-mode.ts";
import { type Endpoint, formatEndpoint, isLoopback, parseEndpoint } from "../transport/address.ts";
import { findNearMiss } from "./near-miss.ts";
import { configSchema, type Provider, type Settings } from "./schema.ts";
import { type ConfigSources, readSources, type Source } from "./sources.ts";

/** What a gateway is started with. Paths are absolute. */
export interface Config {
	readonly listen: readonly Endpoint[];
	readonly data: string;
	/** What tools may touch; empty where no source names any. */
	readonly root: readonly string[];
	readonly provider: Provider;
	readonly model?: string;
	readonly auth: AuthMode;
	readonly logLevel: LogLevel;
	readonly systemPromptFile?: string;
	readonly allowedHosts: readonly string[];
}

/** One source's settings, checked, with absolute paths. */
interface CheckedSource {
	readonly settings: Settings;
	readonly source: Source;
}

/**
 * Flags beat `PARLEY_*` variables, these beat the configuration file, that beats the defaults; every source is checked
 * in full. Throws `invalid_argument` naming the value, where it stands and what is allowed.
 */
export function loadConfig(sources: ConfigSources): Config {
	const checked = readSources(sources).map(check);
	const set: Settings = Object.assign({}, ...checked.map(({ settings }) => settings).reverse());
	const auth = set.auth ?? "local";
	for (const one of checked) checkReach(one, auth);
	return {
		listen: (set.listen ?? ["127.0.0.1:7777"]).map(readEndpoint),
		data: set.data ?? resolve(sources.cwd, sources.defaultData),
		root: set.root ?? [],
		provider: set.provider ?? "offline",
		...(set.model !== undefined && { model: set.model }),
		auth,
		logLevel: set.logLevel ?? "info",
		...(set.systemPromptFile !== undefined && { systemPromptFile: set.systemPromptFile }),
		allowedHosts: set.allowedHosts ?? [],
	};
}

function check(source: Source): CheckedSource {
	const { success, data, error } = configSchema.safeParse(source.values);
	if (!success) throw explain(source, error);
	const absolute = (path: string): string => resolve(source.base, path);
	const settings: Settings = {
		...data,
		...(data.data !== undefined && { data: absolute(data.data) }),
		...(data.root !== undefined && { root: data.root.map(absolute) }),
		...(data.systemPromptFile !== undefined && { systemPromptFile: absolute(data.systemPromptFile) }),
	};
	checkPaths(settings, source);
	return { settings, source };
}

function explain(source: Source, { issues: [issue] }: z.ZodError): ParleyError {
	if (issue?.code === "unrecognized_keys") return unknownKey(source, issue.keys[0] ?? "");
	const [key = "", item] = issue?.path ?? [];
	const name = String(key);
	const value = source.values[name];
	if (typeof item !== "number" || !Array.isArray(value)) {
		return notAllowed(source, [name], { value, allowed: issue?.message ?? "" });
	}
	return notAllowed(source, [name, item], { value: value[item], allowed: issue?.message ?? "" });
}

function unknownKey(source: Source, key: string): ParleyError {
	const allowed = Object.keys(configSchema.shape).filter((name) => name !== "$schema");
	const meant = findNearMiss(key, allowed);
	const question = meant === undefined ? "" : `; did you mean ${meant}?`;
	return refused(
		`unknown setting ${JSON.stringify(key)} (${source.origin(key)})${question}; allowed: ${allowed.join(", ")}`,
	);
}

function checkPaths({ root = [], systemPromptFile }: Settings, source: Source): void {
	for (const [item, value] of root.entries()) {
		if (statSync(value, { throwIfNoEntry: false })?.isDirectory()) continue;
		throw notAllowed(source, ["root", item], { value, allowed: "a directory that exists" });
	}
	if (systemPromptFile === undefined) return;
	if (statSync(systemPromptFile, { throwIfNoEntry: false })?.isFile()) return;
	throw notAllowed(source, ["systemPromptFile"], { value: systemPromptFile, allowed: "a file that exists" });
}

/** Beyond loopback words would travel in the clear, and a token with them. */
function checkReach({ settings: { listen = [] }, source }: CheckedSource, auth: AuthMode): void {
	for (const [item, value] of listen.entries()) {
		const { host } = readEndpoint(value);
		if (isLoopback(host) || host.toLowerCase() === "localhost") continue;
		const why =
			auth === "none"
				? "with auth none, everybody who reaches this address would be the operator"
				: "other machines can reach this address, which takes TLS or a trusted proxy, and neither can be set up";
		const allowed =
			"addresses of this machine alone (127.0.0.1, [::1], localhost), " +
			"which an SSH tunnel makes reachable: ssh -L 7777:127.0.0.1:7777 THIS-MACHINE";
		throw notAllowed(source, ["listen", item], { value, allowed, why });
	}
	const places = listen.map((value) => formatEndpoint(readEndpoint(value)));
	const item = places.findIndex((place, index) => !place.endsWith(":0") && places.indexOf(place) < index);
	if (item < 0) return;
	throw notAllowed(source, ["listen", item], { value: places[item], allowed: "each place once" });
}

interface Objection {
	readonly value: unknown;
	readonly allowed: string;
	readonly why?: string;
}

function notAllowed(
	source: Source,
	path: readonly [string, number?],
	{ value, allowed, why }: Objection,
): ParleyError {
	const because = why === undefined ? "" : `: ${why}`;
	const shown = (JSON.stringify(value) ?? String(value)).slice(0, 200);
	return refused(
		`${shown} is not allowed for ${path[0]} (${source.origin(...path)})${because}; allowed: ${allowed}`,
	);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

/** The schema has let pass only what can be read. */
function readEndpoint(text: string): Endpoint {
	const endpoint = parseEndpoint(text);
	if (endpoint === undefined) throw refused(`${JSON.stringify(text)} is not HOST:PORT`);
	return endpoint;
}

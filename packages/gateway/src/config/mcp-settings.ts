import { existsSync } from "node:fs";
import { defined } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import type { McpServerSettings } from "@parley/core";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import type { Settings } from "./schema.ts";

type Written = NonNullable<Settings["mcp"]>;

const usualTimeoutSeconds = 120;

/** Returns the MCP servers of the settings with their defaults. `environment` is the gateway's environment. */
export function readMcp(
	{ servers = {} }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): readonly McpServerSettings[] {
	return Object.entries(servers).map(([name, server]): McpServerSettings => {
		const { command = "", url, args = [], env = {}, envFrom = [] } = server;
		const { read = [], write = [], hosts = [] } = server;
		const timeoutMs = (server.timeoutSeconds ?? usualTimeoutSeconds) * 1_000;
		if (url !== undefined) {
			const { tokenFrom = "", allowPrivate = false } = server;
			const names = tokenFrom === "" ? [] : [tokenFrom];
			const secrets = Object.values(valuesFrom(environment, names));
			const headers = Object.fromEntries(secrets.map((token) => ["authorization", `Bearer ${token}`]));
			const remote = { name, url, headers, allowPrivate, secrets, timeoutMs };
			return { ...remote, ...missingProblem(environment, names) };
		}
		const received = valuesFrom(environment, envFrom);
		const secrets = Object.values(received);
		const rights = { environment: { ...received, ...env }, secrets, read, write, hosts };
		const program = { name, command, args, ...rights };
		return { ...program, timeoutMs, ...missingProblem(environment, envFrom) };
	});
}

/** Returns the variables in `names` that are set in the environment. */
export function valuesFrom(
	environment: Readonly<Record<string, string | undefined>>,
	names: readonly string[],
): Record<string, string> {
	const known = names.flatMap((name) => {
		const value = environment[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return Object.fromEntries(known);
}

/**
 * Returns an object with a problem if a variable in `names` is missing in the gateway's environment. Otherwise,
 * returns an empty object.
 */
export function missingProblem(
	environment: Readonly<Record<string, string | undefined>>,
	names: readonly string[],
): { readonly problem?: string } {
	const missing = names.filter((name) => environment[name] === undefined);
	return missing.length === 0
		? {}
		: { problem: settingRefusalTexts.noVariable({ names: missing.join(", ") }) };
}

/**
 * Returns the settings with absolute paths. A command without a slash stays unchanged, because it is looked up in PATH.
 */
export function withAbsoluteMcp(written: Written, absolute: (path: string) => string): Written {
	if (!written.servers) return written;
	const servers = Object.entries(written.servers).map(([name, server]) => {
		const { command, read, write } = server;
		const paths = { read: read?.map(absolute), write: write?.map(absolute) };
		const program = command?.includes("/") ? absolute(command) : command;
		return [name, { ...server, ...defined({ ...paths, command: program }) }];
	});
	return { ...written, servers: Object.fromEntries(servers) };
}

/** Returns the first `read` or `write` path that does not exist, or undefined if all paths exist. */
export function findLostPath({
	servers = {},
}: Written): { readonly path: JsonPath; readonly value: string } | undefined {
	for (const [name, server] of Object.entries(servers)) {
		for (const key of ["read", "write"] as const) {
			const paths = server[key] ?? [];
			const at = paths.findIndex((path) => !existsSync(path));
			const value = paths[at];
			if (value !== undefined) return { path: ["mcp", "servers", name, key, at], value };
		}
	}
	return undefined;
}

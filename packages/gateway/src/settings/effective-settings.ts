import { resolve } from "node:path";
import { ParleyError } from "@parley/base";
import type { JsonPath } from "@parley/base/commented-json";
import { findNearMiss } from "@parley/core";
import { type CheckedSource, checkedSources } from "../config/load.ts";
import { settingsAt } from "../config/schema.ts";
import { withoutCredentials } from "../config/setting-refusal.ts";
import {
	asSchema,
	fileSchema,
	leavesOf,
	meaningOf,
	type SettingSchema,
	topRows,
} from "../config/setting-rows.ts";
import type { ConfigSources } from "../config/sources.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

/** Value that a gateway would use for one setting at its start, with the position of the value. */
export interface EffectiveSetting {
	/** Path in the file, such as `budgets.day`. */
	readonly key: string;
	/** Value without secrets; undefined if no source sets it. */
	readonly value: unknown;
	/** Position of the value: a flag, a variable, `FILE:LINE:COLUMN`, or `default`. */
	readonly source: string;
	/** Description of the default. May be empty. */
	readonly preset: string;
}

/** Returns the paths of all settings and groups, without paths below keys that the operator chooses. */
export function settingKeys(): string[] {
	const tops = topRows().filter(({ setting }) => setting !== "$schema");
	const rows = tops.flatMap((row) => [row, ...leavesOf(row)]);
	const keys = rows.flatMap(({ setting }) => {
		const parts = setting.split(".");
		// Words in capitals are placeholders for keys that the operator chooses. Brackets mark an item of an array.
		return parts.some((part) => /^[A-Z]+$|\[\]$/.test(part))
			? []
			: parts.map((_, at) => parts.slice(0, at + 1));
	});
	return [...new Set(keys.map((parts) => parts.join(".")))].toSorted();
}

/**
 * Returns the setting or the group of settings at a path. Throws `invalid_argument` for an unknown path, and for invalid
 * sources.
 */
export function effectiveSetting(key: string, sources: ConfigSources): EffectiveSetting {
	const path = key.split(".");
	const schema = schemaAt(path);
	return settingAt(path, schema, checkedSources(sources).checked, sources);
}

/** Returns the settings that the sources set. With `all`, also returns the settings that no source sets. */
export function effectiveSettings(sources: ConfigSources, all = false): EffectiveSetting[] {
	const { checked, set } = checkedSources(sources);
	const paths = Object.entries(set).flatMap(([name, value]) =>
		name === "$schema" ? [] : pathsIn([name], value),
	);
	const found = paths.map((path) => settingAt(path, findSchema(path), checked, sources));
	if (!all) return found;
	const known = found.map(({ key }) => key);
	const others = settingKeys().filter((key) => {
		const isGroup = findSchema(key.split("."))?.type === "object";
		return !isGroup && !known.some((one) => one === key || one.startsWith(`${key}.`));
	});
	const rest = others.map((key) => settingAt(key.split("."), findSchema(key.split(".")), [], sources));
	return [...found, ...rest].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Returns the schema of a setting. Throws `invalid_argument` for an unknown setting. The error names a similar
 * setting, if any.
 */
export function schemaAt(path: readonly string[]): SettingSchema {
	const schema = findSchema(path);
	if (schema) return schema;
	const valid = path.findIndex((_, at) => findSchema(path.slice(0, at + 1)) === undefined);
	const allowed = settingsAt(path.slice(0, valid)).filter((name) => name !== "$schema");
	const near = findNearMiss(path[valid] ?? "", allowed);
	const suggestion = near === undefined ? undefined : [...path.slice(0, valid), near].join(".");
	throw new ParleyError(
		settingRefusalTexts.unknownSetting({
			name: JSON.stringify(path.join(".")),
			place: undefined,
			near: suggestion,
			allowed,
		}),
		{
			code: "invalid_argument",
		},
	);
}

function findSchema(path: readonly string[]): SettingSchema | undefined {
	return path.reduce<SettingSchema | undefined>(
		(outer, name) =>
			asSchema(
				Object.hasOwn(outer?.properties ?? {}, name)
					? outer?.properties?.[name]
					: outer?.additionalProperties,
			),
		fileSchema(),
	);
}

function settingAt(
	path: readonly string[],
	schema: SettingSchema | undefined,
	checked: readonly CheckedSource[],
	sources: ConfigSources,
): EffectiveSetting {
	const key = path.join(".");
	const { preset } = meaningOf(schema ?? {});
	const [top = ""] = path;
	// A source with higher precedence replaces a group of settings completely.
	const owner = checked.find(({ settings }) => valueAt(settings, [top]) !== undefined);
	const value = owner && valueAt(owner.settings, path);
	if (value !== undefined && owner) {
		return { key, value: withoutSecrets(value, path), source: owner.source.origin(path), preset };
	}
	const own = key === "data" ? resolve(sources.cwd, sources.defaultData) : undefined;
	return { key, value: own, source: "default", preset };
}

function valueAt(values: unknown, path: JsonPath): unknown {
	return path.reduce<unknown>(
		(value, name) => (Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined),
		values,
	);
}

/** Returns the paths of all set values below `path`. An array is one value. */
function pathsIn(path: readonly string[], value: unknown): (readonly string[])[] {
	if (value === undefined) return [];
	if (typeof value !== "object" || value === null || Array.isArray(value)) return [path];
	return Object.entries(value).flatMap(([name, inner]) => pathsIn([...path, name], inner));
}

const hidden = "(hidden)";
/** Pattern of program options with a secret. The secret is the next argument or the text after `=`. */
const secretOption = /^-{1,2}[\w-]*(?:key|token|secret|password|auth)[\w-]*$/i;

/**
 * Returns the value without secrets. Hides variables of programs, arguments of secret options, credentials in
 * addresses, and texts that look like credentials.
 */
function withoutSecrets(value: unknown, path: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((item, at) => argumentWithoutSecret(item, value[at - 1]));
	if (typeof value === "object" && value !== null) {
		return Object.fromEntries(
			Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, [...path, name])]),
		);
	}
	if (path.at(-2) === "env") return hidden;
	return typeof value === "string" ? withoutCredentials(value) : value;
}

function argumentWithoutSecret(item: unknown, before: unknown): unknown {
	if (typeof item !== "string") return withoutSecrets(item, []);
	if (typeof before === "string" && secretOption.test(before)) return hidden;
	const [option = "", ...rest] = item.split("=");
	if (rest.length > 0 && secretOption.test(option)) return `${option}=${hidden}`;
	return withoutCredentials(item);
}

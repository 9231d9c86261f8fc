import { defined } from "@parley/base";
import type { Manifest } from "./manifest.ts";

/**
 * A difference between an installed manifest and the required one. `is` is absent if the value is missing, and
 * `wanted` if the value is not required.
 */
export interface Difference {
	/** Path of the value, for example `oauth_config.scopes.bot`. */
	readonly path: string;
	readonly is?: unknown;
	readonly wanted?: unknown;
}

const sections = ["display_information", "features", "oauth_config", "settings"];

/** Parses a manifest, alone or in a response of `apps.manifest.export`. Returns undefined for other data. */
export function readManifest(data: unknown): Manifest | undefined {
	if (!isObject(data)) return undefined;
	if (sections.some((section) => isObject(data[section]))) return data;
	return "manifest" in data ? readManifest(data["manifest"]) : undefined;
}

/**
 * Returns the required changes of `installed`. The operator may change names, descriptions and colours, and keep additional
 * settings. Additional scopes and events are reported, because the app should have no unused permissions.
 */
export function manifestDiff(installed: unknown, wanted: Manifest): readonly Difference[] {
	const { display_information: _display, _metadata: _version, ...needed } = wanted;
	return [
		...differences("", installed, needed),
		...rights.flatMap((path) => moreThan(path, installed, wanted)),
	];
}

const rights = [
	["oauth_config", "scopes"],
	["settings", "event_subscriptions"],
] as const;

function moreThan(path: readonly string[], installed: unknown, wanted: unknown): readonly Difference[] {
	const at = (manifest: unknown): Readonly<Record<string, unknown>> => {
		const found = path.reduce((part, name) => (isObject(part) ? part[name] : undefined), manifest);
		return isObject(found) ? found : {};
	};
	const needed = at(wanted);
	return Object.entries(at(installed))
		.filter(([name]) => !(name in needed))
		.flatMap(([name, list]) => listDifferences([...path, name].join("."), list, []));
}

function differences(path: string, is: unknown, wanted: unknown): readonly Difference[] {
	if (Array.isArray(wanted)) return listDifferences(path, is, wanted);
	if (isObject(wanted)) {
		const known = isObject(is) ? is : {};
		const inside = Object.entries(wanted)
			.filter(([key]) => !operators.has(key))
			.flatMap(([key, value]) => differences(path === "" ? key : `${path}.${key}`, known[key], value));
		return isObject(is) || inside.length > 0 ? inside : [{ path, wanted }];
	}
	return is === wanted ? [] : [{ path, wanted, ...defined({ is }) }];
}

/** Names of values that the operator may change. */
const operators: ReadonlySet<string> = new Set([
	"display_name",
	"always_online",
	"agent_description",
	"description",
	"background_color",
	"usage_hint",
]);

function listDifferences(path: string, is: unknown, wanted: readonly unknown[]): readonly Difference[] {
	const known: readonly unknown[] = Array.isArray(is) ? is : [];
	const missing = wanted.flatMap((one) => {
		const same = known.find((other) => nameOf(other) === nameOf(one));
		if (same === undefined) return [{ path, wanted: nameOf(one) }];
		return isObject(one) ? differences(`${path}[${nameOf(one)}]`, same, one) : [];
	});
	const names = new Set(wanted.map(nameOf));
	const more = known
		.filter((other) => typeof other === "string" && !names.has(other))
		.map((other) => ({ path, is: other }));
	return [...missing, ...more];
}

function nameOf(one: unknown): unknown {
	if (!isObject(one)) return one;
	return one["callback_id"] ?? one["command"] ?? one["name"];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Describes a difference in one line for people. */
export function differenceWords({ path, is, wanted }: Difference): string {
	const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
	if (is === undefined) return `+ ${path}: ${text(wanted)}`;
	if (wanted === undefined) return `- ${path}: ${text(is)}`;
	return `~ ${path}: ${text(is)} → ${text(wanted)}`;
}

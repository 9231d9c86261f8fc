import * as z from "zod";
import { configSchema } from "./schema.ts";

/** JSON Schema of one setting. */
export type SettingSchema = z.core.JSONSchema.JSONSchema;

/** A setting in the configuration file, or a group of settings. */
export interface SettingRow {
	/** Path in the file, such as `tls.cert` or `chat.channels.CHANNEL.agent`. */
	readonly setting: string;
	readonly schema: SettingSchema;
}

let known: SettingSchema | undefined;

/** Returns the JSON Schema of the configuration file. */
export function fileSchema(): SettingSchema {
	known ??= z.toJSONSchema(configSchema(), { io: "input", target: "draft-7" });
	return known;
}

export function topRows(): SettingRow[] {
	return Object.entries(fileSchema().properties ?? {}).map(([name, setting]) => asRow(name, setting));
}

/** Pattern of a sentence in descriptions. The sentence marks the described setting as a path. */
export const relative = / Relative to this file\./;

/** Reads the meaning and default of a setting from its description. `preset` is empty without a default. */
export function meaningOf({ description = "" }: SettingSchema): {
	readonly meaning: string;
	readonly preset: string;
} {
	const [meaning = "", preset = ""] = description.replace(relative, "").split(/\s*Default: (.*)\.$/);
	return { meaning, preset };
}

/**
 * Placeholders for keys that the operator chooses. The first text of a pair is the end of a setting's path. The
 * second text is the placeholder for the keys of this setting.
 */
const keys = [
	[".channels", "CHANNEL"],
	[".approvalNotices", "CHANNEL"],
	[".providers", "PROVIDER"],
	[".servers", "NAME"],
	[".env", "VARIABLE"],
] as const;

/**
 * Returns all settings inside a group, at any depth. Omits deprecated names and groups with fixed names. Includes
 * arrays of objects, and objects with keys that the operator chooses. In a path, `[]` is an item of an array, and a
 * word in capitals is a placeholder for a key that the operator chooses.
 */
export function leavesOf({ setting, schema }: SettingRow): SettingRow[] {
	const inner = Object.entries(schema.properties ?? {})
		.map(([name, value]) => asRow(`${setting}.${name}`, value))
		.filter((row) => row.schema["deprecated"] !== true);
	const items = asSchema(schema.items);
	if (schema.type === "array" && items?.type === "object") {
		return [{ setting, schema }, ...leavesOf({ setting: `${setting}[]`, schema: items })];
	}
	const values = asSchema(schema.additionalProperties);
	if (schema.type === "object" && values !== undefined) {
		const key = keys.find(([end]) => setting.endsWith(end))?.[1] ?? "PLATFORM";
		const named = {
			setting: `${setting}.${key}`,
			schema: { ...values, description: schema.description ?? "" },
		};
		return values.type === "object" ? [{ setting, schema }, ...leavesOf(named)] : [named];
	}
	return schema.type === "object" ? inner.flatMap(leavesOf) : [{ setting, schema }];
}

function asRow(setting: string, schema: z.core.JSONSchema._JSONSchema): SettingRow {
	return { setting, schema: asSchema(schema) ?? {} };
}

/** Returns the schema if it is an object. Returns undefined for other schemas, such as `true`. */
export function asSchema(schema: unknown): SettingSchema | undefined {
	// The cast is safe for schemas of zod: a schema is an object or a boolean, and `items` is one schema.
	return typeof schema === "object" && schema !== null ? (schema as SettingSchema) : undefined;
}

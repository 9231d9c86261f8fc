import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { configSchema } from "./schema.ts";
import { flagNames, providerVariables, variableNames } from "./sources.ts";

/** The page with the tables. The text before the first generated table is written by hand. */
export const configurationPage = new URL("../../../../docs/configuration.md", import.meta.url);

const start = "<!-- generated: settings -->";
const end = "<!-- end of generated -->";

type JsonSchema = z.core.JSONSchema.JSONSchema;

interface Row {
	/** Path in the file, such as `tls.cert` or `chat.channels.CHANNEL.agent`. */
	readonly setting: string;
	readonly schema: JsonSchema;
}

/** Returns `page` with new tables between the marks: one for the plain settings, one for each object. */
export function withTables(page: string): string {
	const [before = "", rest = ""] = page.split(start);
	const [, after = ""] = rest.split(end);
	return `${before}${start}\n\n${tables()}\n\n${end}${after}`;
}

function tables(): string {
	const schema = z.toJSONSchema(configSchema(), { io: "input", target: "draft-7" });
	const settings = Object.entries(schema.properties ?? {}).map(([name, setting]) => asRow(name, setting));
	const isGroup = ({ schema }: Row): boolean => schema.type === "object";
	const groups = settings.filter(isGroup).map((group) => {
		const intro = group.schema.description ?? "";
		return `### \`${group.setting}\`\n\n${intro}\n\n${table(leavesOf(group))}`;
	});
	return [
		"### Plain settings",
		"",
		table(settings.filter((row) => !isGroup(row))),
		"",
		groups.join("\n\n"),
	].join("\n");
}

/** The plain settings in an object, at any depth, without old names. `[]` stands for an item of a list, capitals for a key that you choose. */
/** Placeholders for the names of objects, by the end of the setting. */
const keys = [
	[".channels", "CHANNEL"],
	[".servers", "NAME"],
	[".env", "VARIABLE"],
] as const;

function leavesOf({ setting, schema }: Row): Row[] {
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

function asRow(setting: string, schema: z.core.JSONSchema._JSONSchema): Row {
	return { setting, schema: asSchema(schema) ?? {} };
}

function asSchema(schema: unknown): JsonSchema | undefined {
	// True for schemas of zod: a schema is an object or a boolean, and items is one schema.
	return typeof schema === "object" && schema !== null ? (schema as JsonSchema) : undefined;
}

function table(rows: readonly Row[]): string {
	const head = [
		"| setting | value | default | flag and variable | meaning |",
		"| --- | --- | --- | --- | --- |",
	];
	return [...head, ...rows.map((row) => `| ${cells(row).map(cell).join(" | ")} |`)].join("\n");
}

function cells({ setting, schema }: Row): string[] {
	const text = (schema.description ?? "").replace(relative, "");
	const [meaning = "", preset = ""] = text.split(/\s*Default: (.*)\.$/);
	return [`\`${setting}\``, valueWords(schema), preset, sourcesOf(setting), meaning];
}

function cell(text: string): string {
	return text.replaceAll("|", "\\|");
}

/** Marks a path in the descriptions of the schema, which describe only the file. */
const relative = / Relative to this file\./;

function valueWords(schema: JsonSchema): string {
	if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
	const isPath = relative.test(schema.description ?? "");
	if (schema.type === "array") return `list of ${isPath ? "path" : asSchema(schema.items)?.type}s`;
	if (isPath) return "path";
	if (schema.minimum === undefined) return String(schema.type ?? "");
	return `${schema.type} from ${schema.minimum} to ${schema.maximum}`;
}

/** The flag and the variables of a setting. Their names are flat, unlike the nested names of the file. */
function sourcesOf(setting: string): string {
	const flat =
		{ "tls.cert": "tlsCert", "tls.key": "tlsKey", "egress.allow": "egressAllow" }[setting] ?? setting;
	const names: readonly Readonly<Record<string, string>>[] = [flagNames, variableNames, providerVariables];
	return names.flatMap((table) => (table[flat] === undefined ? [] : [`\`${table[flat]}\``])).join(", ");
}

if (import.meta.main) writeFileSync(configurationPage, withTables(readFileSync(configurationPage, "utf8")));

import { readFileSync, writeFileSync } from "node:fs";
import {
	asSchema,
	leavesOf,
	meaningOf,
	relative,
	type SettingRow,
	type SettingSchema,
	topRows,
} from "./setting-rows.ts";
import { flagNames, providerVariables, variableNames } from "./sources.ts";

/** File with the tables of all settings. Only the text between the markers is generated. */
export const configurationPage = new URL("../../../../docs/configuration.md", import.meta.url);

const start = "<!-- generated: settings -->";
const end = "<!-- end of generated -->";

/**
 * Returns `page` with new tables between the markers: one table of the settings at the top level, and one for each
 * group.
 */
export function withTables(page: string): string {
	const [before = "", rest = ""] = page.split(start);
	const [, after = ""] = rest.split(end);
	return `${before}${start}\n\n${tables()}\n\n${end}${after}`;
}

function tables(): string {
	const settings = topRows();
	const isGroup = ({ schema }: SettingRow): boolean => schema.type === "object";
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

function table(rows: readonly SettingRow[]): string {
	const head = [
		"| setting | value | default | flag and variable | meaning |",
		"| --- | --- | --- | --- | --- |",
	];
	return [...head, ...rows.map((row) => `| ${cells(row).map(cell).join(" | ")} |`)].join("\n");
}

function cells({ setting, schema }: SettingRow): string[] {
	const { meaning, preset } = meaningOf(schema);
	return [`\`${setting}\``, valueWords(schema), preset, sourcesOf(setting), meaning];
}

function cell(text: string): string {
	return text.replaceAll("|", "\\|");
}

function valueWords(schema: SettingSchema): string {
	if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
	const isPath = relative.test(schema.description ?? "");
	if (schema.type === "array") return `list of ${isPath ? "path" : asSchema(schema.items)?.type}s`;
	if (isPath) return "path";
	if (schema.minimum === undefined) return String(schema.type ?? "");
	return `${schema.type} from ${schema.minimum} to ${schema.maximum}`;
}

function sourcesOf(setting: string): string {
	const flat =
		{ "tls.cert": "tlsCert", "tls.key": "tlsKey", "egress.allow": "egressAllow" }[setting] ?? setting;
	const names: readonly Readonly<Record<string, string>>[] = [flagNames, variableNames, providerVariables];
	return names.flatMap((table) => (table[flat] === undefined ? [] : [`\`${table[flat]}\``])).join(", ");
}

if (import.meta.main) writeFileSync(configurationPage, withTables(readFileSync(configurationPage, "utf8")));

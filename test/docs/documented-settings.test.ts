import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { parseCommentedJson } from "@parley/base/commented-json";
import { Ajv } from "ajv";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = globSync("docs/*.md", { cwd: root });
const schema = parseJson(readFileSync(`${root}/packages/gateway/parley.config.schema.json`, "utf8"));
const validate = new Ajv({ strict: false }).compile(Object(schema));

/** Returns the settings of a page. Excludes rules, models, protocol frames and the content of `.mcp.json`. */
function settings(page: string): Record<string, unknown>[] {
	const text = readFileSync(`${root}/${page}`, "utf8");
	return [...text.matchAll(/^```jsonc?\n(.*?)^```$/gms)]
		.map(([, block = ""]) => parseCommentedJson(page, block).values)
		.filter((values) => !["rules", "type", "mcpServers"].some((key) => key in values))
		.filter((values) => !Array.isArray(values["models"]));
}

test.each(pages.filter((page) => settings(page).length > 0))("the settings in %s are valid", (page) => {
	for (const values of settings(page)) {
		validate(values);
		expect(validate.errors ?? [], JSON.stringify(values)).toEqual([]);
	}
});

test("the pages have many settings", () => {
	expect(pages.flatMap(settings).length).toBeGreaterThan(8);
});

test("the configuration of the gateway is made from each setting", () => {
	const folder = `${root}/packages/gateway/src/config`;
	const sources = globSync("*.ts", { cwd: folder, exclude: ["*.test.ts", "schema.ts", "sources.ts"] });
	const code = sources.map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("\n");
	const isRead = (name: string): boolean => new RegExp(`[\\s{.]${name}(?=[,\\s}?.)=])`).test(code);
	const names = Object.keys(Object(Object(schema).properties)).filter((name) => !name.startsWith("$"));
	expect(names.length).toBeGreaterThan(10);
	const hint = "read the setting in packages/gateway/src/config/load.ts";
	expect(
		names.filter((name) => !isRead(name)),
		hint,
	).toEqual([]);
	expect(isRead("noSuchSetting")).toBe(false);
});

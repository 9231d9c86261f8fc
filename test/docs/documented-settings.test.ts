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

/** JSON blocks of a page that look like `parley.config.json`: not rules, rows of models, or frames of a protocol. */
function settings(page: string): Record<string, unknown>[] {
	const text = readFileSync(`${root}/${page}`, "utf8");
	return [...text.matchAll(/^```jsonc?\n(.*?)^```$/gms)]
		.map(([, block = ""]) => parseCommentedJson(page, block).values)
		.filter((values) => !("rules" in values || "type" in values || Array.isArray(values["models"])));
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

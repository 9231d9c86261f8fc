import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationPage, withTables } from "./configuration-page.ts";
import { configSchema } from "./schema.ts";
import { flagNames, variableNames } from "./sources.ts";

const page = readFileSync(configurationPage, "utf8");

test("docs/configuration.md has the tables of the schema", () => {
	const hint = "write them with `node packages/gateway/src/config/configuration-page.ts`";
	expect(page, hint).toBe(withTables(page));
});

test("docs/configuration.md has each setting, flag and variable", () => {
	const settings = Object.keys(configSchema().shape);
	const names = [...settings, ...Object.values(flagNames), ...Object.values(variableNames)];
	const missing = names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}.`));
	expect(missing).toEqual([]);
});

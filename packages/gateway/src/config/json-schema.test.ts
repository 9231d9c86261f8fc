import { readFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { generateJsonSchema, jsonSchemaFile } from "./json-schema.ts";
import { configSchema } from "./schema.ts";

test("the JSON Schema in the package equals the generated one; run json-schema.ts to write it", () => {
	expect(readFileSync(jsonSchemaFile, "utf8")).toBe(generateJsonSchema());
});

interface Described {
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Described>>;
}

function undescribed({ properties = {} }: Described, path: string): string[] {
	return Object.entries(properties).flatMap(([key, setting]) => [
		...(setting.description ? [] : [`${path}${key}`]),
		...undescribed(setting, `${path}${key}.`),
	]);
}

test("the JSON Schema describes every setting", () => {
	const schema: Described = Object(parseJson(generateJsonSchema()));
	expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(configSchema().shape));
	expect(undescribed(schema, "")).toEqual([]);
});

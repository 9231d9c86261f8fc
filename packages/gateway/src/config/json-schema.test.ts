import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generateJsonSchema, jsonSchemaFile } from "./json-schema.ts";
import { configSchema } from "./schema.ts";

test("the JSON Schema in the package is the one that the code makes; run json-schema.ts to write it", () => {
	expect(readFileSync(jsonSchemaFile, "utf8")).toBe(generateJsonSchema());
});

test("the JSON Schema describes every setting", () => {
	const schema = generateJsonSchema();
	for (const key of Object.keys(configSchema.shape)) expect(schema).toContain(`\t\t"${key}": {`);
	expect(schema.match(/"description"/g)).toHaveLength(Object.keys(configSchema.shape).length);
});

import { writeFileSync } from "node:fs";
import * as z from "zod";
import { configSchema } from "./schema.ts";

/** File with the generated JSON Schema of the configuration. Running this module writes the file. */
export const jsonSchemaFile = new URL("../../parley.config.schema.json", import.meta.url);

/**
 * Generates the JSON Schema of the configuration file for editors. The text has the format that this repository's
 * formatter requires.
 */
export function generateJsonSchema(): string {
	const schema = z.toJSONSchema(configSchema(), { io: "input", target: "draft-7" });
	const text = JSON.stringify({ ...schema, title: "parley.config.json" }, undefined, "\t");
	// The formatter requires short lists of words on one line.
	return `${text.replaceAll(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items: string) => `[${items.replaceAll(/\s+/g, " ")}]`)}\n`;
}

if (import.meta.main) writeFileSync(jsonSchemaFile, generateJsonSchema());

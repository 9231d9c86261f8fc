import type { Document, JsonSchema } from "./openapi.ts";

/**
 * Closes the objects of request schemas, so that a misspelled key is a fault. Discord's document leaves nearly all
 * objects open. Parts of an `allOf` stay open, because each part would refuse the keys of the other parts.
 */
export function closeRequests(document: Document): Document {
	const { schemas } = document.components;
	const named = (schema: JsonSchema): JsonSchema =>
		schemas[schema.$ref?.replace("#/components/schemas/", "") ?? ""] ?? schema;
	const parts = new Set<JsonSchema>();
	const reached = new Set<JsonSchema>();
	const visit = (reference: JsonSchema, part: boolean): void => {
		const schema = named(reference);
		if (part) parts.add(schema);
		if (reached.has(schema)) return;
		reached.add(schema);
		for (const one of schema.allOf ?? []) visit(one, true);
		const open = [schema.items, schema.additionalProperties].filter((one) => typeof one === "object");
		const all = [
			...Object.values(schema.properties ?? {}),
			...open,
			...(schema.anyOf ?? []),
			...(schema.oneOf ?? []),
		];
		for (const one of all) visit(one, false);
	};
	for (const operations of Object.values(document.paths)) {
		for (const { requestBody } of Object.values(operations)) {
			const body = requestBody?.content?.["application/json"];
			if (body) visit(body.schema, false);
		}
	}
	for (const schema of reached) {
		const object = schema.properties !== undefined && schema.additionalProperties === undefined;
		if (object && !parts.has(schema)) schema.unevaluatedProperties = false;
	}
	return document;
}

/** The part of JSON Schema that describes limits. */
export interface Schema {
	$ref?: string;
	type?: string | readonly string[];
	description?: string;
	properties?: Record<string, Schema>;
	items?: Schema | readonly Schema[];
	minLength?: number;
	maxLength?: number;
	minItems?: number;
	maxItems?: number;
	[keyword: string]: unknown;
}

const number = "(\\d[\\d,]*)";
const maximum = new RegExp(
	`max(?:imum)?(?: (?:length|number))?(?: [a-z\`]+){0,10}? ${number}|limit ${number} characters`,
	"i",
);
const least = new RegExp(`minimum(?: (?:length|number))?(?: [a-z\`]+){0,10}? ${number}`, "i");
const ofEach = new RegExp(`in each item is ${number} characters`, "i");

export function limitByComments(schema: unknown): void {
	if (typeof schema !== "object" || schema === null) return;
	if ("description" in schema && typeof schema.description === "string") {
		// The cast is safe because every object with a description is a schema.
		limit(schema as Schema, schema.description.replaceAll("`", "").replaceAll(/\s+/g, " "));
	}
	for (const inner of Object.values(schema)) limitByComments(inner);
}

function limit(schema: Schema, text: string): void {
	const [greatest, smallest, each] = [found(maximum, text), found(least, text), found(ofEach, text)];
	if (schema.type === "array") {
		if (greatest !== undefined) schema.maxItems = greatest;
		if (smallest !== undefined) schema.minItems = smallest;
		if (each !== undefined && schema.items && !Array.isArray(schema.items))
			Object.assign(schema.items, textOf({ maxLength: each }));
		return;
	}
	if (!/character|length/i.test(text)) return;
	const lengths = {
		...(greatest !== undefined && { maxLength: greatest }),
		...(smallest !== undefined && { minLength: smallest }),
	};
	if (schema.type === "string") Object.assign(schema, lengths);
	else if (isText(schema) && greatest !== undefined) Object.assign(schema, textOf(lengths));
}

function isText({ $ref, anyOf }: Schema): boolean {
	return $ref !== undefined ? /Element$|TextObject$/.test($ref) : Array.isArray(anyOf);
}

function textOf(lengths: Pick<Schema, "minLength" | "maxLength">): Schema {
	return { properties: { text: lengths } };
}

function found(pattern: RegExp, text: string): number | undefined {
	const digits = pattern
		.exec(text)
		?.slice(1)
		.find((group) => group !== undefined);
	return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

/**
 * Returns a JSON Schema as lines of `PATH: TYPE, LIMITS`. Descriptions are excluded, because they are not part of the
 * surface. In a path, `name?` is an optional field, `*` any name, `[]` an item, `#1` an item with a fixed position, and
 * `|1` an alternative.
 */
export function schemaLines(schema: unknown, path: string): string[] {
	if (!isObject(schema)) return [`${path}: ${JSON.stringify(schema)}`];
	const { $defs, properties, required, items, prefixItems, anyOf, oneOf, allOf, ...rest } = schema;
	const { additionalProperties: others, propertyNames: names, ...limits } = rest;
	const own = isObject(others) ? limits : { ...limits, additionalProperties: others };
	const needed = Array.isArray(required) ? required : [];
	const fields = Object.entries(isObject(properties) ? properties : {});
	return [
		[path, limitsOf(own)].filter(Boolean).join(": "),
		...fields.flatMap(([name, field]) =>
			schemaLines(field, `${path}.${name}${needed.includes(name) ? "" : "?"}`),
		),
		...(isObject(others) ? schemaLines(others, `${path}.*`) : []),
		...(isObject(names) ? schemaLines(names, `${path}.* name`) : []),
		...(items === undefined ? [] : schemaLines(items, `${path}[]`)),
		...alternatives(prefixItems, `${path}#`),
		...[anyOf, oneOf, allOf].flatMap((list) => alternatives(list, `${path}|`)),
		...Object.entries(isObject($defs) ? $defs : {}).flatMap(([name, definition]) =>
			schemaLines(definition, `${path} $defs ${name}`),
		),
	];
}

function alternatives(list: unknown, path: string): string[] {
	return Array.isArray(list) ? list.flatMap((each, index) => schemaLines(each, `${path}${index + 1}`)) : [];
}

/** Returns the type and the limits of a schema, for example `string, minLength 1`. */
function limitsOf({ type, description, $schema, ...limits }: Readonly<Record<string, unknown>>): string {
	const texts = Object.entries(limits)
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	const kind = typeof type === "string" ? type : type && JSON.stringify(type);
	return [kind, ...texts].filter(Boolean).join(", ");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the declarations of a `.proto` file, one per line, without comments. */
export function protoLines(source: string): string[] {
	const code = source.replaceAll(/\/\/.*/g, "").replaceAll(/\s+/g, " ");
	return [...code.matchAll(/[^;{}]*[;{}]/g)].map(([part]) => part.trim());
}

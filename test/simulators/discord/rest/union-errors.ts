import type { ErrorObject } from "ajv";

/** Pattern of the path of a key that identifies the kind of a union member. */
const kindKey = /\/(type|component_type|t)$/;

interface Alternative {
	readonly schema: string;
	readonly instance: string;
}

function otherKinds(errors: readonly ErrorObject[]): Alternative[] {
	const kinds = errors.filter(
		({ keyword, instancePath }) => (keyword === "const" || keyword === "enum") && kindKey.test(instancePath),
	);
	return kinds.map(({ schemaPath, instancePath }) => ({
		schema: schemaPath.replace(/\/properties\/[^/]+\/(.*\/)?(const|enum)$/, "/"),
		instance: instancePath.replace(kindKey, ""),
	}));
}

/** Returns at most five distinct texts, for the deepest errors of the intended kind of union member. */
export function unionErrors(errors: readonly ErrorObject[]): string[] {
	const real = errors.filter(({ keyword }) => !["oneOf", "anyOf", "$ref", "if"].includes(keyword));
	const others = otherKinds(real);
	const relevant = real.filter(
		({ schemaPath, instancePath }) =>
			!others.some(
				({ schema, instance }) => schemaPath.startsWith(schema) && instancePath.startsWith(instance),
			),
	);
	const counted = relevant.length > 0 ? relevant : real;
	const depth = ({ instancePath }: ErrorObject): number => instancePath.split("/").length;
	const maximum = Math.max(0, ...counted.map(depth));
	const words = counted
		.filter((error) => depth(error) === maximum)
		.map(({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`);
	const distinct = [...new Set(words)].slice(0, 5);
	return distinct.length > 0 ? distinct : ["/: fits none of the kinds"];
}

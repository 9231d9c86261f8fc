import { type MethodName, methods } from "@parley/protocol";
import * as z from "zod";
import type { Random } from "../random.ts";
import { type Json, oddValue } from "./odd-values.ts";
import type { Surroundings } from "./valid-frames.ts";

/** The subset of JSON Schema that the methods use. */
interface Schema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minLength?: number;
}

type Fields = [name: string, value: Json][];

const names = Object.keys(methods);
const schemas = new Map(
	Object.entries(methods).map(([name, { params }]) => {
		// The cast is safe because the JSON Schema of the methods uses only the subset above.
		const schema = z.toJSONSchema(params, { io: "input", unrepresentable: "any" }) as Schema;
		return [name, schema.properties ?? {}];
	}),
);

/** Harmless values by field. Other values of these fields could start real work. */
const harmless: Readonly<Record<string, readonly string[]>> = {
	content: ["say: hello", "think: well\nsay: hello", "nothing to carry out", "read: missing.txt"],
	root_dir: ["", ".", "/", "/nowhere", "\u0000", "~"],
};

/** Returns a frame that follows the schema of a method except for one or more mistakes. */
export function growFrame(random: Random, surroundings: Surroundings): string {
	const method = random.pick(names);
	const params = growParams(method, random, surroundings);
	const frame: Fields = [
		["type", '"req"'],
		["id", JSON.stringify(`g-${random.below(2 ** 31)}`)],
		["method", JSON.stringify(method)],
	];
	// Most mistakes are in the parameters, because the gateway checks the frame before the parameters.
	if (random.chance(0.85))
		for (let rounds = random.between(1, 3); rounds > 0; rounds--) damageField(params, random);
	else damageField(frame, random);
	frame.push(["params", random.chance(0.03) ? oddValue(random) : write(params)]);
	if (random.chance(0.2))
		frame.push(["session_id", JSON.stringify(random.pick([...surroundings.sessions, "sess_unknown"]))]);
	if (random.chance(0.05)) damageField(frame, random);
	return write(random.chance(0.3) ? random.shuffle(frame) : frame);
}

export function nameMethod(random: Random): string {
	const strange = [
		"",
		"OPEN_SESSION",
		"open_session ",
		"toString",
		"__proto__",
		"constructor",
		"hasOwnProperty",
		"öffne",
	];
	const method = random.pick([...strange, "x".repeat(64), "x".repeat(65)]);
	return JSON.stringify({ type: "req", id: `n-${random.below(2 ** 31)}`, method, params: {} });
}

function growParams(method: string, random: Random, surroundings: Surroundings): Fields {
	const fields = Object.entries(schemas.get(method) ?? {});
	return fields
		.filter(([name]) => isNeeded(method, name) || random.chance(0.4))
		.map(([name, schema]) => [name, growField(name, schema, { random, surroundings })]);
}

function isNeeded(method: string, name: string): boolean {
	// The cast is safe because `method` is one of the keys of `methods`.
	return (
		!methods[method as MethodName].params.safeParse({}).success &&
		["token", "content", "sessions"].includes(name)
	);
}

interface Soil {
	readonly random: Random;
	readonly surroundings: Surroundings;
}

function growField(name: string, schema: Schema, { random, surroundings }: Soil): Json {
	const texts = harmless[name];
	if (texts) return JSON.stringify(random.pick(texts));
	if (name === "session_id")
		return JSON.stringify(random.pick([...surroundings.sessions, "sess_unknown", "nobody"]));
	if (name === "token") return JSON.stringify(random.pick([...surroundings.tokens, "prompt_unknown"]));
	return grow(schema, { random, surroundings });
}

function grow(schema: Schema, parts: Soil): Json {
	const { random } = parts;
	const options = schema.anyOf?.filter(({ type }) => type !== "null");
	if (options) return grow(options[0] ?? {}, parts);
	switch (schema.type) {
		case "string":
			return JSON.stringify(`s${random.below(1000)}`);
		case "integer":
			return String(random.between(schema.minimum ?? 0, Math.min(schema.maximum ?? 100, 100)));
		case "boolean":
			return String(random.chance(0.5));
		case "array":
			return `[${Array.from({ length: random.between(1, 3) }, () => grow(schema.items ?? {}, parts)).join(",")}]`;
		case "object": {
			const fields = Object.entries(schema.properties ?? {});
			return write(fields.map(([name, field]) => [name, growField(name, field, parts)]));
		}
		default:
			return oddValue(random);
	}
}

function damageField(fields: Fields, random: Random): void {
	const at = random.below(Math.max(1, fields.length));
	const [name] = fields[at] ?? ["stranger"];
	const kind = random.below(10);
	if (kind < 6)
		fields[at] = [name, name === "content" && random.chance(0.5) ? '" \\n\\t"' : oddValue(random)];
	else if (kind < 8) fields.splice(at, 1);
	else fields.push([kind === 8 ? name : random.pick(["extra", "", "TYPE", "Params"]), oddValue(random)]);
}

function write(fields: Fields): Json {
	return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { Ajv, type ValidateFunction } from "ajv";
import { unionErrors } from "../rest/union-errors.ts";

const require = createRequire(import.meta.url);
const cacheDirectory = fileURLToPath(
	new URL("../../../node_modules/.cache/discord-schema/", import.meta.url),
);
/** Packages whose versions are part of the cache file's name. */
const entries = ["discord-api-types/v10", "ts-json-schema-generator"];

interface Schema {
	readonly definitions: Record<string, Definition>;
}

interface Definition {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
	readonly required?: readonly string[];
}

/** Checks dispatches against the types in `discord-api-types`. */
export class PayloadSchema {
	static #loaded: PayloadSchema | undefined;
	readonly #ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
	readonly #definitions: ReadonlyMap<string, string>;
	readonly #validators = new Map<string, ValidateFunction>();

	private constructor(schema: Schema) {
		allowMediaId(schema);
		completeSnapshots(schema);
		// Adds only the definitions, so that the first event does not compile the union of all events.
		this.#ajv.addSchema({ definitions: schema.definitions }, "gateway");
		const named = Object.entries(schema.definitions).flatMap(([name, { properties }]) => {
			const event = properties?.["t"]?.const;
			return typeof event === "string" ? [[event, name] as const] : [];
		});
		this.#definitions = new Map(named);
	}

	static load(): PayloadSchema {
		PayloadSchema.#loaded ??= new PayloadSchema(readSchema());
		return PayloadSchema.#loaded;
	}

	/**
	 * Returns reasons why a payload does not match the type of its `t`, for example an unknown key. Throws if `t`
	 * is unknown.
	 */
	faults(payload: { readonly t: string }): string[] {
		const validate = this.#validators.get(payload.t) ?? this.#compile(payload.t);
		return validate(payload) ? [] : unionErrors(validate.errors ?? []);
	}

	#compile(t: string): ValidateFunction {
		const name = this.#definitions.get(t);
		if (name === undefined) throw new Error(`discord-api-types knows no event ${t}`);
		const escaped = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
		const validate = this.#ajv.compile({ $ref: `gateway#/definitions/${escaped}` });
		this.#validators.set(t, validate);
		return validate;
	}
}

function allowMediaId({ definitions }: Schema): void {
	const { properties = {} } = definitions["APIUnfurledMediaItem"] ?? {};
	// The types lack the id, but Discord's OpenAPI document requires it in responses.
	Object.assign(properties, { id: { type: "string" } });
}

function completeSnapshots({ definitions }: Schema): void {
	// The generator gives each field of `Pick<APIMessage, …>` the type of a message.
	const { APIMessage: message, APIMessageSnapshotFields: snapshot } = definitions;
	if (message?.properties === undefined || snapshot?.properties === undefined) return;
	const names = Object.keys(snapshot.properties);
	const fields = Object.entries(message.properties).filter(([name]) => names.includes(name));
	const required = message.required?.filter((name) => names.includes(name));
	Object.assign(snapshot, { properties: Object.fromEntries(fields), required });
}

/** Returns the schema. Caches it in a file, because the generation takes two seconds. */
function readSchema(): Schema {
	const file = `${cacheDirectory}${entries.map(versionOf).join("-")}.json`;
	// The cast is safe because only this function writes the file.
	if (existsSync(file)) return parseJson(readFileSync(file, "utf8"), limits) as Schema;
	const schema = generateSchema();
	mkdirSync(cacheDirectory, { recursive: true });
	// Concurrent test files must not read an incomplete file.
	writeFileSync(`${file}.${process.pid}`, JSON.stringify(schema));
	renameSync(`${file}.${process.pid}`, file);
	return schema;
}

const limits = { maxDepth: 100, maxNodes: 1_000_000 };

function versionOf(entry: string): string {
	const [name = ""] = entry.split("/");
	const path = require.resolve(entry).replace(new RegExp(`(.*/node_modules/${name}/).*`), "$1package.json");
	// The cast is safe because the manifest of every package has a version.
	return (parseJson(readFileSync(path, "utf8"), limits) as { readonly version: string }).version;
}

function generateSchema(): Schema {
	// Loads the compiler only if no schema is cached.
	const { createGenerator }: typeof import("ts-json-schema-generator") = require("ts-json-schema-generator");
	const schema = createGenerator({
		path: require.resolve("discord-api-types/v10").replace(/\.m?js$/, ".d.ts"),
		skipTypeCheck: true,
		additionalProperties: false,
		topRef: false,
		jsDoc: "none",
	}).createSchema("GatewayDispatchPayload");
	// The cast is safe because the generator always writes definitions.
	const { definitions } = schema as Schema;
	for (const [name, definition] of Object.entries(definitions)) {
		// The types list only single flags, but combinations must be allowed as well.
		if (name.endsWith("Flags") && definition.type === "number") definitions[name] = { type: "integer" };
	}
	forbidEmpty(definitions);
	return { ...schema, definitions };
}

function forbidEmpty(value: unknown): void {
	if (typeof value !== "object" || value === null) return;
	// For a type without values, the generator writes an empty enum, which is not valid in a schema.
	if ("enum" in value && Array.isArray(value.enum) && value.enum.length === 0) {
		delete value.enum;
		Object.assign(value, { not: {} });
	}
	for (const inner of Object.values(value)) forbidEmpty(inner);
}

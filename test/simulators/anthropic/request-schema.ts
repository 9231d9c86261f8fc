import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { VERSION } from "@anthropic-ai/sdk/version";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";

const require = createRequire(import.meta.url);
const declarations = require
	.resolve("@anthropic-ai/sdk/resources/messages/messages")
	.replace(/\.m?js$/, ".d.ts");
const cacheDirectory = fileURLToPath(new URL("../../node_modules/.cache/anthropic-schema/", import.meta.url));

const types = [
	"MessageCreateParamsStreaming",
	"MessageCountTokensParams",
	"RawMessageStreamEvent",
	"MessageTokensCount",
] as const;
type Schemas = Readonly<Record<string, object>>;
type TypeName = (typeof types)[number];

/** Keys that the types contain, but that the SDK sends as headers. */
const headerKeys = ["user_profile_id", "workspace_id"];

/** Checks values against the types in the installed SDK. */
export class RequestSchema {
	static #loaded: Promise<RequestSchema> | undefined;
	readonly #validators: Readonly<Record<string, ValidateFunction>>;

	private constructor(schemas: Schemas) {
		const ajv = new Ajv({ strict: false, allErrors: true });
		const compiled = Object.entries(schemas).map(([type, schema]) => [type, ajv.compile(schema)] as const);
		this.#validators = Object.fromEntries(compiled);
	}

	static load(): Promise<RequestSchema> {
		RequestSchema.#loaded ??= loadSchemas().then((schemas) => new RequestSchema(schemas));
		return RequestSchema.#loaded;
	}

	/** Returns reasons why the value does not match the type, for example an unknown key. Empty if it matches. */
	faults(type: TypeName, value: unknown): string[] {
		const validate = this.#validators[type];
		if (!validate) throw new Error(`no schema of ${type}`);
		return validate(value) ? [] : deepest(validate.errors ?? []);
	}
}

/** Returns the errors at the deepest path, because they identify the mistake in a union. */
function deepest(errors: readonly ErrorObject[]): string[] {
	const depth = (error: ErrorObject): number => error.instancePath.split("/").length;
	const maximum = Math.max(...errors.map(depth));
	const texts = errors
		.filter((error) => depth(error) === maximum && error.keyword !== "anyOf")
		.map(
			({ instancePath, message, params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
		);
	const distinct = [...new Set(texts)].slice(0, 6);
	return distinct.length > 0 ? distinct : ["fits none of the types"];
}

/** Returns the schemas. Caches them in a file, because the generation takes seconds. */
async function loadSchemas(): Promise<Schemas> {
	const generator = JSON.parse(
		readFileSync(require.resolve("ts-json-schema-generator/package.json"), "utf8"),
	);
	const file = `${cacheDirectory}${VERSION}-${generator.version}.json`;
	if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
	const schemas = await generateSchemas();
	mkdirSync(cacheDirectory, { recursive: true });
	// Concurrent test files must not read an incomplete file.
	writeFileSync(`${file}.${process.pid}`, JSON.stringify(schemas));
	renameSync(`${file}.${process.pid}`, file);
	return schemas;
}

/** Generates the schemas. Objects are closed, so that the check reports a misspelled key. */
async function generateSchemas(): Promise<Schemas> {
	const { createGenerator } = await import("ts-json-schema-generator");
	const generator = createGenerator({
		path: declarations,
		skipTypeCheck: true,
		additionalProperties: false,
		topRef: false,
		jsDoc: "none",
	});
	const schemas = types.map((type) => {
		const schema = generator.createSchema(type);
		for (const key of headerKeys) delete schema.properties?.[key];
		return [type, schema] as const;
	});
	return Object.fromEntries(schemas);
}

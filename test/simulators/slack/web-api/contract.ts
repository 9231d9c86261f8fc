import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { Ajv, type ValidateFunction } from "ajv";
import { unionErrors } from "../../discord/rest/union-errors.ts";
import { limitByComments, type Schema } from "./doc-limits.ts";
import type { ChatMethods, ConversationMethods, OtherMethods } from "./method-arguments.ts";

export type AllMethods = ChatMethods & ConversationMethods & OtherMethods;

const require = createRequire(import.meta.url);
const source = fileURLToPath(new URL("./method-arguments.ts", import.meta.url));
const cacheDirectory = fileURLToPath(new URL("../../../node_modules/.cache/slack-schema/", import.meta.url));
const roots = ["ChatMethods", "ConversationMethods", "OtherMethods", "SentEvents"] as const;
/** Packages whose versions are part of the name of the cache file. */
const packages = ["@slack/types", "@slack/web-api", "ts-json-schema-generator"];
const limits = { maxDepth: 100, maxNodes: 1_000_000 };

interface Root extends Schema {
	readonly properties: Record<string, Schema>;
	readonly definitions: Record<string, Schema>;
}

type Roots = Readonly<Record<(typeof roots)[number], Root>>;

/**
 * Checks calls and events against the types in Slack's packages, and against the limits in the comments of these types.
 */
export class Contract {
	static #loaded: Contract | undefined;
	readonly #ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });
	/** Name of the root schema of each method. */
	readonly #methods = new Map<string, (typeof roots)[number]>();
	readonly #roots: Roots;
	readonly #validators = new Map<string, ValidateFunction>();

	private constructor(schemas: Roots) {
		this.#roots = schemas;
		for (const root of roots) {
			this.#ajv.addSchema(schemas[root], root);
			for (const name of Object.keys(schemas[root].properties)) this.#methods.set(name, root);
		}
	}

	static load(): Contract {
		Contract.#loaded ??= new Contract(readSchemas());
		return Contract.#loaded;
	}

	/** Returns the faults of the arguments of a method, or of an event. An unknown field is a fault. */
	faults(method: keyof AllMethods | "event", args: unknown): string[] {
		const validate = this.#validators.get(method) ?? this.#compile(method);
		return validate(args) ? [] : unionErrors(validate.errors ?? []);
	}

	/** Returns the fields of a form, converted to the argument types of the method. */
	readForm(method: string, fields: Readonly<Record<string, string>>): Record<string, unknown> {
		const root = this.#methods.get(method);
		if (root === undefined) return { ...fields };
		const schema = this.#resolved(root, this.#roots[root].properties[method]);
		const read = Object.entries(fields).map(([name, text]) => {
			const type = this.#resolved(root, schema?.properties?.[name])?.type;
			return [name, readText(text, type)] as const;
		});
		return Object.fromEntries(read);
	}

	#resolved(root: (typeof roots)[number], schema: Schema | undefined): Schema | undefined {
		const [, name] = /^#\/definitions\/(.*)$/.exec(schema?.$ref ?? "") ?? [];
		return name === undefined ? schema : this.#roots[root].definitions[decodeURIComponent(name)];
	}

	#compile(method: string): ValidateFunction {
		const root = this.#methods.get(method);
		if (root === undefined) throw new Error(`the types know no ${method}`);
		const validate = this.#ajv.compile({ $ref: `${root}#/properties/${encodeURIComponent(method)}` });
		this.#validators.set(method, validate);
		return validate;
	}
}

function readText(text: string, type: Schema["type"]): unknown {
	if (type === undefined || type === "object" || type === "array")
		return isJson(text) ? parseJson(text, limits) : text;
	if (type === "boolean") return text === "true" || text === "1";
	return type === "number" || type === "integer" ? Number(text) : text;
}

function isJson(text: string): boolean {
	return text.startsWith("{") || text.startsWith("[");
}

/** Returns the schemas. Caches them in a file, because the generation takes seconds. */
function readSchemas(): Roots {
	const written = String(readFileSync(source).byteLength);
	const file = `${cacheDirectory}${[...packages.map(versionOf), written].join("-")}.json`;
	const schemas = existsSync(file) ? undefined : generateSchemas();
	if (schemas) {
		mkdirSync(cacheDirectory, { recursive: true });
		// Concurrent test files must not read an incomplete file.
		writeFileSync(`${file}.${process.pid}`, JSON.stringify(schemas));
		renameSync(`${file}.${process.pid}`, file);
	}
	// The cast is safe because only this function writes the file.
	const read = schemas ?? (parseJson(readFileSync(file, "utf8"), limits) as Roots);
	for (const root of roots) {
		limitByComments(read[root]);
		// The types include a block of any type, which would accept every misspelled block.
		if (read[root].definitions["Block"]) read[root].definitions["Block"] = { not: {} };
	}
	return read;
}

function versionOf(name: string): string {
	let directory = dirname(require.resolve(name));
	while (!existsSync(join(directory, "package.json"))) directory = dirname(directory);
	// The cast is safe because the manifest of every package has a version.
	return (parseJson(readFileSync(join(directory, "package.json"), "utf8")) as { readonly version: string })
		.version;
}

function generateSchemas(): Roots {
	// Loads the compiler only if no schema is cached.
	const { createGenerator }: typeof import("ts-json-schema-generator") = require("ts-json-schema-generator");
	const generator = createGenerator({
		path: source,
		skipTypeCheck: true,
		additionalProperties: false,
		topRef: false,
		jsDoc: "extended",
	});
	const schemas = roots.map((root) => [root, generator.createSchema(root)] as const);
	// The cast is safe because the generator always writes properties and definitions.
	return Object.fromEntries(schemas) as unknown as Roots;
}

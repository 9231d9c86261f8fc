import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { MessageReferenceType } from "discord-api-types/v10";
import { closeRequests } from "./close-requests.ts";
import type { Document, JsonSchema, Operation } from "./openapi.ts";
import { unionErrors } from "./union-errors.ts";

/**
 * Path of Discord's OpenAPI document, which is not part of this repository. By default, the document is next to
 * the repository. `PARLEY_DISCORD_OPENAPI` can name another path.
 */
export const contractFile =
	process.env["PARLEY_DISCORD_OPENAPI"] ??
	fileURLToPath(new URL("../../../../../shared/platforms/discord-openapi.json", import.meta.url));

const formats = ["int32", "int64", "double", "nonce", "snowflake"];

/** Checks requests and responses against Discord's OpenAPI document: https://github.com/discord/discord-api-spec */
export class Contract {
	static #loaded: Contract | undefined;
	readonly #requests: Side;
	readonly #answers: Side;

	private constructor(text: string) {
		// The cast trusts the form of Discord's document. A missing part fails when it is used.
		const read = (): Document => parseJson(text, { maxDepth: 100, maxNodes: 1_000_000 }) as Document;
		this.#requests = new Side(closeRequests(read()));
		this.#answers = new Side(withForwards(withoutEmptyEnums(read())));
	}

	/** Returns the contract, or undefined if the file does not exist. A process reads the file only once. */
	static load(): Contract | undefined {
		if (!existsSync(contractFile)) return undefined;
		Contract.#loaded ??= new Contract(readFileSync(contractFile, "utf8"));
		return Contract.#loaded;
	}

	/** Returns the faults of a request, or an empty list if the request matches the document. */
	faultsOfRequest(
		{ method, path }: { readonly method: string; readonly path: string },
		{ query, body, params }: { readonly query: object; readonly body: unknown; readonly params: object },
	): string[] {
		const operation = this.#requests.operation(method, path);
		const faults = [
			...this.#requests.faultsOfParameters(operation, "query", query),
			...this.#requests.faultsOfParameters(operation, "path", params),
		];
		const pointer = this.#requests.bodySchema(method, path);
		if (pointer === undefined) return body === undefined ? faults : [...faults, "body: there is none"];
		if (body === undefined) return operation.requestBody?.required ? [...faults, "body: is missing"] : faults;
		return [...faults, ...this.#requests.faults(pointer, forContract(body)).map((fault) => `body${fault}`)];
	}

	faultsOfAnswer(method: string, path: string, status: number, body: unknown): string[] {
		const pointer = this.#answers.answerSchema(method, path, status);
		if (pointer === "unknown status") return [`status ${status} is not among the answers`];
		if (pointer === undefined) return body === null ? [] : ["body: there must be none"];
		return this.#answers.faults(pointer, body).map((fault) => `answer${fault}`);
	}
}

/** Fields that discord.js sends with the value `false`, even if the contract lacks them. Discord ignores them. */
const additions: ReadonlySet<string> = new Set(["tts", "enforce_nonce"]);

/**
 * Adapts a body to the contract, which requires a number for `default_member_permissions`, and lacks fields that
 * Discord ignores.
 */
function forContract(body: unknown): unknown {
	if (Array.isArray(body)) return body.map(forContract);
	if (typeof body !== "object" || body === null) return body;
	const entries = Object.entries(body).flatMap(([key, value]) => {
		if (additions.has(key) && value === false) return [];
		if (key === "data") return [[key, forContract(value)]];
		const permissions = key === "default_member_permissions" && typeof value === "string";
		return [[key, permissions ? Number(value) : value]];
	});
	return Object.fromEntries(entries);
}

/** Removes empty enums, because Ajv refuses them. */
function withoutEmptyEnums<Value>(value: Value): Value {
	if (typeof value !== "object" || value === null) return value;
	if ("enum" in value && Array.isArray(value.enum) && value.enum.length === 0) delete value.enum;
	for (const inner of Object.values(value)) withoutEmptyEnums(inner);
	return value;
}

/**
 * Adds the type of forwards to the document. Its references allow only the type of replies, but real responses also
 * have the type of forwards: https://discord.com/developers/docs/resources/message#message-reference-types
 */
function withForwards(document: Document): Document {
	const { MessageReferenceType: known } = document.components.schemas;
	const forward = { const: MessageReferenceType.Forward };
	const schemas = { ...document.components.schemas, MessageReferenceType: { anyOf: [known ?? {}, forward] } };
	return { ...document, components: { ...document.components, schemas } };
}

class Side {
	readonly #document: Document;
	readonly #ajv: Ajv2020;
	readonly #validators = new Map<string, ValidateFunction>();

	constructor(document: Document) {
		this.#document = withoutEmptyEnums(document);
		this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, logger: false });
		// The package's types describe its CommonJS form, so the import needs a cast.
		(addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
		for (const format of formats) this.#ajv.addFormat(format, true);
		this.#ajv.addSchema(this.#document, "discord");
	}

	operation(method: string, path: string): Operation {
		const operation = this.#document.paths[path]?.[method.toLowerCase()];
		if (!operation) throw new Error(`the contract knows no ${method} ${path}`);
		return operation;
	}

	bodySchema(method: string, path: string): string | undefined {
		const content = this.operation(method, path).requestBody?.content["application/json"];
		if (!content) return undefined;
		return `${pointerTo(method, path)}/requestBody/content/application~1json/schema`;
	}

	answerSchema(method: string, path: string, status: number): string | undefined {
		const { responses } = this.operation(method, path);
		const key = [String(status), `${String(status).charAt(0)}XX`].find((name) => name in responses);
		if (key === undefined) return "unknown status";
		const answer = responses[key];
		const at = answer?.$ref ?? `${pointerTo(method, path)}/responses/${key}`;
		const content = answer?.$ref ? true : answer?.content?.["application/json"];
		return content ? `${at}/content/application~1json/schema` : undefined;
	}

	/**
	 * Returns the faults of query or path parameters. Converts texts first if the schema requires an integer or a
	 * boolean.
	 */
	faultsOfParameters(operation: Operation, place: "query" | "path", values: object): string[] {
		const known = new Map(
			(operation.parameters ?? []).filter((one) => one.in === place).map((one) => [one.name, one]),
		);
		return Object.entries(values).flatMap(([name, text]) => {
			const parameter = known.get(name);
			if (!parameter) return place === "query" ? [`query: there is no ${name}`] : [];
			const value = this.#validator(`parameter ${JSON.stringify(parameter.schema)}`, () =>
				this.#ajv.compile(absolute(parameter.schema)),
			);
			const read =
				parameter.schema.type === "integer" || parameter.schema.type === "boolean" ? readText(text) : text;
			return value(read) ? [] : [`${place}: ${name} must not be ${text}`];
		});
	}

	faults(pointer: string, value: unknown): string[] {
		const validate = this.#validator(pointer, () => this.#ajv.compile({ $ref: `discord${pointer}` }));
		return validate(value) ? [] : unionErrors(validate.errors ?? []);
	}

	#validator(key: string, compile: () => ValidateFunction): ValidateFunction {
		const known = this.#validators.get(key) ?? compile();
		this.#validators.set(key, known);
		return known;
	}
}

function readText(text: string): unknown {
	if (text === "true" || text === "false") return text === "true";
	return /^\d+$/.test(text) ? Number(text) : text;
}

function absolute(schema: JsonSchema): JsonSchema {
	return schema.$ref ? { $ref: `discord${schema.$ref}` } : schema;
}

function pointerTo(method: string, path: string): string {
	const escaped = encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
	return `#/paths/${escaped}/${method.toLowerCase()}`;
}

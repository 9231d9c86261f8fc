import { defined, ParleyError, parseJson } from "@parley/base";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { registrationTexts } from "./texts.ts";

export interface ClientTool {
	/** Name of 1 to 128 letters, digits, `_` and `-`. */
	readonly name: string;
	readonly description: string;
	/** JSON Schema (draft 2020-12) of the arguments object. Only the client checks the arguments. */
	readonly parameters: unknown;
	/** Maximum time until the client answers, in milliseconds. 0 and absent mean 120,000; the maximum is an hour. */
	readonly timeoutMs?: number;
	/**
	 * Effect of a call. Calls of `pure` tools change nothing, and several of these calls can run together. Calls of
	 * `physical` tools (the default) run one at a time.
	 */
	readonly category?: "physical" | "pure";
}

/** A change of the tools that a client offers. */
export interface ToolRegistration {
	/**
	 * Source that owns the tools within the client. The new tools replace all tools of the same source and all tools with
	 * a name that begins with `SOURCE__`. If the source is absent or "", the new tools are added to the client's tools.
	 * In both cases, a new tool replaces an earlier tool with the same name.
	 */
	readonly source?: string;
	readonly tools: readonly ClientTool[];
	/**
	 * Guidance for the model. The system prompt contains the guidance while the source owns a tool. An absent or blank
	 * text removes earlier guidance of the source. If there is no source, an absent or empty text leaves the guidance
	 * unchanged.
	 */
	readonly systemContext?: string;
}

export const clientToolLimits = {
	/** Maximum tools of one client. */
	tools: 128,
	descriptionLength: 8_192,
	/** Maximum UTF-8 bytes of one schema as JSON. `allSchemaBytes`: maximum of all schemas of one client together. */
	schemaBytes: 64 * 1024,
	allSchemaBytes: 1024 * 1024,
	/** Maximum characters of one source's guidance. */
	contextLength: 32_768,
	defaultTimeoutMs: 120_000,
	maxTimeoutMs: 60 * 60 * 1_000,
} as const;

/** A checked tool. Models accept the schema, and defaults replace absent values. */
export interface CheckedTool {
	readonly name: string;
	readonly description: string;
	readonly schema: Readonly<Record<string, unknown>>;
	readonly timeoutMs: number;
	readonly isPure: boolean;
}

const namePattern = /^[A-Za-z0-9_-]{1,128}$/;
/**
 * Pattern of source names. It excludes `_`, so that no source name begins with the tool prefix (`SOURCE__`) of another
 * source.
 */
const sourcePattern = /^[A-Za-z0-9-]{1,64}$/;
/**
 * Pattern of the argument names that models accept:
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
const argumentPattern = /^[A-Za-z0-9_.-]{1,64}$/;
/** Schema keywords that, at the top level, make some models refuse the complete request. */
const refusedKeywords = ["oneOf", "anyOf", "allOf"] as const;

/** Checks tools and their owners. Created by `loadToolCheck`. */
export class ToolCheck {
	readonly #ajv: Ajv2020;

	constructor(ajv: Ajv2020) {
		this.#ajv = ajv;
	}

	/** Returns the source unchanged. Throws `invalid_argument` if the source has invalid characters or is too long. */
	source(source: string): string {
		if (source === "" || sourcePattern.test(source)) return source;
		throw invalidRegistration(registrationTexts.source(quoted(source)));
	}

	/**
	 * Returns the checked tools. Throws `invalid_argument` with the reason if a tool is invalid, if two tools have the
	 * same name, or if there are too many tools.
	 */
	tools(tools: readonly ClientTool[]): readonly CheckedTool[] {
		const { tools: max } = clientToolLimits;
		if (tools.length > max) throw invalidRegistration(registrationTexts.tooMany(tools.length, max));
		const names = new Set<string>();
		return tools.map((tool, index) => {
			const { name } = tool;
			if (!namePattern.test(name))
				throw invalidRegistration(registrationTexts.toolName(index + 1, quoted(name)));
			if (names.has(name)) throw invalidRegistration(registrationTexts.twice(name));
			names.add(name);
			return this.#tool(tool);
		});
	}

	#tool({ name, description, parameters, timeoutMs = 0, category }: ClientTool): CheckedTool {
		const { descriptionLength, defaultTimeoutMs, maxTimeoutMs } = clientToolLimits;
		if (description.length > descriptionLength) {
			throw invalidRegistration(
				registrationTexts.longDescription(name, description.length, descriptionLength),
			);
		}
		if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
			throw invalidRegistration(registrationTexts.timeout(name, timeoutMs, defaultTimeoutMs));
		}
		return {
			name,
			description: description.toWellFormed(),
			schema: this.#schema(name, parameters),
			timeoutMs: timeoutMs === 0 ? defaultTimeoutMs : Math.min(timeoutMs, maxTimeoutMs),
			isPure: category === "pure",
		};
	}

	#schema(name: string, inputSchema: unknown): CheckedTool["schema"] {
		const fault = (problem: string, cause?: unknown): ParleyError =>
			invalidRegistration(registrationTexts.schema(name, problem), cause);
		const schema = plainObject(inputSchema, fault);
		const { type = "object", properties = {} } = schema;
		if (type !== "object") throw fault(registrationTexts.schemaType(quoted(String(type))));
		const refused = refusedKeywords.find((keyword) => keyword in schema);
		if (refused !== undefined) throw fault(registrationTexts.refusedKeyword(refused));
		if (!this.#ajv.validateSchema(schema)) {
			const reason = this.#ajv.errorsText(this.#ajv.errors, { dataVar: "schema" });
			throw fault(registrationTexts.notSchema(reason));
		}
		// The cast is safe because `properties` of a valid schema is an object.
		const keys = Object.keys(properties as object);
		const wrong = keys.find((key) => !argumentPattern.test(key));
		if (wrong !== undefined) throw fault(registrationTexts.property(quoted(wrong)));
		const { $schema: _, ...rest } = schema;
		return { ...rest, type, properties };
	}
}

/**
 * Returns a `ToolCheck`. The schema validator is imported here, so that it is loaded only for clients that run tools
 * and for MCP servers.
 */
export async function loadToolCheck(): Promise<ToolCheck> {
	const { Ajv2020: Validator } = await import("ajv/dist/2020.js");
	return new ToolCheck(new Validator({ strict: false, logger: false, validateFormats: false }));
}

/**
 * Returns a JSON copy of `given`, or `{}` for undefined or null. Throws an error from `fault` if `given` is not an
 * object, is too large or is nested too deeply.
 */
function plainObject(
	given: unknown,
	fault: (problem: string, cause?: unknown) => ParleyError,
): Readonly<Record<string, unknown>> {
	const { schemaBytes } = clientToolLimits;
	let value: unknown;
	try {
		const text = JSON.stringify(given ?? {}) ?? "null";
		const bytes = Buffer.byteLength(text);
		if (bytes > schemaBytes) throw fault(registrationTexts.largeSchema(bytes, schemaBytes));
		value = parseJson(text);
	} catch (cause) {
		const error = ParleyError.from(cause);
		throw error.code === "invalid_argument" && error.message.startsWith("tools:")
			? error
			: fault(registrationTexts.unusable(error.message), cause);
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw fault(registrationTexts.notObject);
	// The cast is safe because JSON has no other objects.
	return value as Readonly<Record<string, unknown>>;
}

export function invalidRegistration(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}

function quoted(text: string): string {
	return JSON.stringify(text.slice(0, 100));
}

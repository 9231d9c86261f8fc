import { isDeepStrictEqual } from "node:util";
import { duplicateKey, parseJson } from "@parley/base";
import * as z from "zod";
import { visible } from "../../text/visible.ts";
import type { ToolDescription } from "../../vocabulary/model.ts";
import type { Leniency, ParameterLeniency, Tool } from "../../vocabulary/tool.ts";
import { normaliseTexts } from "./texts.ts";

/** Maximum values in the JSON text of one argument. */
const MAX_NODES = 20_000;
/** Maximum characters of a quoted name, and of a shown number. */
const MAX_SHOWN = 100;

/** Tool call as the model wrote it. See `CallBlock`. */
export interface WrittenCall {
	readonly name: string;
	readonly arguments: unknown;
	readonly invalid?: string;
	readonly adjusted?: readonly string[];
}

export interface NormalCall {
	readonly name: string;
	readonly arguments: unknown;
	/** Changes as text for the model, for example `"file_path" is read as "path"`. */
	readonly adjusted: readonly string[];
	/** Reason why the arguments are ambiguous. If set, the arguments are unchanged. */
	readonly problem?: string;
}

/**
 * Returns the normal form of a tool call: the name of an offered tool, and arguments named as in its
 * `parameters`. Changes only unambiguous parts. Returns a call of an unknown tool, or with `invalid`,
 * unchanged. Normalising a normal form changes nothing.
 */
export function normaliseCall(tools: readonly Tool[], call: WrittenCall): NormalCall {
	const { name, arguments: args, adjusted = [] } = call;
	const unchanged = { name, arguments: args, adjusted };
	const tool = call.invalid === undefined ? findTool(tools, name) : undefined;
	if (!tool) return unchanged;
	const [description] = describeTools([tool]);
	const normaliser = new Normaliser(tool.accepts ?? {});
	const normal = normaliser.object(args, description?.parameters ?? {}, "");
	if (normaliser.problem !== undefined) return { ...unchanged, name: tool.name, problem: normaliser.problem };
	const renamed = tool.name === name ? [] : [normaliseTexts.toolName(quoted(tool.name), quoted(name))];
	return { name: tool.name, arguments: normal, adjusted: [...adjusted, ...renamed, ...normaliser.notes] };
}

/**
 * Finds a tool by its exact name, another spelling of its name, or an accepted name, in this order. Returns
 * undefined if no tool or several tools match.
 */
export function findTool(tools: readonly Tool[], name: string): Tool | undefined {
	const exact = tools.find((tool) => tool.name === name);
	if (exact) return exact;
	const plain = plainName(name);
	const alike = tools.filter((tool) => plainName(tool.name) === plain);
	const found = alike.length > 0 ? alike : tools.filter(({ accepts }) => hasName(accepts?.names, plain));
	return found.length === 1 ? found[0] : undefined;
}

interface Schema {
	readonly type?: unknown;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: unknown;
	readonly items?: Schema;
	readonly minimum?: number;
	readonly maximum?: number;
}

class Normaliser {
	readonly notes: string[] = [];
	problem: string | undefined;
	readonly #leniency: Leniency;

	constructor(leniency: Leniency) {
		this.#leniency = leniency;
	}

	/**
	 * Returns the normal form of an object, and any other value unchanged. `place` is the prefix of key
	 * paths, for example "" or "edits.0.".
	 */
	object(value: unknown, schema: Schema, place: string): unknown {
		// An object with arbitrary keys has no names to match.
		if (!isObject(value) || !schema.properties || schema.additionalProperties !== false) return value;
		const normal = new Map<string, unknown>();
		const writtenAs = new Map<string, string>();
		for (const [written, raw] of Object.entries(value)) {
			const entry = this.#entry(written, raw, { properties: schema.properties, place });
			if (!entry) continue;
			const { key } = entry;
			const before = writtenAs.get(key);
			if (before !== undefined && !isDeepStrictEqual(normal.get(key), entry.value)) {
				const names = `${quoted(place + before)} and ${quoted(place + written)}`;
				this.problem ??= normaliseTexts.sameArgument(names, quoted(place + key));
			}
			normal.set(key, entry.value);
			writtenAs.set(key, written);
		}
		return Object.fromEntries(normal);
	}

	/** Returns the normal key and value, or undefined if the entry has no effect. */
	#entry(
		written: string,
		raw: unknown,
		{ properties, place }: { readonly properties: Readonly<Record<string, Schema>>; readonly place: string },
	): { readonly key: string; readonly value: unknown } | undefined {
		const key = this.#keyOf(written, properties);
		const schema = key === undefined ? undefined : properties[key];
		if (key === undefined || schema === undefined) {
			if (place !== "" || !this.#leniency.ignored?.includes(written)) return { key: written, value: raw };
			this.notes.push(normaliseTexts.noEffect(quoted(written)));
			return undefined;
		}
		if (raw === null && !acceptsNull(schema)) {
			this.notes.push(normaliseTexts.nullNoEffect(quoted(place + written)));
			return undefined;
		}
		const value = this.#value(raw, { schema, key, written, place: place + key });
		if (written !== key)
			this.notes.push(normaliseTexts.readAsName(quoted(place + written), quoted(place + key)));
		return { key, value };
	}

	#keyOf(written: string, properties: Readonly<Record<string, Schema>>): string | undefined {
		if (Object.hasOwn(properties, written)) return written;
		const plain = plainName(written);
		const keys = Object.keys(properties);
		const alike = keys.filter((key) => plainName(key) === plain);
		const found = alike.length > 0 ? alike : keys.filter((key) => hasName(this.#of(key)?.names, plain));
		return found.length === 1 ? found[0] : undefined;
	}

	#of(key: string): ParameterLeniency | undefined {
		const { parameters = {} } = this.#leniency;
		return Object.hasOwn(parameters, key) ? parameters[key] : undefined;
	}

	#value(raw: unknown, at: Parameter): unknown {
		const { schema, place } = at;
		const value = typeof raw === "string" ? this.#read(raw, at) : raw;
		if (typeof value === "number" && isNumeric(schema)) return this.#number(value, at);
		if (Array.isArray(value) && schema.items) {
			const { items } = schema;
			return value.map((item, index) => this.object(item, items, `${place}.${index}.`));
		}
		return this.object(value, schema, `${place}.`);
	}

	/** Returns the value that the text represents in the type of the schema, or the text if there is no such value. */
	#read(text: string, { schema, place }: Parameter): unknown {
		const value = readText(text, schema);
		const twice = typeof value === "object" ? duplicateKey(text) : undefined;
		if (twice !== undefined) {
			this.problem ??= normaliseTexts.twice(quoted(place), quoted(twice));
		}
		if (value !== text) this.notes.push(normaliseTexts.textReadAs(quoted(place), nameOf(schema)));
		return value;
	}

	#number(raw: number, { schema, key, written, place }: Parameter): number {
		const leniency = this.#of(key) ?? {};
		const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
		let value =
			leniency.unit === undefined ? raw : inUnit(raw, { unit: leniency.unit, written, minimum, maximum });
		const bounded = leniency.atMost === true || leniency.unit !== undefined;
		if (bounded && Number.isInteger(value) && value > maximum) value = maximum;
		if (leniency.fromZero === true && value === 0) value = 1;
		if (value !== raw) this.notes.push(normaliseTexts.valueReadAs(quoted(place), shown(raw), shown(value)));
		return value;
	}
}

interface Parameter {
	readonly schema: Schema;
	readonly key: string;
	readonly written: string;
	readonly place: string;
}

interface Duration {
	readonly unit: "s" | "ms";
	readonly written: string;
	readonly minimum: number;
	readonly maximum: number;
}

/**
 * Converts `raw` to `unit`. A unit in the written name is the unit of `raw`. If the name has no unit:
 *
 * - a number of seconds above `maximum` is read as milliseconds
 * - a number of milliseconds below `minimum` is read as seconds
 */
function inUnit(raw: number, { unit, written, minimum, maximum }: Duration): number {
	if (raw <= 0 || !Number.isFinite(raw)) return raw;
	const named = unitOf(written);
	if (unit === "s")
		return named === "ms" || (named === undefined && raw > maximum) ? Math.ceil(raw / 1_000) : raw;
	return named === "s" || (named === undefined && raw < minimum) ? Math.round(raw * 1_000) : raw;
}

function unitOf(written: string): "s" | "ms" | undefined {
	if (/(?:ms|millis|milliseconds)$/i.test(written)) return "ms";
	return /(?:_s|_sec|_secs|seconds)$/i.test(written) ? "s" : undefined;
}

function readText(text: string, schema: Schema): unknown {
	const plain = text.trim();
	if (isNumeric(schema)) return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(plain) ? Number(plain) : text;
	if (schema.type === "boolean")
		return /^(?:true|false)$/i.test(plain) ? plain.toLowerCase() === "true" : text;
	if (schema.type !== "array" && schema.type !== "object") return text;
	try {
		const value = parseJson(plain, { maxNodes: MAX_NODES });
		return schema.type === "array" ? (Array.isArray(value) ? value : text) : isObject(value) ? value : text;
	} catch {
		// The value stays a text. The tool's schema refuses it and names the argument.
		return text;
	}
}

function isNumeric({ type }: Schema): boolean {
	return type === "integer" || type === "number";
}

function acceptsNull({ type }: Schema): boolean {
	return type === undefined || type === "null";
}

function nameOf({ type }: Schema): string {
	if (type === "array") return "a list";
	if (type === "object") return normaliseTexts.object;
	return type === "boolean" ? "a boolean" : "a number";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasName(names: readonly string[] = [], plain: string): boolean {
	return names.some((name) => plainName(name) === plain);
}

/**
 * Returns the name in lower case, without `_`, `-` and white space. The result is the same for `filePath`, `file_path`
 * and `File-Path`.
 */
function plainName(name: string): string {
	return name.toLowerCase().replaceAll(/[_\-\s]/g, "");
}

function shown(value: number): string {
	return String(value).slice(0, MAX_SHOWN);
}

function quoted(text: string): string {
	return JSON.stringify(visible(text.slice(0, MAX_SHOWN)));
}

/** Cache, because every model request needs the descriptions of all its tools. */
const descriptions = new WeakMap<Tool, ToolDescription>();

/** Returns the descriptions of the tools for a model. Repeated calls return the same description object for a tool. */
export function describeTools(tools: readonly Tool[]): ToolDescription[] {
	return tools.map((tool) => {
		const known = descriptions.get(tool);
		if (known) return known;
		const { $schema: _, ...parameters } =
			tool.schema?.() ?? z.toJSONSchema(tool.parameters(), { io: "input" });
		const description = { name: tool.name, description: tool.description, parameters };
		descriptions.set(tool, description);
		return description;
	});
}

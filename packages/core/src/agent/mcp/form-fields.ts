import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";

const maxOptions = 25;
const maxFields = 10;
/** Pattern of names and titles of fields for secrets. Servers may not request secrets in a form. */
const secretField = /pass(?:word|phrase|code)|secret|token|api.?key|credential/i;

export type FieldValue = string | number | boolean | string[];

/** A form field that one question can fill. */
export interface Field {
	readonly name: string;
	readonly type: "string" | "number" | "integer" | "boolean" | "array";
	readonly title: string;
	readonly choices: readonly Choice[] | undefined;
	/**
	 * Value that replaces an empty answer: a list if `type` is `array`. If undefined, an empty answer omits an optional
	 * field.
	 */
	readonly usual: string | readonly string[] | undefined;
	readonly isRequired: boolean;
	/** Minimum and maximum number of selected choices. Undefined unless `type` is `array`. */
	readonly counts: { readonly min: number; readonly max: number } | undefined;
}

interface Choice {
	readonly value: string;
	readonly label: string;
}

/**
 * Returns the fields of a form in the order of its schema. Returns undefined if there are too many fields, or if a
 * field cannot be a question. Examples are a field for a secret, of an unknown type, or with too many choices. A server
 * may send any schema. https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export function fieldsOf({ requestedSchema }: ElicitRequestFormParams): readonly Field[] | undefined {
	const entries = Object.entries(requestedSchema.properties);
	if (entries.length > maxFields) return undefined;
	const fields = entries.map(([name, schema]) => fieldOf(name, Object(schema), requestedSchema.required));
	const known = fields.filter((field) => field !== undefined);
	return known.length === fields.length ? known : undefined;
}

interface FieldSchema {
	readonly type?: unknown;
	readonly title?: unknown;
	readonly description?: unknown;
	readonly default?: unknown;
	readonly items?: unknown;
	readonly minItems?: unknown;
	readonly maxItems?: unknown;
}

function fieldOf(name: string, schema: FieldSchema, required: readonly string[] = []): Field | undefined {
	const { type } = schema;
	const title = String(schema.title ?? schema.description ?? name);
	if (secretField.test(`${name} ${title}`)) return undefined;
	const facts = { name, title, isRequired: required.includes(name), counts: undefined };
	if (type === "boolean") return { ...facts, type, choices: yesOrNo, usual: booleanDefault(schema) };
	if (type === "array") return choicesField({ ...facts, type }, schema);
	if (type !== "string" && type !== "number" && type !== "integer") return undefined;
	const choices = choicesOf(schema);
	return areUsable(choices) ? { ...facts, type, choices, usual: usualOf(schema, choices) } : undefined;
}

const yesOrNo = ["yes", "no"].map((value): Choice => ({ value, label: value }));

function booleanDefault({ default: usual }: FieldSchema): string | undefined {
	if (typeof usual !== "boolean") return undefined;
	return usual ? "yes" : "no";
}

/** Returns a field in which a person can select several items. */
function choicesField(facts: Omit<Field, "choices" | "usual">, schema: FieldSchema): Field | undefined {
	const choices = choicesOf(Object(schema.items));
	if (choices === undefined || !areUsable(choices)) return undefined;
	const { minItems, maxItems, default: usual } = schema;
	const min = typeof minItems === "number" ? minItems : 0;
	const max = typeof maxItems === "number" ? Math.min(maxItems, choices.length) : choices.length;
	if (min > max) return undefined;
	const isUsual = Array.isArray(usual) && usual.every((one) => choices.some(({ value }) => value === one));
	return { ...facts, choices, usual: isUsual ? usual.map(String) : undefined, counts: { min, max } };
}

/** Whether a question can have the given choices. True for undefined, because the field then has no choices. */
function areUsable(choices: readonly Choice[] | undefined): boolean {
	if (choices === undefined) return true;
	const values = new Set(choices.map(({ value }) => value));
	if (choices.some(({ label }) => label.trim() === "")) return false;
	return choices.length > 0 && choices.length <= maxOptions && values.size === choices.length;
}

/** Returns the choices of a field, or undefined if the field has no choices. The items of a list use `anyOf`. */
function choicesOf(schema: object): readonly Choice[] | undefined {
	const titled = "oneOf" in schema ? schema.oneOf : "anyOf" in schema ? schema.anyOf : undefined;
	if (Array.isArray(titled)) {
		return titled.map((one) => {
			const { const: value, title = value } = Object(one);
			return choiceOf(value, title);
		});
	}
	if (!("enum" in schema && Array.isArray(schema.enum))) return undefined;
	const names = "enumNames" in schema && Array.isArray(schema.enumNames) ? schema.enumNames : [];
	return schema.enum.map((value, index) => choiceOf(value, names[index] ?? value));
}

function choiceOf(value: unknown, title: unknown): Choice {
	const label = String(title);
	// A blank title is replaced, because chat platforms refuse an empty text.
	return { value: String(value), label: label.trim() === "" ? String(value) : label };
}

/**
 * Returns the default as text. Returns undefined if the default has another type, or is not among the choices.
 */
function usualOf({ default: usual, type }: FieldSchema, choices: Field["choices"]): string | undefined {
	if (typeof usual !== (type === "string" ? "string" : "number")) return undefined;
	const text = String(usual);
	return choices === undefined || choices.some(({ value }) => value === text) ? text : undefined;
}

import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { visible } from "../../text/visible.ts";
import type { Elicitation, ElicitationAnswer } from "../../vocabulary/prompt.ts";
import { mcpServerTexts } from "./texts.ts";

export type AskPerson = (question: Elicitation) => Promise<ElicitationAnswer>;

const longestText = 1_000;
const longestLabel = 200;
const maxOptions = 25;
/** Names and titles of fields that ask for a secret. Servers may not request these by a form. */
const secretField = /pass(?:word|phrase|code)|secret|token|api.?key|credential/i;

interface Field {
	readonly name: string;
	readonly type: string;
	readonly title: string;
	readonly choices: readonly Choice[] | undefined;
	/** Value for an empty answer. Without it, an optional field is left out. */
	readonly usual: string | undefined;
	readonly isRequired: boolean;
}

interface Choice {
	readonly value: string;
	/** For people. */
	readonly label: string;
}

/**
 * Answers a request of a server for input with one question to a person. The form may have one field: a text, a number, yes
 * or no, or a choice. Other forms, addresses to open, and fields for secrets are declined without a question.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export async function answerForm(
	params: ElicitRequestParams,
	server: string,
	ask: AskPerson,
): Promise<ElicitResult> {
	const field = fieldOf(params);
	if (field === undefined || secretField.test(`${field.name} ${field.title}`)) return { action: "decline" };
	const message = visible(params.message.slice(0, longestText));
	const answer = await ask(questionOf(field, mcpServerTexts.asks(server, message)));
	if (answer.outcome === "expired") return { action: "cancel" };
	if (answer.outcome === "cancelled") return { action: "decline" };
	return { action: "accept", content: contentOf(field, String(answer.value)) };
}

const numberPattern = "-?[0-9]+(\\.[0-9]+)?";

function questionOf({ title, choices, usual, isRequired, type }: Field, text: string): Elicitation {
	const required = isRequired && usual === undefined;
	const shownUsual = usual === undefined ? "" : `, default: ${visible(usual)}`;
	const optional = required || usual !== undefined ? "" : ", optional";
	const number = required ? numberPattern : `(${numberPattern})?`;
	return {
		type: choices === undefined ? "text" : "select",
		label: `${text} (${visible(title)}${shownUsual}${optional})`,
		options: (choices ?? []).map(({ value, label }) => ({
			value,
			label: visible(label.slice(0, longestLabel)),
			description: "",
			disabled: false,
		})),
		required,
		validation: type === "number" || type === "integer" ? number : "",
	};
}

/** The content of the form. An empty answer is the default; an optional field without one is left out. */
function contentOf(
	{ name, usual, isRequired, type }: Field,
	given: string,
): Record<string, string | number | boolean> {
	const text = given === "" ? usual : given;
	if (text === undefined && !isRequired) return {};
	return { [name]: readValue(text ?? "", type) };
}

/** The only field of a form; undefined for another request. A server may send any schema. */
function fieldOf(params: ElicitRequestParams): Field | undefined {
	if (!("requestedSchema" in params)) return undefined;
	const [first, ...others] = Object.entries(params.requestedSchema.properties);
	if (first === undefined || others.length > 0) return undefined;
	const [name, schema] = first;
	const type = String(schema.type);
	const title = String(schema.title ?? schema.description ?? name).slice(0, longestText);
	const isRequired = params.requestedSchema.required?.includes(name) ?? false;
	const facts = { name, type, title, isRequired };
	if (type === "boolean") return { ...facts, choices: yesOrNo, usual: booleanDefault(schema) };
	if (type !== "string" && type !== "number" && type !== "integer") return undefined;
	const choices = choicesOf(schema);
	return areUsable(choices) ? { ...facts, choices, usual: usualOf(schema, choices) } : undefined;
}

const yesOrNo = ["yes", "no"].map((value): Choice => ({ value, label: value }));

function booleanDefault({ default: usual }: { readonly default?: unknown }): string | undefined {
	if (typeof usual !== "boolean") return undefined;
	return usual ? "yes" : "no";
}

/** Whether a person can choose: the values differ, and there are not too many. */
function areUsable(choices: readonly Choice[] | undefined): boolean {
	if (choices === undefined) return true;
	const values = new Set(choices.map(({ value }) => value));
	return choices.length > 0 && choices.length <= maxOptions && values.size === choices.length;
}

/** Choices of a field, with the titles that the server gives them. */
function choicesOf(schema: object): readonly Choice[] | undefined {
	if ("oneOf" in schema && Array.isArray(schema.oneOf)) {
		return schema.oneOf.map((one) => {
			const { const: value, title = value } = Object(one);
			return { value: String(value), label: String(title) };
		});
	}
	if (!("enum" in schema && Array.isArray(schema.enum))) return undefined;
	const names = "enumNames" in schema && Array.isArray(schema.enumNames) ? schema.enumNames : [];
	return schema.enum.map((value, index) => ({ value: String(value), label: String(names[index] ?? value) }));
}

/** Default of a field, if it has its type and is one of its choices. */
function usualOf(schema: object, choices: readonly Choice[] | undefined): string | undefined {
	const { default: usual, type } = Object(schema);
	if (typeof usual !== (type === "string" ? "string" : "number")) return undefined;
	const text = String(usual).slice(0, longestText);
	return choices === undefined || choices.some(({ value }) => value === text) ? text : undefined;
}

function readValue(text: string, type: string): string | number | boolean {
	if (type === "boolean") return text === "yes";
	return type === "string" ? text : Number(text);
}

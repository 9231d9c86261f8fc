import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { visible } from "../../text/visible.ts";
import type { Elicitation, ElicitationAnswer } from "../../vocabulary/prompt.ts";

export type AskPerson = (question: Elicitation) => Promise<ElicitationAnswer>;

const longestText = 1_000;
const mostOptions = 25;
/** Names and titles of fields that ask for a secret. Servers may not request these by a form. */
const secretField = /pass(?:word|phrase|code)|secret|token|api.?key|credential/i;

interface Field {
	readonly name: string;
	readonly type: string;
	readonly title: string;
	readonly choices: readonly string[] | undefined;
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
	const answer = await ask({
		type: field.choices === undefined ? "text" : "select",
		label: `The MCP server ${server} asks: ${message} (${visible(field.title)})`,
		options: (field.choices ?? []).map((value) => ({
			value,
			label: visible(value),
			description: "",
			disabled: false,
		})),
		required: true,
		validation: field.type === "number" || field.type === "integer" ? "-?[0-9]+(\\.[0-9]+)?" : "",
	});
	if (answer.outcome === "expired") return { action: "cancel" };
	if (answer.outcome === "cancelled") return { action: "decline" };
	const value = readValue(String(answer.value), field.type);
	return { action: "accept", content: { [field.name]: value } };
}

/** The only field of a form; undefined for another request. A server may send any schema. */
function fieldOf(params: ElicitRequestParams): Field | undefined {
	if (!("requestedSchema" in params)) return undefined;
	const [first, ...others] = Object.entries(params.requestedSchema.properties);
	if (first === undefined || others.length > 0) return undefined;
	const [name, schema] = first;
	const type = String(schema.type);
	const title = String(schema.title ?? schema.description ?? name).slice(0, longestText);
	if (type === "boolean") return { name, type, title, choices: ["yes", "no"] };
	if (type !== "string" && type !== "number" && type !== "integer") return undefined;
	const choices = "enum" in schema && Array.isArray(schema.enum) ? schema.enum.map(String) : undefined;
	const isTooLong = choices !== undefined && (choices.length === 0 || choices.length > mostOptions);
	return isTooLong || new Set(choices).size !== (choices?.length ?? 0)
		? undefined
		: { name, type, title, choices };
}

function readValue(text: string, type: string): string | number | boolean {
	if (type === "boolean") return text === "yes";
	return type === "string" ? text : Number(text);
}

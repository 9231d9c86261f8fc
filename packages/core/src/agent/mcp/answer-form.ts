import type {
	ElicitRequestFormParams,
	ElicitRequestParams,
	ElicitResult,
} from "@modelcontextprotocol/client";
import { visible } from "../../text/visible.ts";
import type { Elicitation, ElicitationAnswer } from "../../vocabulary/prompt.ts";
import { type Field, type FieldValue, fieldsOf } from "./form-fields.ts";
import { formTexts } from "./texts.ts";

/** Functions that ask a person questions during a call, and redact secrets in the questions. */
export interface PersonQuestions {
	readonly ask: (question: Elicitation) => Promise<ElicitationAnswer>;
	/** Redacts secrets: see `ToolContext.redact`. */
	readonly redact: (text: string) => string;
}

/** Maximum characters of a message, a title or a default in a question. */
const longestText = 1_000;
const longestLabel = 200;
/** Maximum characters of an address. The question must contain the complete address and fit in a chat post. */
const longestAddress = 1_500;

const decline: ElicitResult = { action: "decline" };

/**
 * Asks a person questions to answer a server's request for input. Each field of a form is one question, and an address
 * that the person opens is one question. Declines a form that questions cannot fill (see `fieldsOf`), and an address
 * that is not https, is too long or contains credentials.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export async function answerForm(
	params: ElicitRequestParams,
	server: string,
	people: PersonQuestions,
): Promise<ElicitResult> {
	if (params.mode === "url") return answerAddress(params, server, people);
	const form = { server, message: shownTo(people, params.message) };
	return "requestedSchema" in params ? fillForm(params, form, people) : decline;
}

function shownTo({ redact }: PersonQuestions, text: string, longest = longestText): string {
	// Secrets are removed before the cut, so that no part of a secret remains.
	return visible(redact(text).slice(0, longest));
}

interface Form {
	readonly server: string;
	readonly message: string;
}

async function fillForm(
	params: ElicitRequestFormParams,
	form: Form,
	people: PersonQuestions,
): Promise<ElicitResult> {
	const fields = fieldsOf(params);
	if (fields === undefined) return decline;
	// Servers send a form without fields to request a confirmation.
	if (fields.length === 0) {
		const text = formTexts.request(form);
		return agreed(await people.ask(choiceOf(text, [yes, { value: "no", label: formTexts.no }])), yes.value);
	}
	const content: [name: string, value: FieldValue][] = [];
	for (const [index, field] of fields.entries()) {
		const text = formTexts.request({ ...form, place: index + 1, count: fields.length });
		const answer = await askField(field, questionOf(field, text, people), people);
		if (answer.outcome !== "answered") return unanswered(answer);
		const value = readValue(field, answer.value);
		if (value !== undefined) content.push([field.name, value]);
	}
	return { action: "accept", content: Object.fromEntries(content) };
}

const yes = { value: "yes", label: formTexts.yes };

function unanswered({ outcome }: ElicitationAnswer): ElicitResult {
	return { action: outcome === "expired" ? "cancel" : "decline" };
}

function agreed(answer: ElicitationAnswer, value: string): ElicitResult {
	if (answer.outcome !== "answered") return unanswered(answer);
	return answer.value === value ? { action: "accept" } : decline;
}

/**
 * Asks for the value of a field. Asks again after an answer with too few or too many choices. `ask` limits the
 * repetitions.
 */
async function askField(
	field: Field,
	question: Elicitation,
	{ ask }: PersonQuestions,
): Promise<ElicitationAnswer> {
	for (;;) {
		const answer = await ask(question);
		if (answer.outcome !== "answered" || !field.counts || typeof answer.value === "string") return answer;
		const { min, max } = field.counts;
		const { length } = answer.value;
		const isLeftOut = length === 0 && !question.required;
		if (isLeftOut || (length >= min && length <= max)) return answer;
	}
}

async function answerAddress(
	{ message, url }: { readonly message: string; readonly url: string },
	server: string,
	people: PersonQuestions,
): Promise<ElicitResult> {
	const address = URL.canParse(url) ? new URL(url) : undefined;
	const isUsable = address?.protocol === "https:" && address.username === "" && address.password === "";
	if (!address || !isUsable || address.href.length > longestAddress) return decline;
	const shown = { host: address.host, address: address.href };
	const text = formTexts.openAddress({ server, message: shownTo(people, message), ...shown });
	const done = { value: "opened", label: formTexts.opened };
	return agreed(await people.ask(choiceOf(text, [done, { value: "no", label: formTexts.no }])), done.value);
}

interface Option {
	readonly value: string;
	readonly label: string;
}

/** Returns a question with the options in `options`. A person must choose one option. */
export function choiceOf(label: string, options: readonly Option[]): Elicitation {
	return { type: "select", label, options: options.map(optionOf), required: true, validation: "" };
}

function optionOf({ value, label }: Option): Elicitation["options"][number] {
	return { value, label, description: "", disabled: false };
}

const numberPattern = "-?[0-9]+(\\.[0-9]+)?";
const integerPattern = "-?[0-9]+";

function questionOf(field: Field, text: string, people: PersonQuestions): Elicitation {
	const { title, choices, usual, isRequired, counts } = field;
	const required = isRequired && usual === undefined;
	const facts = {
		title: shownTo(people, title),
		usual: usual === undefined ? undefined : shownTo(people, String(usual)),
		isOptional: !required && usual === undefined,
		counts,
	};
	return {
		type: counts ? "multi" : choices ? "select" : "text",
		label: formTexts.field(text, facts),
		options: (choices ?? []).map(({ value, label }) =>
			optionOf({ value, label: shownTo(people, label, longestLabel) }),
		),
		required: required && counts?.min !== 0,
		validation: patternOf(field, required),
	};
}

function patternOf({ type }: Field, required: boolean): string {
	if (type !== "number" && type !== "integer") return "";
	const pattern = type === "integer" ? integerPattern : numberPattern;
	return required ? pattern : `(${pattern})?`;
}

/**
 * Converts an answer to the type of its field. An empty answer selects the default. Returns undefined if an
 * optional field has neither an answer nor a default.
 */
function readValue(
	{ usual, isRequired, type }: Field,
	answer: string | readonly string[],
): FieldValue | undefined {
	const value = answer.length === 0 ? (usual ?? answer) : answer;
	if (value.length === 0 && !isRequired) return undefined;
	if (typeof value !== "string") return [...value];
	if (type === "boolean") return value === "yes";
	return type === "string" ? value : Number(value);
}

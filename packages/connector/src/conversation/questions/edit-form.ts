import { ParleyError, parseJson, redactedMark } from "@parley/base";
import type { Form } from "../../controls/control-kind.ts";
import type { FormLimits } from "../../platform/chat-platform.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { visible, visibleLine } from "../vocabulary/plain.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Name of the field with all arguments as one JSON object. */
const allName = "arguments";
/** Name prefix of a field that contains the text of an argument. */
const asText = "t:";
/** Name prefix of a field that contains an argument as JSON. */
const asJson = "j:";

const { editForm: texts } = approvalTexts;

/**
 * Returns a form with the arguments of a call: one field for each argument, or one field with all of them as JSON.
 * Returns undefined if the arguments are not an object, or if the form of the platform cannot contain them. Also
 * returns undefined if an argument contains a redacted secret, because a person could change another argument so
 * that the secret is sent elsewhere.
 */
export function editForm(given: unknown, limits: FormLimits): Form | undefined {
	if (!isArguments(given) || JSON.stringify(given).includes(redactedMark)) return undefined;
	const names = Object.keys(given);
	const fields = names.map((name) => fieldOf(name, given[name], limits));
	const isApart =
		names.length > 0 &&
		names.length <= limits.fields &&
		names.every((name) => name.trim() !== "" && name.length <= limits.name) &&
		fields.every(({ value }) => value.length <= limits.text);
	if (isApart) return { title: texts.title, fields };
	const value = jsonOf(given);
	if (value.length > limits.text) return undefined;
	const allField = { name: allName, label: texts.all, value, required: true };
	return { title: texts.title, fields: [{ ...allField, long: true, maximum: limits.text }] };
}

function fieldOf(
	name: string,
	value: unknown,
	{ text: maximum }: FormLimits,
): Form["fields"][number] & { readonly value: string } {
	const common = { long: true, maximum };
	// A form does not show invisible characters. JSON has escapes for them.
	if (typeof value === "string" && visible(value) === value) {
		return { ...common, name: `${asText}${name}`, label: visibleLine(name), value, required: false };
	}
	const label = texts.json({ name: visibleLine(name) });
	return { ...common, name: `${asJson}${name}`, label, value: jsonOf(value), required: true };
}

/** Arguments from a filled form, or the reason in Markdown why they cannot be read. */
export type Edited = { readonly arguments: Arguments } | { readonly problem: string };

/**
 * Reads a filled form. `given` contains the current arguments of the call. Platforms trim a text, so the outer spaces
 * and line breaks of the current argument are added again.
 */
export function readEdited(fields: Readonly<Record<string, string>>, given: unknown): Edited {
	const present: Arguments = isArguments(given) ? given : {};
	const allText = fields[allName];
	if (allText !== undefined) {
		const read = readJson(allText);
		if (read && isArguments(read.value)) return { arguments: read.value };
		return { problem: texts.noObject({ text: shortened(allText) }) };
	}
	const entries: [name: string, value: unknown][] = [];
	for (const [field, text] of Object.entries(fields)) {
		const name = field.slice(asText.length);
		if (field.startsWith(asText)) entries.push([name, withEdges(text, present[name])]);
		else {
			const read = field.startsWith(asJson) ? readJson(text) : undefined;
			if (!read) return { problem: texts.noJson({ name: visibleLine(name), text: shortened(text) }) };
			entries.push([name, read.value]);
		}
	}
	return { arguments: Object.fromEntries(entries) };
}

function isArguments(value: unknown): value is Arguments {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as indented JSON, with escapes for invisible characters. */
function jsonOf(value: unknown): string {
	const escaped = (character: string): string =>
		visible(character) === character
			? character
			: Array.from(character, (_, index) => character.charCodeAt(index))
					.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
					.join("");
	const text = JSON.stringify(value, undefined, 2);
	return visible(text) === text ? text : Array.from(text, escaped).join("");
}

function readJson(text: string): { readonly value: unknown } | undefined {
	try {
		return { value: parseJson(text, { uniqueKeys: true }) };
	} catch (reason) {
		if (ParleyError.from(reason).code === "invalid_argument") return undefined;
		throw reason;
	}
}

function withEdges(text: string, before: unknown): string {
	if (typeof before !== "string") return text;
	const inner = before.trim();
	if (text === inner) return before;
	if (inner === "" || text === "" || text !== text.trim()) return text;
	const start = before.length - before.trimStart().length;
	return `${before.slice(0, start)}${text}${before.slice(start + inner.length)}`;
}

const longestShown = 100;

function shortened(text: string): string {
	const line = visibleLine(text.trim());
	return line.length <= longestShown ? line : `${line.slice(0, longestShown)}…`;
}

import type { Form } from "@parley/connector";
import { cutTo, lengthOf, limits, messageFlags } from "../limits.ts";
import { noMentions } from "../surface/posts.ts";

/** interactions/receiving-and-responding#interaction-response-object-interaction-callback-type */
const callbackTypes = { message: 4, deferred: 5, suggestions: 8, form: 9 } as const;

/** The first answer to an interaction. */
export interface Callback {
	readonly type: (typeof callbackTypes)[keyof typeof callbackTypes];
	readonly data: Readonly<Record<string, unknown>>;
}

/** Something will follow, which nobody else sees. */
export const deferral: Callback = {
	type: callbackTypes.deferred,
	data: { flags: messageFlags.ephemeral },
};

/** Words that nobody else sees. */
export function words(content: string): Callback {
	const data = { content: cutTo(content, limits.content), allowed_mentions: noMentions };
	return { type: callbackTypes.message, data: { ...data, flags: messageFlags.ephemeral } };
}

/** What may follow what is typed. A value that Discord would not take is left out: half of it means something else. */
export function suggestions(all: readonly { readonly value: string; readonly label: string }[]): Callback {
	const fitting = all.filter(({ value }) => value !== "" && lengthOf(value) <= limits.suggestionText);
	const choices = fitting.slice(0, limits.suggestions).map(({ value, label }) => ({
		...{ name: cutTo(label.trim() === "" ? value : label, limits.suggestionText), value },
	}));
	return { type: callbackTypes.suggestions, data: { choices } };
}

const labelType = 18;
const inputType = 4;

/** A form that comes back with the same control: components/reference#label, components/reference#text-input. */
export function formFor(control: string, { title, fields }: Form): Callback {
	const components = fields.slice(0, limits.modalFields).map(({ name, label, long, required, most }) => ({
		type: labelType,
		label: cutTo(label, limits.fieldLabel),
		component: {
			...{ type: inputType, custom_id: name, style: long ? 2 : 1, required },
			max_length: Math.min(most, limits.fieldText),
		},
	}));
	const data = { custom_id: control, title: cutTo(title, limits.modalTitle), components };
	return { type: callbackTypes.form, data };
}

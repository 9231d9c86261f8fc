import {
	type APIModalInteractionResponseCallbackComponent,
	type APIModalInteractionResponseCallbackData,
	ComponentType,
} from "discord-api-types/v10";
import { long, violated } from "./message-limits.ts";
import type { State } from "./state.ts";

/**
 * Limits of forms and their components:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal
 */
const modalLimits = {
	title: 45,
	customId: 100,
	components: 5,
	label: 45,
	description: 100,
	text: 4000,
	placeholder: 100,
} as const;

export interface ModalField {
	readonly name: string;
	readonly label: string;
	readonly type: ComponentType;
	readonly required: boolean;
	readonly value?: string;
	readonly least?: number;
	readonly maximum?: number;
}

/** Returns the visible fields of a component: the field of a label, or the text inputs of a row. */
export function fieldsOf(component: APIModalInteractionResponseCallbackComponent): ModalField[] {
	if (component.type === ComponentType.Label) return [fieldOf(component.component, component.label)];
	if (component.type !== ComponentType.ActionRow) return [];
	return component.components.map((input) => fieldOf(input, "label" in input ? (input.label ?? "") : ""));
}

function fieldOf(
	input: { readonly type: ComponentType; readonly custom_id: string },
	label: string,
): ModalField {
	// The cast is safe because every field has an id, and all other fields are optional.
	const { custom_id, required, value, min_length, max_length } = input as {
		readonly custom_id: string;
		readonly required?: boolean;
		readonly value?: string;
		readonly min_length?: number;
		readonly max_length?: number;
	};
	return {
		...{ name: custom_id, label, type: input.type, required: required ?? true },
		...(value !== undefined && { value }),
		...(min_length !== undefined && { least: min_length }),
		...(max_length !== undefined && { maximum: max_length }),
	};
}

/** Returns the form. Throws for an invalid form, and records its faults as violations. */
export function checkModal(
	state: State,
	modal: APIModalInteractionResponseCallbackData,
): APIModalInteractionResponseCallbackData {
	const { title, custom_id: id, components } = modal;
	const faults: string[] = [];
	if (!title || long(title) > modalLimits.title) faults.push("title: between 1 and 45 characters");
	if (!id || long(id) > modalLimits.customId) faults.push("custom_id: between 1 and 100 characters");
	if (components.length < 1 || components.length > modalLimits.components)
		faults.push("components: between 1 and 5");
	const fields = components.flatMap(fieldsOf);
	const names = fields.map(({ name }) => name);
	if (new Set(names).size < names.length) faults.push("components: Component custom id cannot be duplicated");
	for (const { label, value = "", maximum = modalLimits.text } of fields) {
		if (label === "" || long(label) > modalLimits.label)
			faults.push(`label: ${label} has not 1 to 45 characters`);
		if (long(value) > maximum || maximum > modalLimits.text)
			faults.push("value: longer than the field takes");
	}
	if (faults.length > 0) throw violated(state, ...faults);
	return modal;
}

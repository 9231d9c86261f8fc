import { type APIModalInteractionResponseCallbackData, ComponentType } from "discord-api-types/v10";
import { fieldsOf, type ModalField } from "../platform/modal-limits.ts";

/**
 * Returns the data that a client sends for a form. Throws if the form does not accept the values.
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-modal-submit-data-structure
 */
export function formData(
	modal: APIModalInteractionResponseCallbackData,
	values: Readonly<Record<string, string>>,
): object {
	const names = new Set(modal.components.flatMap(fieldsOf).flatMap(({ name, label }) => [name, label]));
	const strange = Object.keys(values).filter((name) => !names.has(name));
	if (strange.length > 0) throw new Error(`the form has no ${strange.join(", ")}`);
	const components = modal.components.flatMap((component, index): object[] => {
		const fields = fieldsOf(component).map((field, inner) => filled(field, values, 100 + index * 10 + inner));
		const [first] = fields;
		if (component.type === ComponentType.Label)
			return first ? [{ type: component.type, id: index + 1, component: first }] : [];
		return fields.length > 0 ? [{ type: component.type, id: index + 1, components: fields }] : [];
	});
	return { custom_id: modal.custom_id, components };
}

function filled(field: ModalField, values: Readonly<Record<string, string>>, id: number): object {
	const { name, label, type, required, least = 0, maximum = 4000 } = field;
	const value = values[name] ?? values[label] ?? field.value ?? "";
	if (required && value === "") throw new Error(`the form wants ${label}`);
	const length = [...value].length;
	if (length > maximum || (value !== "" && length < least))
		throw new Error(`${label} takes ${least} to ${maximum} characters`);
	return { type, id, custom_id: name, value };
}

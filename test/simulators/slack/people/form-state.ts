import type { ModalView } from "@slack/types";
import { long } from "../blocks/block-limits.ts";
import { insideOf, isPart, type Part } from "../blocks/block-text.ts";
import { isChoice, labelOf, optionsOf } from "../blocks/controls.ts";

export interface FormField {
	readonly blockId: string;
	readonly actionId: string;
	readonly label: string;
	readonly type: string;
	readonly required: boolean;
	readonly value: string;
	readonly least: number;
	readonly maximum: number;
	readonly options: readonly string[];
	readonly element: Part;
}

export function fieldsOf({ blocks }: ModalView): FormField[] {
	return blocks.flatMap((block): FormField[] => {
		const part: unknown = block;
		if (!isPart(part) || part.type !== "input" || !isPart(part["element"])) return [];
		const { element } = part;
		const initial = element["initial_value"];
		return [
			{
				...{ blockId: String(part["block_id"]), actionId: String(element["action_id"]), element },
				...{ label: labelOf(part["label"]), type: String(element.type), required: part["optional"] !== true },
				value: typeof initial === "string" ? initial : labelOf(element["initial_option"]),
				least: Number(element["min_length"] ?? 0),
				maximum: Number(element["max_length"] ?? 3000),
				options: optionsOf(element).map(labelOf),
			},
		];
	});
}

/**
 * Returns the values that a client sends for a form, by block and action. Throws if the form does not accept
 * the values. https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload
 */
export function formState(view: ModalView, values: Readonly<Record<string, string>>): Record<string, object> {
	const fields = fieldsOf(view);
	const names = new Set(fields.flatMap(({ blockId, actionId, label }) => [blockId, actionId, label]));
	const strange = Object.keys(values).filter((name) => !names.has(name));
	if (strange.length > 0) throw new Error(`the form has no ${strange.join(", ")}`);
	const filled = fields.map((field) => {
		const given = values[field.blockId] ?? values[field.actionId] ?? values[field.label] ?? field.value;
		return [field.blockId, { [field.actionId]: { type: field.type, ...sentValue(field, given) } }] as const;
	});
	return Object.fromEntries(filled);
}

function sentValue(field: FormField, given: string): object {
	const { label, required, least, maximum, element } = field;
	if (required && given === "") throw new Error(`the form wants ${label}`);
	if (isChoice(field.type)) return chosen(element, given, label);
	const length = long(given);
	if (length > maximum || (given !== "" && length < least)) {
		throw new Error(`${label} takes ${least} to ${maximum} characters`);
	}
	return { value: given === "" ? null : given };
}

/**
 * Returns the chosen options. `given` is one choice or, if the element allows several, choices separated by commas.
 * Throws for an unknown choice.
 */
function chosen(element: Part, given: string, label: string): object {
	const isMany = element.type === "multi_static_select" || element.type === "checkboxes";
	const requested = given === "" ? [] : isMany ? given.split(",").map((one) => one.trim()) : [given];
	const options = insideOf([optionsOf(element)]);
	const found = requested.map((one) => {
		const option = options.find((each) => labelOf(each) === one || each["value"] === one);
		if (!option) throw new Error(`${label} has no choice ${one}`);
		return option;
	});
	return isMany ? { selected_options: found } : { selected_option: found[0] ?? null };
}

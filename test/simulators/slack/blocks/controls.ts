import { insideOf, isPart, type Part } from "./block-text.ts";

export interface SeenControl {
	readonly blockId: string;
	readonly element: Part;
}

const pressed = new Set(["button", "icon_button", "workflow_button", "feedback_buttons"]);
const chosen = new Set([
	...["static_select", "multi_static_select", "overflow", "checkboxes", "radio_buttons"],
]);

/** Returns the buttons and menus in blocks, in order. */
export function controlsOf(blocks: readonly unknown[]): SeenControl[] {
	return blocks.filter(isPart).flatMap((block) => {
		const blockId = String(block["block_id"]);
		const inside = [
			...insideOf(block["elements"]),
			...insideOf([block["accessory"]]),
			...insideOf(block["actions"]),
		];
		const own = inside.flatMap(pressables).filter(({ type }) => isButton(type) || isChoice(type));
		const deeper = controlsOf(Array.isArray(block["child_blocks"]) ? block["child_blocks"] : []);
		return [...own.map((element) => ({ blockId, element })), ...deeper];
	});
}

/**
 * Returns the controls of an element. A pair of feedback buttons is one element, but users press its buttons
 * separately.
 */
function pressables(element: Part): Part[] {
	if (element.type !== "feedback_buttons") return [element];
	const { type, action_id } = element;
	return insideOf([element["positive_button"], element["negative_button"]]).map((button) => ({
		...{ ...button, type, action_id },
	}));
}

export function isButton(type: string | undefined): boolean {
	return type !== undefined && pressed.has(type);
}

export function isChoice(type: string | undefined): boolean {
	return type !== undefined && chosen.has(type);
}

export function labelOf(part: unknown): string {
	if (!isPart(part)) return "";
	return isPart(part["text"]) ? labelOf(part["text"]) : typeof part["text"] === "string" ? part["text"] : "";
}

export function optionsOf(element: Part): Part[] {
	return [
		...insideOf([element["options"]]),
		...insideOf([element["option_groups"]]).flatMap((group) => insideOf([group["options"]])),
	];
}

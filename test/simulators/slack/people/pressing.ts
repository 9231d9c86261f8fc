import type { Part } from "../blocks/block-text.ts";
import { labelOf, optionsOf, type SeenControl } from "../blocks/controls.ts";
import { beginInteraction } from "../platform/interactions.ts";
import type {
	HomeRecord,
	InteractionRecord,
	MessageRecord,
	UserRecord,
	Version,
} from "../platform/records.ts";
import type { State } from "../platform/state.ts";

export interface Pressing {
	readonly message: MessageRecord;
	readonly control: SeenControl;
	readonly pressedOn?: Version;
}

function press(
	state: State,
	user: UserRecord,
	{ message, control, pressedOn }: Pressing,
	more: object,
): InteractionRecord {
	const { channel, threadTs } = message;
	return beginInteraction(state, {
		...{ kind: "press", user, channel, message, ...(threadTs !== undefined && { threadTs }) },
		...(pressedOn && { pressedOn }),
		data: { actions: [actionOf(state, control, more)] },
	});
}

function actionOf(state: State, { element, blockId }: SeenControl, more: object): object {
	return {
		...{ type: element.type, action_id: element["action_id"], block_id: blockId },
		...{ ...more, action_ts: state.stamps.create() },
	};
}

/** Presses a button of the Home tab, which is outside of all channels. */
export function pressHome(state: State, home: HomeRecord, control: SeenControl): InteractionRecord {
	const data = { actions: [actionOf(state, control, labelled(control))] };
	return beginInteraction(state, { kind: "press", user: home.user, home, data });
}

/**
 * Presses a button. A link button also sends a payload:
 * https://docs.slack.dev/reference/block-kit/block-elements/button-element
 */
export function pressButton(state: State, user: UserRecord, pressing: Pressing): InteractionRecord {
	return press(state, user, pressing, labelled(pressing.control));
}

function labelled({ element: { text, value, style, url } }: SeenControl): object {
	return {
		text,
		...(value !== undefined && { value }),
		...(style !== undefined && { style }),
		...(url !== undefined && { url }),
	};
}

export function chooseOptions(
	state: State,
	user: UserRecord,
	pressing: Pressing,
	labels: readonly string[],
): InteractionRecord {
	const { element } = pressing.control;
	const isMany = element.type === "multi_static_select" || element.type === "checkboxes";
	const maximum = isMany ? Number(element["max_selected_items"] ?? Number.POSITIVE_INFINITY) : 1;
	if (labels.length === 0 || labels.length > maximum) {
		throw new Error(`${user.name} must choose 1 to ${maximum}, not ${labels.length}`);
	}
	const found = optionsOf(element).filter((option) => labels.includes(labelOf(option)));
	const [first] = found;
	const chosen = isMany ? { selected_options: found.map(sent) } : { selected_option: first && sent(first) };
	return press(state, user, pressing, chosen);
}

function sent({ text, value }: Part): object {
	return { text, value };
}

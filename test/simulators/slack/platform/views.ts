import type { ModalView } from "@slack/types";
import { blockLimits } from "../blocks/block-limits.ts";
import { checkBlocks, numbered } from "../blocks/contents.ts";
import type { InteractionRecord, ViewRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";

/**
 * Uses up a trigger, and returns its interaction. A trigger is valid only once and until `triggerMs` has passed:
 * https://docs.slack.dev/surfaces/modals
 */
function useTrigger(state: State, triggerId: string): InteractionRecord {
	const interaction = state.interactions.find((one) => one.triggerId === triggerId);
	if (!interaction) throw new Refusal("invalid_trigger_id");
	if (interaction.triggerUsed) throw new Refusal("exchanged_trigger_id");
	if (state.now() - interaction.createdAt > state.settings.triggerMs) throw new Refusal("expired_trigger_id");
	interaction.triggerUsed = true;
	return interaction;
}

/** Opens a view: https://docs.slack.dev/reference/methods/views.open */
export function openView(state: State, triggerId: string, view: ModalView): ViewRecord {
	const checkedView = checked(state, view);
	const opener = useTrigger(state, triggerId);
	const record: ViewRecord = {
		...{
			id: state.stamps.id("V"),
			user: opener.user,
			opener,
			view: checkedView,
			hash: hashOf(state),
			errors: {},
		},
	};
	state.views.set(record.id, record);
	opener.opened = record;
	return record;
}

/** Updates a view: https://docs.slack.dev/reference/methods/views.update */
export function updateView(state: State, record: ViewRecord, view: ModalView, hash?: string): void {
	if (!record.view) throw new Refusal("not_found");
	if (hash !== undefined && hash !== record.hash) throw new Refusal("hash_conflict");
	record.view = checked(state, view);
	record.hash = hashOf(state);
	record.errors = {};
}

function checked(state: State, view: ModalView): ModalView {
	checkBlocks(state, view.blocks, blockLimits.blocksOfView);
	if (JSON.stringify(view).length > blockLimits.viewBytes) throw new Refusal("view_too_large");
	if (view.blocks.some(({ type }) => type === "input") && !view.submit) {
		state.violations.push("view: a form with inputs needs a submit text");
		throw new Refusal("invalid_arguments");
	}
	return { ...view, blocks: numbered(state, view.blocks) };
}

export function hashOf(state: State): string {
	return `${Math.floor(state.now() / 1000)}.${state.stamps.id("h")}`;
}

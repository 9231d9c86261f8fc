import type { SlackReply } from "@parley/slack";
import type { ModalView } from "@slack/types";
import { carryOut } from "../web-api/response-urls.ts";
import { settleInteraction } from "./interactions.ts";
import type { InteractionRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";
import { updateView } from "./views.ts";

/** Applies an acknowledgement. A late or repeated acknowledgement has no effect. */
export function acknowledge(state: State, interaction: InteractionRecord, reply: SlackReply): void {
	if (settleInteraction(state, interaction).state !== "waiting") return;
	interaction.state = "acknowledged";
	try {
		if (interaction.kind === "form") answerForm(state, interaction, reply ?? {});
		// The acknowledgement of a command may contain a message:
		// https://docs.slack.dev/interactivity/implementing-slash-commands#responding_with_errors
		else if (interaction.kind === "command" && (reply?.["text"] ?? reply?.["blocks"]))
			carryOut(state, interaction, reply ?? {});
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		state.violations.push(`acknowledged with ${error.error}`);
	}
}

/** Handles the response to a sent form: https://docs.slack.dev/surfaces/modals#view_submissions */
function answerForm(
	state: State,
	interaction: InteractionRecord,
	reply: Readonly<Record<string, unknown>>,
): void {
	const { view } = interaction;
	if (!view) return;
	switch (reply["response_action"]) {
		case undefined:
		case "clear":
			delete view.view;
			interaction.closed = true;
			return;
		case "errors":
			// The value is not checked, because clients show only errors that are texts.
			view.errors = Object(reply["errors"]);
			return;
		case "update":
			updateView(state, view, Object(reply["view"]) as ModalView);
			return;
		default:
			state.violations.push(`response_action ${String(reply["response_action"])} is not known`);
	}
}

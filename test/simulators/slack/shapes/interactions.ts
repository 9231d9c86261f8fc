import type { InteractionRecord, MessageRecord, ViewRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { messageShape } from "./messages.ts";
import { viewShape } from "./views.ts";

const kinds = { press: "block_actions", form: "view_submission", shortcut: "message_action" } as const;

/**
 * Returns the payload of an interaction: https://docs.slack.dev/reference/interaction-payloads. The payload of a
 * command has another form.
 */
export function interactionShape(
	state: State,
	interaction: InteractionRecord,
	data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	if (interaction.kind === "command") return { ...commandShape(state, interaction), ...data };
	const { user, channel, message, pressedOn, view, home } = interaction;
	const { app, team } = state;
	return {
		type: kinds[interaction.kind],
		user: { id: user.id, username: user.handle, name: user.handle, team_id: user.team.id },
		...{ api_app_id: app.id, token: app.verificationToken, trigger_id: interaction.triggerId },
		...{ team: { id: team.id, domain: team.domain }, enterprise: null, is_enterprise_install: false },
		...(channel && { channel: { id: channel.id, name: channelName(interaction) } }),
		...(interaction.kind === "press" && {
			container: containerOf(message, home ?? view),
			state: { values: {} },
		}),
		...(message &&
			!message.onlyFor && {
				message: messageShape(state, { ...message, ...(pressedOn && { ...pressedOn, deleted: false }) }),
			}),
		...(view?.view && { view: viewShape(state, view) }),
		...(home && { view: viewShape(state, home) }),
		...(interaction.responseUrl !== undefined && { response_url: interaction.responseUrl }),
		...(interaction.kind === "form" && { response_urls: [] }),
		...data,
	};
}

function containerOf(message: MessageRecord | undefined, view: Pick<ViewRecord, "id"> | undefined): object {
	if (!message) return { type: "view", view_id: view?.id };
	const { ts, channel, threadTs } = message;
	return {
		...{
			type: "message",
			message_ts: ts,
			channel_id: channel.id,
			is_ephemeral: message.onlyFor !== undefined,
		},
		...(threadTs !== undefined && { thread_ts: threadTs }),
	};
}

/**
 * Returns the payload of a command:
 * https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling
 */
function commandShape(state: State, interaction: InteractionRecord): Record<string, unknown> {
	const { user, channel, responseUrl, triggerId } = interaction;
	const { app, team } = state;
	return {
		...{ token: app.verificationToken, team_id: team.id, team_domain: team.domain },
		...{
			channel_id: channel?.id,
			channel_name: channelName(interaction),
			user_id: user.id,
			user_name: user.handle,
		},
		...{
			api_app_id: app.id,
			is_enterprise_install: "false",
			response_url: responseUrl,
			trigger_id: triggerId,
		},
	};
}

function channelName({ channel }: InteractionRecord): string {
	if (channel?.kind === "im") return "directmessage";
	return channel?.kind === "group" ? "privategroup" : (channel?.name ?? "");
}

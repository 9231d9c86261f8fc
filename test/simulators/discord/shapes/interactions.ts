import { InteractionContextType, InteractionType } from "discord-api-types/v10";
import { permissionsIn } from "../platform/permissions.ts";
import type { InteractionRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { channelShape } from "./channels.ts";
import { messageShape } from "./messages.ts";
import { memberShape, userShape } from "./people.ts";

/**
 * Returns the shape of an interaction:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object
 */
export function interactionShape(state: State, interaction: InteractionRecord) {
	const { channel, user, message, pressedOn, type } = interaction;
	const { guild } = channel;
	const member = guild?.members.get(user.id);
	return {
		id: interaction.id,
		application_id: state.app.id,
		type,
		token: interaction.token,
		version: 1,
		data: interaction.data,
		channel: channelShape(state, channel),
		channel_id: channel.id,
		context: guild ? InteractionContextType.Guild : InteractionContextType.BotDM,
		app_permissions: String(permissionsIn(state, state.app.user, channel)),
		locale: "en-US",
		entitlements: [],
		authorizing_integration_owners: { 0: guild?.id ?? "0" },
		attachment_size_limit: state.settings.fileBytes,
		...(guild && {
			guild_id: guild.id,
			guild_locale: "en-US",
			guild: { id: guild.id, locale: "en-US", features: [] },
		}),
		...(guild && member
			? {
					member: {
						...memberShape(state, member),
						user: userShape(user),
						permissions: String(permissionsIn(state, user, channel)),
					},
				}
			: { user: userShape(user) }),
		...(message &&
			type !== InteractionType.ApplicationCommand && {
				message: messageShape(state, pressedOn ? { ...message, components: pressedOn } : message),
			}),
	};
}

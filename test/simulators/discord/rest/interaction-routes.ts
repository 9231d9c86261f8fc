import {
	answerInteraction,
	answerOf,
	type Callback,
	editAnswer,
	followUp,
	interactionOf,
} from "../platform/interactions.ts";
import { removeMessage } from "../platform/messages.ts";
import type { InteractionRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { messageShape } from "../shapes/messages.ts";
import { draftOf } from "./message-routes.ts";
import { type Call, nothing, ok, param, type Route } from "./route.ts";

/**
 * Returns the callback response:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback-interaction-callback-response-object
 */
function callbackShape(state: State, interaction: InteractionRecord, type: number) {
	const { original, ephemeral, channel } = interaction;
	const shown =
		(type === 4 || type === 7) && original ? { message: messageShape(state, original) } : undefined;
	return {
		interaction: {
			id: interaction.id,
			type: interaction.type,
			channel_id: channel.id,
			...(channel.guild && { guild_id: channel.guild.id }),
			...(original && {
				response_message_id: original.id,
				response_message_loading: interaction.state === "thinking",
				response_message_ephemeral: ephemeral,
			}),
		},
		...(shown && { resource: { type, ...shown } }),
	};
}

function interactionOfCall(call: Call): InteractionRecord {
	return interactionOf(call.state, param(call, "webhook_id"), param(call, "webhook_token"));
}

const webhook = "/webhooks/{webhook_id}/{webhook_token}";

function answerRoutes(path: string, idOf: (call: Call) => string): readonly Route[] {
	return [
		{
			...{ method: "GET", path, open: true },
			handle(call) {
				return ok(messageShape(call.state, answerOf(interactionOfCall(call), idOf(call))));
			},
		},
		{
			...{ method: "PATCH", path, open: true },
			handle(call) {
				const interaction = interactionOfCall(call);
				return ok(messageShape(call.state, editAnswer(call.state, interaction, idOf(call), draftOf(call))));
			},
		},
		{
			...{ method: "DELETE", path, open: true },
			handle(call) {
				removeMessage(call.state, answerOf(interactionOfCall(call), idOf(call)));
				return nothing;
			},
		},
	];
}

export const interactionRoutes: readonly Route[] = [
	{
		...{ method: "POST", path: "/interactions/{interaction_id}/{interaction_token}/callback", open: true },
		handle(call) {
			const { state, query, files } = call;
			const names = { id: param(call, "interaction_id"), token: param(call, "interaction_token") };
			// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app.
			const callback = call.body as Callback;
			const interaction = answerInteraction(state, names, callback, files);
			return query["with_response"] === "true"
				? ok(callbackShape(state, interaction, callback.type))
				: nothing;
		},
	},
	{
		...{ method: "POST", path: webhook, open: true },
		handle(call) {
			const message = followUp(call.state, interactionOfCall(call), draftOf(call));
			return ok(messageShape(call.state, message));
		},
	},
	...answerRoutes(`${webhook}/messages/@original`, () => "@original"),
	...answerRoutes(`${webhook}/messages/{message_id}`, (call) => param(call, "message_id")),
];

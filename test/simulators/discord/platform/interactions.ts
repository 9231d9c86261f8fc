import {
	type APIModalInteractionResponseCallbackData,
	GatewayDispatchEvents,
	InteractionResponseType,
	InteractionType,
	MessageFlags,
	MessageType,
} from "discord-api-types/v10";
import { interactionShape } from "../shapes/interactions.ts";
import { filesOf } from "./attachments.ts";
import type { Draft } from "./drafts.ts";
import { checkMessage, violated } from "./message-limits.ts";
import { addMessage, announce, changeMessage } from "./messages.ts";
import { checkModal } from "./modal-limits.ts";
import type { ChannelRecord, InteractionRecord, MessageRecord, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";
import { demandOpen } from "./thread-state.ts";

export interface Beginning {
	readonly type: InteractionType;
	readonly user: UserRecord;
	readonly channel: ChannelRecord;
	readonly data: object;
	readonly message?: MessageRecord;
	readonly pressedOn?: MessageRecord["components"];
	readonly trigger?: InteractionRecord;
}

/** Starts an interaction, which the app must answer within `firstAnswerMs`. */
export function beginInteraction(state: State, beginning: Beginning): InteractionRecord {
	const interaction: InteractionRecord = {
		...beginning,
		id: state.snowflakes.create(),
		token: state.ids.create("interaction"),
		createdAt: state.now(),
		state: "waiting",
		ephemeral: false,
		followUps: [],
	};
	state.interactions.set(interaction.id, interaction);
	state.emit({
		t: GatewayDispatchEvents.InteractionCreate,
		d: interactionShape(state, interaction),
		intents: 0,
	});
	return interaction;
}

/** Marks a waiting interaction as failed if `firstAnswerMs` has passed. */
export function settleInteraction(state: State, interaction: InteractionRecord): InteractionRecord {
	const late = state.now() - interaction.createdAt >= state.settings.firstAnswerMs;
	if (interaction.state === "waiting" && late) interaction.state = "failed";
	return interaction;
}

export interface Callback {
	readonly type: InteractionResponseType;
	readonly data?: unknown;
}

const answersTo: Readonly<Record<number, readonly InteractionType[]>> = {
	[InteractionResponseType.ChannelMessageWithSource]: [2, 3, 5],
	[InteractionResponseType.DeferredChannelMessageWithSource]: [2, 3, 5],
	[InteractionResponseType.DeferredMessageUpdate]: [3, 5],
	[InteractionResponseType.UpdateMessage]: [3, 5],
	[InteractionResponseType.ApplicationCommandAutocompleteResult]: [4],
	// Discord's documentation of this response: "Not available for MODAL_SUBMIT and PING interactions".
	[InteractionResponseType.Modal]: [2, 3],
};

/**
 * Handles the first response to an interaction:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#create-interaction-response
 */
export function answerInteraction(
	state: State,
	{ id, token }: { readonly id: string; readonly token: string },
	callback: Callback,
	files: Draft["files"],
): InteractionRecord {
	const interaction = state.interactions.get(id);
	if (!interaction || interaction.token !== token) throw refusals.unknownInteraction();
	settleInteraction(state, interaction);
	if (interaction.state === "failed") throw refusals.unknownInteraction();
	if (interaction.state !== "waiting") throw refusals.acknowledged();
	const fits = answersTo[callback.type]?.includes(interaction.type) ?? false;
	const onMessage =
		callback.type === InteractionResponseType.UpdateMessage ||
		callback.type === InteractionResponseType.DeferredMessageUpdate;
	if (!fits || (onMessage && !interaction.message)) {
		throw violated(
			state,
			`type: ${callback.type} is no answer to an interaction of type ${interaction.type}`,
		);
	}
	carryOut(state, interaction, callback, files);
	return interaction;
}

function carryOut(
	state: State,
	interaction: InteractionRecord,
	{ type, data }: Callback,
	files: Draft["files"],
): void {
	// The contract, if loaded, has checked the body. Otherwise, the cast trusts the app. All fields of the body are
	// optional.
	const body = (data ?? {}) as Draft["body"];
	switch (type) {
		case InteractionResponseType.ChannelMessageWithSource:
			interaction.ephemeral = isEphemeral(body);
			interaction.original = respond(state, interaction, { body, files });
			interaction.state = "answered";
			return;
		case InteractionResponseType.DeferredChannelMessageWithSource:
			interaction.ephemeral = isEphemeral(body);
			interaction.original = think(state, interaction);
			interaction.state = "thinking";
			return;
		case InteractionResponseType.DeferredMessageUpdate:
			if (interaction.message) interaction.original = interaction.message;
			interaction.state = "acknowledged";
			return;
		case InteractionResponseType.UpdateMessage:
			if (interaction.message)
				interaction.original = changeMessage(state, interaction.message, { body, files });
			interaction.state = "answered";
			return;
		case InteractionResponseType.Modal:
			interaction.modal = checkModal(state, data as APIModalInteractionResponseCallbackData);
			interaction.state = "answered";
			return;
		default:
			interaction.choices = checkChoices(state, data);
			interaction.state = "answered";
	}
}

function isEphemeral({ flags }: Draft["body"]): boolean {
	return ((flags ?? 0) & MessageFlags.Ephemeral) !== 0;
}

/**
 * Returns the suggestions. Throws unless there are at most 25, each with a name of 1 to 100 characters:
 * https://discord.com/developers/docs/interactions/application-commands#autocomplete
 */
function checkChoices(state: State, data: unknown) {
	// The contract, if loaded, has checked the response. Otherwise, the cast trusts the app.
	const { choices } = data as {
		readonly choices: readonly { readonly name: string; readonly value: string | number }[];
	};
	if (choices.length > 25) throw violated(state, "choices: Must be 25 or fewer in length.");
	if (choices.some(({ name }) => name.length < 1 || name.length > 100)) {
		throw violated(state, "choices: a name has 1 to 100 characters");
	}
	return choices;
}

const commandTypes: ReadonlySet<InteractionType> = new Set([InteractionType.ApplicationCommand]);

function typeOf(interaction: InteractionRecord): MessageType {
	if (!commandTypes.has(interaction.type)) return MessageType.Default;
	// The cast is safe because the data of a command has a type. `1` is the type of a typed command.
	const { type } = interaction.data as { readonly type: number };
	return type === 1 ? MessageType.ChatInputCommand : MessageType.ContextMenuCommand;
}

function respond(
	state: State,
	interaction: InteractionRecord,
	draft: Draft,
	ephemeral = interaction.ephemeral,
): MessageRecord {
	checkMessage(state, draft.body, filesOf(draft.body, draft.files));
	const { channel, user } = interaction;
	// The app needs no permission to write, but a thread must not be archived.
	demandOpen(state, channel);
	const type = interaction.original ? MessageType.Reply : typeOf(interaction);
	const message = addMessage(state, {
		...{ author: state.app.user, channel, draft, interaction, type },
		...(ephemeral && { onlyFor: user }),
	});
	announce(state, message, GatewayDispatchEvents.MessageCreate);
	return message;
}

function think(state: State, interaction: InteractionRecord): MessageRecord {
	const { channel, user } = interaction;
	demandOpen(state, channel);
	const message = addMessage(state, {
		...{ author: state.app.user, channel, interaction, type: typeOf(interaction) },
		...{ draft: { body: {}, files: [] }, flags: MessageFlags.Loading },
		...(interaction.ephemeral && { onlyFor: user }),
	});
	announce(state, message, GatewayDispatchEvents.MessageCreate);
	return message;
}

/**
 * Returns the interaction with this token. Throws unless the app has answered the interaction. The token is valid for
 * `tokenMs`: https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages
 */
export function interactionOf(state: State, applicationId: string, token: string): InteractionRecord {
	const found = [...state.interactions.values()].find((interaction) => interaction.token === token);
	if (!found || applicationId !== state.app.id) throw refusals.unknownWebhook();
	if (state.now() - found.createdAt >= state.settings.tokenMs) throw refusals.invalidToken();
	if (settleInteraction(state, found).state === "waiting" || found.state === "failed")
		throw refusals.unknownWebhook();
	return found;
}

export function answerOf(interaction: InteractionRecord, id: string): MessageRecord {
	const { original, followUps } = interaction;
	const found =
		id === "@original" ? original : [original, ...followUps].find((message) => message?.id === id);
	if (!found || found.deleted) throw refusals.unknownMessage();
	return found;
}

export function editAnswer(
	state: State,
	interaction: InteractionRecord,
	id: string,
	draft: Draft,
): MessageRecord {
	const message = answerOf(interaction, id);
	demandOpen(state, message.channel);
	if (message.flags & MessageFlags.Loading) return finish(state, interaction, message, draft);
	return changeMessage(state, message, draft);
}

function finish(
	state: State,
	interaction: InteractionRecord,
	message: MessageRecord,
	draft: Draft,
): MessageRecord {
	// The message keeps the visibility of the deferred response.
	const flags = (draft.body.flags ?? 0) & ~MessageFlags.Ephemeral;
	const body = { ...draft.body, flags };
	checkMessage(state, body, filesOf(body, draft.files));
	message.flags &= ~MessageFlags.Loading;
	const changed = changeMessage(state, message, { ...draft, body });
	// Discord does not mark the message as edited.
	changed.editedAt = null;
	interaction.state = "answered";
	return changed;
}

/**
 * Adds a followup. After "thinking…", the followup becomes the first response:
 * https://discordjs.guide/slash-commands/response-methods.html
 */
export function followUp(state: State, interaction: InteractionRecord, draft: Draft): MessageRecord {
	const { original } = interaction;
	if (interaction.state === "thinking" && original) return finish(state, interaction, original, draft);
	const message = respond(state, interaction, draft, isEphemeral(draft.body));
	interaction.followUps.push(message);
	return message;
}

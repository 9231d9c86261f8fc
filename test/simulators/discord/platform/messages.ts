import {
	EmbedType,
	GatewayDispatchEvents,
	GatewayIntentBits,
	MessageFlags,
	MessageReferenceType,
	MessageType,
} from "discord-api-types/v10";
import type { StateCause } from "../../chat/post-states.ts";
import { messageEventShape } from "../shapes/messages.ts";
import { filesOf, stayingFiles, storeUploads } from "./attachments.ts";
import { type Draft, type MessageBody, numbered } from "./drafts.ts";
import { mentionsOf, noMentions, notePings, textsOf } from "./mentions.ts";
import { checkMessage, violated } from "./message-limits.ts";
import { countOldEdit } from "./old-edits.ts";
import { demand, may, speaking } from "./permissions.ts";
import type { ChannelRecord, InteractionRecord, MessageRecord, UserRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";
import { demandOpen, demandUnlocked, settle, touch } from "./thread-state.ts";

const settable =
	MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2;

/**
 * Creates a message of the app or of a user:
 * https://discord.com/developers/docs/resources/message#create-message
 */
export function createMessage(
	state: State,
	author: UserRecord,
	channel: ChannelRecord,
	draft: Draft,
): MessageRecord {
	demand(state, author, channel, speaking(channel));
	const { body, files } = draft;
	if (files.length > 0) demand(state, author, channel, "AttachFiles");
	if (body.message_reference && !may(state, author, channel, "ReadMessageHistory")) {
		throw refusals.replyWithoutHistory();
	}
	checkMessage(state, body, filesOf(body, files));
	const snapshot = snapshotOf(state, author, body, files);
	if (!channel.guild && author === state.app.user) demandDirect(state, channel);
	const repeated = repeatedNonce(state, author, body);
	if (repeated) return repeated;
	wake(state, author, channel);
	const message = addMessage(state, {
		author,
		channel,
		draft,
		...(snapshot ? { snapshot } : replyOf(channel, body)),
	});
	if (body.nonce) state.nonces.set(nonceKey(author, body.nonce), { message, at: state.now() });
	announce(state, message, GatewayDispatchEvents.MessageCreate, true);
	notePings(state, message, "create");
	return message;
}

/**
 * Records activity in a thread, and unarchives it. Throws for a locked thread, unless it is not archived and the user
 * may manage threads. "Sending unarchives unless locked": https://discord.com/developers/docs/topics/threads#active--archived-threads
 */
function wake(state: State, author: UserRecord, channel: ChannelRecord): void {
	if (!channel.thread) return;
	settle(state, channel);
	if (channel.thread.archived && channel.thread.locked) throw refusals.locked();
	demandUnlocked(state, author, channel);
	touch(state, channel);
}

function demandDirect(state: State, channel: ChannelRecord): void {
	const [person] = channel.recipients;
	const together = [...state.guilds.values()].some(({ members }) => members.has(person?.id ?? ""));
	if (!person?.acceptsDirect || !together) throw refusals.directRefused();
}

function nonceKey(author: UserRecord, nonce: string | number): string {
	return `${author.id}/${nonce}`;
}

/**
 * Returns the earlier message with the same nonce, even if it is deleted. Undefined after the time window, or
 * without `enforce_nonce`.
 */
function repeatedNonce(state: State, author: UserRecord, body: MessageBody): MessageRecord | undefined {
	if (!body.enforce_nonce || !body.nonce) return undefined;
	const existing = state.nonces.get(nonceKey(author, body.nonce));
	return existing && state.now() - existing.at < state.settings.nonceMs ? existing.message : undefined;
}

function replyOf(channel: ChannelRecord, { message_reference: reference }: MessageBody) {
	if (!reference) return {};
	const found = channel.messages.find(({ id }) => id === reference.message_id);
	if (found && !found.deleted && !found.onlyFor) return { repliesTo: found };
	if (reference.fail_if_not_exists === false) return {};
	throw refusals.invalidForm(["message_reference: Unknown message"]);
}

/** Returns the forwarded message, or undefined if the body forwards no message. */
function snapshotOf(
	state: State,
	author: UserRecord,
	body: MessageBody,
	files: Draft["files"],
): MessageRecord | undefined {
	const { message_reference: reference } = body;
	if (reference?.type !== MessageReferenceType.Forward) return undefined;
	const isMixed = body.content || body.embeds?.length || body.components?.length || files.length > 0;
	if (isMixed || reference.channel_id === undefined) {
		throw violated(state, "message_reference: a forward has a channel, and no content of its own");
	}
	const channel = state.channel(reference.channel_id);
	demand(state, author, channel, "ReadMessageHistory");
	return { ...state.message(channel, reference.message_id) };
}

export interface Making {
	readonly author: UserRecord;
	readonly channel: ChannelRecord;
	readonly draft: Draft;
	readonly repliesTo?: MessageRecord;
	readonly snapshot?: MessageRecord;
	readonly interaction?: InteractionRecord;
	readonly onlyFor?: UserRecord;
	readonly type?: MessageType;
	/** Id of a webhook of another app. */
	readonly webhookId?: string;
	readonly flags?: number;
}

/** Adds a message without emitting an event. The caller must check the permission to write. */
export function addMessage(state: State, making: Making): MessageRecord {
	const { author, channel, repliesTo, snapshot, interaction, onlyFor, draft } = making;
	const { body, files } = draft;
	const ephemeral = onlyFor !== undefined;
	const message: MessageRecord = {
		id: state.snowflakes.create(),
		type: making.type ?? (repliesTo ? MessageType.Reply : MessageType.Default),
		...{ channel, author, createdAt: state.now(), content: body.content ?? "" },
		embeds: embedsOf(state, making),
		components: numbered(body.components),
		states: [],
		attachments: storeUploads(state, channel, files, { notes: body.attachments ?? [], ephemeral }),
		mentions: noMentions,
		flags: flagsOf(making),
		...{ editedAt: null, deleted: false, reactions: new Map() },
		...(body.nonce && { nonce: body.nonce }),
		...(repliesTo && { reference: { channelId: channel.id, messageId: repliesTo.id } }),
		...(snapshot && { snapshot, reference: { channelId: snapshot.channel.id, messageId: snapshot.id } }),
		...(making.webhookId !== undefined && { webhookId: making.webhookId }),
		...(interaction && { interaction, webhookId: state.app.id }),
		...(onlyFor && { onlyFor }),
	};
	notifyMentioned(state, message, body.allowed_mentions, repliesTo?.author);
	channel.messages.push(message);
	addState(state, message, "create");
	channel.typing.delete(author.id);
	return message;
}

function addState(
	state: State,
	{ states, content, embeds, components }: MessageRecord,
	by: StateCause,
): void {
	states.push({ at: state.now(), by, content, embeds, components });
}

function flagsOf({ draft, flags = 0, onlyFor, snapshot }: Making): number {
	const own = (onlyFor ? MessageFlags.Ephemeral : 0) | (snapshot ? MessageFlags.HasSnapshot : 0);
	return ((draft.body.flags ?? 0) & settable) | flags | own;
}

function embedsOf(state: State, { author, channel, interaction, draft }: Making): MessageRecord["embeds"] {
	// Without the permission EmbedLinks, Discord silently removes all embeds, except in responses to interactions.
	const shown = interaction !== undefined || may(state, author, channel, "EmbedLinks");
	return shown ? richEmbeds(draft.body.embeds) : [];
}

function richEmbeds(embeds: MessageBody["embeds"]): MessageRecord["embeds"] {
	return (embeds ?? []).map((embed) => ({ type: EmbedType.Rich, ...embed }));
}

function notifyMentioned(
	state: State,
	message: MessageRecord,
	allowed: MessageBody["allowed_mentions"],
	repliesTo: UserRecord | undefined,
): void {
	const { author, channel, content, components, onlyFor } = message;
	const text = [content, ...textsOf(components)].join("\n");
	message.mentions = onlyFor ? noMentions : mentionsOf(state, { author, channel, text, allowed, repliesTo });
}

/** Edits a message: https://discord.com/developers/docs/resources/message#edit-message */
export function editMessage(
	state: State,
	author: UserRecord,
	message: MessageRecord,
	draft: Draft,
): MessageRecord {
	const { channel } = message;
	demand(state, author, channel);
	if (message.author !== author) throw refusals.othersMessage();
	// An edit that uploads files also requires AttachFiles, which "Allows for uploading images and files":
	// https://discord.com/developers/docs/topics/permissions
	if (draft.files.length > 0) demand(state, author, channel, "AttachFiles");
	if (channel.thread) demandOpen(state, channel);
	demandUnlocked(state, author, channel);
	countOldEdit(state, message);
	return changeMessage(state, message, draft);
}

/**
 * Changes the fields that the body contains. Without a list of attachments, removes all existing files. Determines
 * the mentions from this request.
 */
export function changeMessage(state: State, message: MessageRecord, draft: Draft): MessageRecord {
	const { body, files } = draft;
	const after = {
		content: body.content === undefined ? message.content : body.content,
		embeds: body.embeds === undefined ? message.embeds : body.embeds,
		components: body.components === undefined ? message.components : body.components,
		flags: editedFlags(message.flags, body.flags),
	};
	const staying = stayingFiles(message.attachments, body.attachments);
	const allFiles = filesOf(body, files, staying);
	checkMessage(state, { ...after, allowed_mentions: body.allowed_mentions ?? null }, allFiles);
	const { channel, onlyFor } = message;
	message.content = after.content ?? "";
	message.embeds = richEmbeds(after.embeds);
	message.components = numbered(after.components);
	message.flags = after.flags;
	const notes = body.attachments ?? [];
	const added = storeUploads(state, channel, files, { notes, ephemeral: onlyFor !== undefined });
	message.attachments = [...staying, ...added];
	message.editedAt = state.now();
	const repliesTo = channel.messages.find(({ id }) => id === message.reference?.messageId);
	notifyMentioned(state, message, body.allowed_mentions, repliesTo?.author);
	addState(state, message, "edit");
	announce(state, message, GatewayDispatchEvents.MessageUpdate);
	notePings(state, message, "edit");
	return message;
}

/**
 * Returns the flags after an edit. An edit can change SuppressEmbeds and add components v2, but not remove
 * components v2: https://discord.com/developers/docs/components/reference#component-reference
 */
function editedFlags(before: number, flags: number | null | undefined): number {
	if (flags === undefined || flags === null) return before;
	const otherFlags = before & ~MessageFlags.SuppressEmbeds;
	if (before & MessageFlags.IsComponentsV2 && !(flags & MessageFlags.IsComponentsV2)) {
		throw refusals.invalidForm(["flags: IS_COMPONENTS_V2 cannot be removed"]);
	}
	return otherFlags | (flags & (MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2));
}

/** Deletes a message: https://discord.com/developers/docs/resources/message#delete-message */
export function deleteMessage(state: State, by: UserRecord, message: MessageRecord): void {
	demand(state, by, message.channel);
	if (message.author !== by) demand(state, by, message.channel, "ManageMessages");
	if (message.channel.thread) demandOpen(state, message.channel);
	removeMessage(state, message);
}

export function removeMessage(state: State, message: MessageRecord): void {
	message.deleted = true;
	addState(state, message, "delete");
	const { channel } = message;
	state.emit({
		t: GatewayDispatchEvents.MessageDelete,
		d: { id: message.id, channel_id: channel.id, ...(channel.guild && { guild_id: channel.guild.id }) },
		intents: channel.guild ? GatewayIntentBits.GuildMessages : GatewayIntentBits.DirectMessages,
		channel,
	});
}

/**
 * Emits an event about a message. A direct or ephemeral message requires the intent DirectMessages, any other message
 * GuildMessages.
 */
export function announce(
	state: State,
	message: MessageRecord,
	t: GatewayDispatchEvents.MessageCreate | GatewayDispatchEvents.MessageUpdate,
	fresh = false,
): void {
	const direct = !message.channel.guild || message.onlyFor;
	state.emit({
		t,
		d: messageEventShape(state, message, fresh),
		intents: direct ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages,
		channel: message.channel,
		message,
	});
}

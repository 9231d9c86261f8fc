import { InteractionType, MessageReferenceType, MessageType } from "discord-api-types/v10";
import { signedLink } from "../platform/links.ts";
import type { AttachmentRecord, InteractionRecord, MessageRecord, UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { threadShape } from "./channels.ts";
import { componentShape } from "./components.ts";
import { memberShape, userShape } from "./people.ts";

/** Returns the shape of a file: https://discord.com/developers/docs/resources/message#attachment-object */
export function attachmentShape(state: State, attachment: AttachmentRecord) {
	const url = signedLink(state, attachment);
	return {
		id: attachment.id,
		filename: attachment.name,
		size: attachment.bytes.byteLength,
		url,
		proxy_url: url,
		content_type: attachment.type,
		...(attachment.description !== undefined && { description: attachment.description }),
		...(attachment.ephemeral && { ephemeral: true }),
	};
}

function reactionsOf(message: MessageRecord, me: UserRecord) {
	const reactions = [...message.reactions].map(([name, users]) => ({
		emoji: { id: null, name },
		count: users.size,
		count_details: { burst: 0, normal: users.size },
		burst_colors: [],
		me_burst: false,
		me: users.has(me.id),
	}));
	return reactions.length > 0 ? { reactions } : {};
}

function referenceOf(state: State, message: MessageRecord) {
	const { reference, channel } = message;
	if (!reference) return {};
	const { snapshot } = message;
	const guild = snapshot ? snapshot.channel.guild : channel.guild;
	const shape = {
		type: snapshot ? MessageReferenceType.Forward : MessageReferenceType.Default,
		channel_id: reference.channelId,
		message_id: reference.messageId,
		...(guild && { guild_id: guild.id }),
	};
	if (snapshot) {
		return { message_reference: shape, message_snapshots: [{ message: contentShape(state, snapshot) }] };
	}
	const found = state.channels
		.get(reference.channelId)
		?.messages.find(({ id }) => id === reference.messageId);
	const referenced = found && !found.deleted ? plainShape(state, found) : null;
	return { message_reference: shape, referenced_message: referenced };
}

/**
 * Returns the interaction metadata:
 * https://discord.com/developers/docs/resources/message#message-interaction-metadata-object
 */
function metadataOf({ id, type, user, channel, message, trigger }: InteractionRecord): object {
	return {
		...{ id, type, user: userShape(user) },
		authorizing_integration_owners: { 0: channel.guild?.id ?? "0" },
		...(message && type === InteractionType.MessageComponent && { interacted_message_id: message.id }),
		...(trigger && { triggering_interaction_metadata: metadataOf(trigger) }),
	};
}

/**
 * Returns the fields that a message shares with a snapshot:
 * https://discord.com/developers/docs/resources/message#message-snapshot-object
 */
function contentShape(state: State, message: MessageRecord) {
	return {
		type: message.type,
		content: message.content,
		timestamp: state.timestamp(message.createdAt),
		edited_timestamp: message.editedAt === null ? null : state.timestamp(message.editedAt),
		mentions: message.mentions.users.map(userShape),
		mention_roles: [...message.mentions.roles],
		attachments: message.attachments.map((attachment) => attachmentShape(state, attachment)),
		embeds: [...message.embeds],
		components: message.components.map((component) => componentShape(state, message, component)),
		flags: message.flags,
	};
}

function plainShape(state: State, message: MessageRecord) {
	const thread = message.channel.thread ? undefined : state.channels.get(message.id);
	return {
		...contentShape(state, message),
		...{ id: message.id, channel_id: message.channel.id, author: userShape(message.author) },
		...{ tts: false, mention_everyone: message.mentions.everyone, pinned: false },
		...reactionsOf(message, state.app.user),
		...(message.interaction && { interaction_metadata: metadataOf(message.interaction) }),
		...(message.webhookId !== undefined && { webhook_id: message.webhookId }),
		...(message.interaction && { application_id: state.app.id }),
		...(thread?.thread && !thread.deleted && { thread: threadShape(state, thread) }),
	};
}

/**
 * Returns the shape of a message: https://discord.com/developers/docs/resources/message#message-object. Only a fresh
 * message contains the nonce, because Discord does not store it. With `nonceInHistory`, every message contains its
 * nonce.
 */
export function messageShape(state: State, message: MessageRecord, fresh = false) {
	const nonce = fresh || state.settings.nonceInHistory ? message.nonce : undefined;
	return {
		...plainShape(state, message),
		...referenceOf(state, message),
		...(nonce !== undefined && { nonce }),
		...(message.type === MessageType.ChatInputCommand && message.interaction && interactionName(message)),
	};
}

function interactionName({ interaction }: MessageRecord) {
	if (!interaction) return {};
	// The cast is safe because the data of a command has a name.
	const { name } = interaction.data as { readonly name: string };
	const { id, type, user } = interaction;
	return { interaction: { id, type, name, user: userShape(user) } };
}

/**
 * Returns the shape of a message with the additional fields of its event:
 * https://discord.com/developers/docs/events/gateway-events#message-create
 */
export function messageEventShape(state: State, message: MessageRecord, fresh = false) {
	const { guild } = message.channel;
	const shape = messageShape(state, message, fresh);
	// For an ephemeral message, "The message object won't include guild_id or member".
	if (!guild || message.onlyFor) return shape;
	const member = guild.members.get(message.author.id);
	return {
		...shape,
		guild_id: guild.id,
		mentions: message.mentions.users.map((user) => {
			const mentioned = guild.members.get(user.id);
			return { ...userShape(user), ...(mentioned && { member: memberShape(state, mentioned) }) };
		}),
		...(member && message.webhookId === undefined && { member: memberShape(state, member) }),
	};
}

/**
 * Returns the shape of a message for an app without the message content intent:
 * https://discord.com/developers/docs/events/gateway#message-content-intent. All fields with content are empty, except in:
 * - messages of the app and responses to interactions;
 * - direct messages;
 * - messages that mention the app.
 */
export function withoutContent<Shape extends object>(
	state: State,
	message: MessageRecord,
	shape: Shape,
): Shape {
	const emptied = readable(state, message)
		? shape
		: { ...shape, ...nothing, ...snapshotsWithoutContent(shape) };
	const { reference } = message;
	if (!reference || !("referenced_message" in emptied) || !emptied.referenced_message) return emptied;
	const found = state.channels
		.get(reference.channelId)
		?.messages.find(({ id }) => id === reference.messageId);
	if (!found || readable(state, found)) return emptied;
	return { ...emptied, referenced_message: { ...emptied.referenced_message, ...nothing } };
}

const nothing = { content: "", embeds: [], attachments: [], components: [] };

function snapshotsWithoutContent(shape: object): object {
	if (!("message_snapshots" in shape) || !Array.isArray(shape.message_snapshots)) return {};
	const snapshots = shape.message_snapshots.map(({ message }) => ({ message: { ...message, ...nothing } }));
	return { message_snapshots: snapshots };
}

function readable({ app }: State, { author, channel, mentions, interaction }: MessageRecord): boolean {
	const own = author === app.user || interaction !== undefined;
	return own || !channel.guild || mentions.users.includes(app.user);
}

import * as z from "zod";

/** Discord id (snowflake). */
export const id = z.string().regex(/^\d{1,20}$/);
const text = z.string().nullish();

export const User = z.object({ id, username: z.string(), global_name: text, bot: z.boolean().optional() });
export type User = z.output<typeof User>;

export const Member = z.object({ nick: text, roles: z.array(id) });

export const WireAttachment = z.object({
	id,
	filename: z.string(),
	size: z.int().min(0),
	content_type: text,
	url: z.string(),
});
export type WireAttachment = z.output<typeof WireAttachment>;

const time = z.iso.datetime({ offset: true });
const Mentioned = User.extend({ member: Member.partial().nullish() });

const components = z.array(z.unknown()).default([]).catch([]);

/** A forwarded message, without its author: resources/message#message-snapshot-object */
export const Snapshot = z.object({
	message: z.object({
		content: z.string(),
		timestamp: time,
		edited_timestamp: time.nullish(),
		attachments: z.array(WireAttachment).default([]),
		mentions: z.array(Mentioned).default([]),
		components,
	}),
});
export type Snapshot = z.output<typeof Snapshot>;

/** A message that is read in addition to an event, for example an earlier message or the target of a reply. */
export const BesideMessage = z.object({
	id,
	type: z.int().default(0),
	author: User,
	webhook_id: id.nullish(),
	content: z.string().default(""),
	edited_timestamp: time.nullish(),
	mentions: z.array(Mentioned).default([]),
	components,
	attachments: z.array(WireAttachment).default([]),
	embeds: z
		.array(z.object({ title: text, description: text }))
		.catch([])
		.default([]),
	message_snapshots: z.array(Snapshot).nullish().catch(undefined),
	/** Target of the reply. For the first message of a thread, the message from which the thread was opened. */
	referenced_message: z.unknown().optional(),
});
export type BesideMessage = z.output<typeof BesideMessage>;

/** Parsed fields of a message: resources/message#message-object */
export const Message = z.object({
	id,
	channel_id: id,
	channel_type: z.int().optional(),
	guild_id: id.optional(),
	type: z.int(),
	author: User,
	member: Member.optional(),
	webhook_id: id.nullish(),
	content: z.string(),
	edited_timestamp: z.iso.datetime({ offset: true }).nullish(),
	mentions: z.array(User.extend({ member: Member.partial().nullish() })),
	mention_roles: z.array(id),
	mention_everyone: z.boolean(),
	attachments: z.array(WireAttachment),
	message_reference: z.object({ type: z.int().optional(), message_id: id.optional() }).nullish(),
	referenced_message: z.looseObject({ author: z.looseObject({ id }) }).nullish(),
	message_snapshots: z.array(z.unknown()).nullish().catch(undefined),
});
export type Message = z.output<typeof Message>;

/** Fields of a message that contain text. */
export type ReadableMessage = Pick<Message, "content" | "mentions"> & { readonly components?: unknown[] };

export const Deleted = z.object({ id, channel_id: id, guild_id: id.optional() });
export const BulkDeleted = z.object({ ids: z.array(id), channel_id: id, guild_id: id.optional() });

export const Reaction = z.object({
	user_id: id,
	channel_id: id,
	message_id: id,
	guild_id: id.optional(),
	member: Member.extend({ user: User }).optional(),
	emoji: z.object({ id: id.nullish(), name: text }),
});

/** Parsed fields of a channel or a thread: resources/channel#channel-object */
export const Channel = z.object({
	id,
	type: z.int(),
	guild_id: id.nullish(),
	parent_id: id.nullish(),
	owner_id: id.nullish(),
	name: text,
	/** State of a thread; absent for other channels: resources/channel#thread-metadata-object */
	thread_metadata: z.object({ archived: z.boolean(), locked: z.boolean() }).nullish().catch(undefined),
});

export const Role = z.object({ id, name: z.string(), tags: z.object({ bot_id: id.nullish() }).nullish() });

/**
 * Data of GUILD_CREATE. `channels`, `threads` and `roles` are parsed one by one, so that an invalid item does
 * not affect the others.
 */
export const Guild = z.object({
	id,
	channels: z.array(z.unknown()).default([]),
	threads: z.array(z.unknown()).default([]),
	roles: z.array(z.unknown()).default([]),
	owner_id: id.optional().catch(undefined),
	/** Time when the bot was added. */
	joined_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
	/** Channel for Discord's notices. */
	system_channel_id: id.nullish().catch(undefined),
	members: z.array(z.object({ user: z.object({ id }), roles: z.array(id) })).catch([]),
});
export type Guild = z.output<typeof Guild>;
export const ThreadList = z.object({ guild_id: id, threads: z.array(z.unknown()) });
/** Data of the GUILD_ROLE events. GUILD_ROLE_DELETE has `role_id` instead of `role`. */
export const RoleOfGuild = z.object({
	guild_id: id,
	role: z.looseObject({ id, name: z.string() }).optional(),
	role_id: id.optional(),
});
/** Data of GUILD_DELETE. If `unavailable` is true, the bot is still a member of the guild. */
export const RemovedGuild = z.object({ id, unavailable: z.boolean().optional() });
export const ChangedGuild = z.object({ id, owner_id: id });

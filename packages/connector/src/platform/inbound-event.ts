import * as z from "zod";

const id = z.string().min(1).max(128);

/** A person as the platform describes them. The gateway determines the person's rights. */
export const Person = z.object({
	id,
	name: z.string(),
	/** Ids of the person's roles on the platform. */
	roles: z.array(id),
	/** Whether the platform reports the person as a limited member of the tenant. */
	guest: z.boolean(),
	bot: z.boolean(),
});
export type Person = z.output<typeof Person>;

/** A channel, a thread, or a direct or group conversation, with the ids of the platform. */
export const Room = z.object({
	/** Guild or team. For direct messages, a substitute that the platform's package chooses. */
	tenant: id,
	/** Channel. For a thread, its parent channel. */
	channel: id,
	thread: z.exactOptional(id),
	/** Whether people of other organisations can read the room. */
	shared: z.boolean(),
	/**
	 * Kind of the room. `direct`: a conversation with one person. `group`: a conversation with several people outside
	 * of channels.
	 */
	kind: z.enum(["channel", "direct", "group"]),
});
export type Room = z.output<typeof Room>;

export const Attachment = z.object({
	id,
	name: z.string(),
	/** Size in bytes, as the platform reports it. */
	size: z.int().min(0),
	type: z.exactOptional(z.string()),
	/** Address that only the platform's package reads. */
	url: z.string(),
});
export type Attachment = z.output<typeof Attachment>;

/** An earlier or referenced message, as context for a person's message. */
export const ReadMessage = z.object({
	id,
	/**
	 * Relation to the person's message. `thread`, `channel`: an earlier message of the thread or channel. Other
	 * values: the person's message replies to this message, forwards it, quotes it or links to it.
	 */
	relation: z.enum(["thread", "channel", "reply", "forward", "quote", "link"]),
	author: Person,
	/** Whether the bot itself wrote the message. */
	ours: z.boolean(),
	/** Time of the message, in milliseconds since the epoch. */
	at: z.number(),
	editedAt: z.exactOptional(z.number()),
	text: z.string(),
	attachments: z.array(Attachment),
});
export type ReadMessage = z.output<typeof ReadMessage>;

/** Addressees of a message. */
export const Address = z.object({
	/** Whether the message mentions the bot, or a role that only the bot has. */
	us: z.boolean(),
	/** Whether the message mentions another person, or a role or group of other people. */
	others: z.boolean(),
	/** Whether the message mentions all members. */
	everyone: z.boolean(),
	/** The message that is replied to. `ours`: whether the bot wrote it. */
	reply: z.exactOptional(z.object({ message: id, ours: z.boolean() })),
});
export type Address = z.output<typeof Address>;

/** Ticket with which the platform's package can answer a press, command or message in private for a limited time. */
export const Ticket = z.object({
	id,
	token: z.string(),
	/** Time of expiry, in milliseconds since the epoch. */
	expiresAt: z.number(),
});
export type Ticket = z.output<typeof Ticket>;

const happened = {
	room: Room,
	person: Person,
	/** Time of the event, in milliseconds since the epoch. */
	at: z.number(),
};
const message = {
	...happened,
	/** Id of the message on the platform. */
	message: id,
	/** Text without the mention of the bot. Other mentions are replaced by names. */
	text: z.string(),
	address: Address,
	attachments: z.array(Attachment),
	/** Whether the text contains a forwarded message. The author of the forwarded message may be another person. */
	forwarded: z.exactOptional(z.literal(true)),
	/** Further messages in the event: a message that is replied to, forwarded or quoted. */
	referenced: z.exactOptional(z.array(ReadMessage)),
	/** Whether the room is a thread of the bot: for example, the bot opened it or has posted in it. */
	ourThread: z.boolean(),
	/** Whether an earlier process may have answered the message. The platform is then searched before an answer is posted. */
	seenBefore: z.exactOptional(z.literal(true)),
};

/** An event of a platform in the form of the kit. */
export const InboundEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("message"), ...message }),
	/** A person changed the text. A change by a link preview is not an edit. */
	z.object({ type: z.literal("edited"), ...message }),
	z.object({ type: z.literal("deleted"), room: Room, message: id, at: z.number() }),
	z.object({
		type: z.literal("reaction"),
		...happened,
		message: id,
		/** `good`, `bad`: feedback about an answer of the bot. */
		sign: z.enum(["stop", "again", "good", "bad"]),
	}),
	/** A person pressed the platform's own button to stop the active run of the room. */
	z.object({ type: z.literal("stop"), ...happened }),
	/** A person used a command, for example `task new`, with options by name. */
	z.object({
		type: z.literal("command"),
		...happened,
		ticket: Ticket,
		command: z.string(),
		options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
		/** Message on which a message command was used, or to which a text command replies. */
		target: z.exactOptional(z.object({ message: id, text: z.string() })),
		attachments: z.array(Attachment),
	}),
	/** A person pressed a button, chose an option, or sent the form that a button opened. */
	z.object({
		type: z.literal("press"),
		...happened,
		ticket: Ticket,
		/** `Control.id` of the pressed control. */
		control: z.string(),
		/** Chosen values. */
		values: z.array(z.string()),
		/** Texts of the form by field name. */
		fields: z.record(z.string(), z.string()),
		/** Id of the post with the control. */
		message: z.exactOptional(id),
		/**
		 * Whether the control is on the person's home page. `room` is then the room of the person's direct
		 * messages.
		 */
		home: z.exactOptional(z.literal(true)),
	}),
	/** A person gave the conversation of a thread another title on the platform. */
	z.object({ type: z.literal("retitled"), ...happened, title: z.string() }),
	/**
	 * A person opened the app's home page or its direct messages. In both cases, `room` is the room of the direct
	 * messages.
	 */
	z.object({ type: z.literal("home"), ...happened, tab: z.enum(["page", "messages"]) }),
	/** The bot was added to the channel or to its server. `person` added the bot, or owns the server. */
	z.object({ type: z.literal("invited"), ...happened }),
	/** The room may accept posts again: for example, its thread was unlocked or its channel unarchived. */
	z.object({ type: z.literal("reopened"), room: Room, at: z.number() }),
	/** The audience of the room changed, or the bot can no longer read the room. */
	z.object({
		type: z.literal("audience"),
		room: Room,
		at: z.number(),
		/** Affected channels of the tenant, if more than the channel of the room is affected. */
		channels: z.exactOptional(z.union([z.literal("all"), z.array(id)])),
		/** Whether the bot can no longer read the room, because the room was deleted or the bot was removed. */
		gone: z.exactOptional(z.literal(true)),
		/** Whether the audience may be unchanged, because the earlier permissions are unknown. */
		uncertain: z.exactOptional(z.literal(true)),
		/** Whether the channel was deleted. The notes of the channel must then be deleted, too. */
		deleted: z.exactOptional(z.literal(true)),
		/** Description of the change for people, for example `a guest joined`. */
		change: z.string(),
	}),
]);
export type InboundEvent = z.output<typeof InboundEvent>;
export type InboundEventOf<Type extends InboundEvent["type"]> = Extract<InboundEvent, { type: Type }>;

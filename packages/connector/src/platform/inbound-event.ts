import * as z from "zod";

const id = z.string().min(1).max(128);

/** A person as the platform describes them. Rights come from the gateway. */
export const Person = z.object({
	id,
	name: z.string(),
	/** Ids of the person's roles on the platform. */
	roles: z.array(id),
	/** Whether the platform reports a limited member of the tenant. */
	guest: z.boolean(),
	bot: z.boolean(),
});
export type Person = z.output<typeof Person>;

/** A channel, a thread or a direct message. Ids are those of the platform. */
export const Room = z.object({
	/** Guild or team; for direct messages, the platform's substitute. */
	tenant: id,
	/** For a thread: its parent channel. */
	channel: id,
	thread: z.exactOptional(id),
	/** Whether people of other organizations can read it. */
	shared: z.boolean(),
	/** `direct`: a conversation with one person. `group`: a conversation with several people outside of channels. */
	kind: z.enum(["channel", "direct", "group"]),
});
export type Room = z.output<typeof Room>;

export const Attachment = z.object({
	id,
	name: z.string(),
	/** Bytes, as reported by the platform. */
	size: z.int().min(0),
	type: z.exactOptional(z.string()),
	/** Only the platform's package reads it. */
	url: z.string(),
});
export type Attachment = z.output<typeof Attachment>;

/** A message that belongs to a message of a person. */
export const ReadMessage = z.object({
	id,
	/** `thread`, `channel`: an earlier message there. Others: the message replies to it, forwards, quotes or links to it. */
	relation: z.enum(["thread", "channel", "reply", "forward", "quote", "link"]),
	author: Person,
	/** Whether the bot itself wrote it. */
	ours: z.boolean(),
	/** Milliseconds since the epoch. */
	at: z.number(),
	editedAt: z.exactOptional(z.number()),
	text: z.string(),
	attachments: z.array(Attachment),
});
export type ReadMessage = z.output<typeof ReadMessage>;

/** Addressees of a message. */
export const Address = z.object({
	/** Mentions the bot, or a role of the bot alone. */
	us: z.boolean(),
	/** Mentions another person. */
	others: z.boolean(),
	/** Mentions everyone. */
	everyone: z.boolean(),
	/** Replies to a post of the bot or of another author. */
	reply: z.exactOptional(z.object({ message: id, ours: z.boolean() })),
});
export type Address = z.output<typeof Address>;

/** Allows the platform's package to answer a press or command in private for a limited time. */
export const Ticket = z.object({
	id,
	token: z.string(),
	/** Milliseconds since the epoch. */
	expiresAt: z.number(),
});
export type Ticket = z.output<typeof Ticket>;

const happened = { room: Room, person: Person, /** Milliseconds since the epoch. */ at: z.number() };
const message = {
	...happened,
	/** Id of the message on the platform. */
	message: id,
	/** Without the mention of the bot. Other mentions are names. */
	text: z.string(),
	address: Address,
	attachments: z.array(Attachment),
	/** Whether the text contains a forwarded message, whose author may be another person. */
	forwarded: z.exactOptional(z.literal(true)),
	/** Messages that the event contains in addition: a replied-to, forwarded or quoted one. */
	referenced: z.exactOptional(z.array(ReadMessage)),
	/** Whether the room is a thread that the bot opened. */
	ourThread: z.boolean(),
	/** Whether an earlier process may have answered it. The platform is searched before an answer is posted. */
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
	/** The platform's own button stops the active run of the room. */
	z.object({ type: z.literal("stop"), ...happened }),
	/** A command, for example `task new`, with its options by name. */
	z.object({
		type: z.literal("command"),
		...happened,
		ticket: Ticket,
		command: z.string(),
		options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
		/** The message on which a message command was used. */
		target: z.exactOptional(z.object({ message: id, text: z.string() })),
		attachments: z.array(Attachment),
	}),
	/** A button, a choice, or the form that a button opened. */
	z.object({
		type: z.literal("press"),
		...happened,
		ticket: Ticket,
		/** `Control.id` of the pressed control. */
		control: z.string(),
		/** Chosen values. */
		values: z.array(z.string()),
		/** Texts by field name of the form. */
		fields: z.record(z.string(), z.string()),
		/** The post of the control. */
		message: z.exactOptional(id),
		/** The control is on the person's home page. The room is then that of the person's direct messages. */
		home: z.exactOptional(z.literal(true)),
	}),
	/** A person gave the conversation of a thread another title on the platform. */
	z.object({ type: z.literal("retitled"), ...happened, title: z.string() }),
	/** A person opened the app's home page or its direct messages. In both cases, `room` is the direct messages. */
	z.object({ type: z.literal("home"), ...happened, tab: z.enum(["page", "messages"]) }),
	/** The bot was added to the channel, by this person or to the server of this owner. */
	z.object({ type: z.literal("invited"), ...happened }),
	/** The room accepts posts again: its thread was unlocked or its channel unarchived. */
	z.object({ type: z.literal("reopened"), room: Room, at: z.number() }),
	/** The audience of the room changed, or the bot can no longer read it. */
	z.object({
		type: z.literal("audience"),
		room: Room,
		at: z.number(),
		/** Affected channels of the tenant, if it is not only the room's. */
		channels: z.exactOptional(z.union([z.literal("all"), z.array(id)])),
		/** The bot can no longer read it: it was deleted, or the bot was removed. */
		gone: z.exactOptional(z.literal(true)),
		/** The channel was deleted, and its notes must be deleted, too. */
		deleted: z.exactOptional(z.literal(true)),
		/** Text for people, for example `a guest joined`. */
		change: z.string(),
	}),
]);
export type InboundEvent = z.output<typeof InboundEvent>;
export type InboundEventOf<Type extends InboundEvent["type"]> = Extract<InboundEvent, { type: Type }>;

import * as z from "zod";

const id = z.string().min(1).max(128);

/** Somebody on the platform, as it shows them. What they may do, the gateway knows. */
export const Person = z.object({
	id,
	name: z.string(),
	/** Ids of the platform's roles that they hold. */
	roles: z.array(id),
	/** Whether the platform says that they do not wholly belong to the tenant. */
	guest: z.boolean(),
	bot: z.boolean(),
});
export type Person = z.output<typeof Person>;

/** Where something is said. Ids are the platform's own. */
export const Room = z.object({
	/** A guild, a team; of direct messages what stands for them there. */
	tenant: id,
	/** Of a thread: the channel that it belongs to. */
	channel: id,
	thread: z.exactOptional(id),
	/** Whether people of other organisations are there, too. */
	shared: z.boolean(),
	/** `direct`: a conversation with one person; `group`: with some, outside of channels. */
	kind: z.enum(["channel", "direct", "group"]),
});
export type Room = z.output<typeof Room>;

export const Attachment = z.object({
	id,
	name: z.string(),
	/** Bytes, as the platform says. */
	size: z.int().min(0),
	type: z.exactOptional(z.string()),
	/** Only the platform's package reads it. */
	url: z.string(),
});
export type Attachment = z.output<typeof Attachment>;

/** What in a message speaks to somebody. */
export const Address = z.object({
	/** The bot itself is mentioned, or a role that stands for it alone. */
	us: z.boolean(),
	/** Somebody else is. */
	others: z.boolean(),
	/** Everybody is, at once. */
	everyone: z.boolean(),
	/** It replies to a post, ours or another one's. */
	reply: z.exactOptional(z.object({ message: id, ours: z.boolean() })),
});
export type Address = z.output<typeof Address>;

/** Lets the platform's package answer the one who pressed or commanded, in private and for a while. */
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
	/** The platform's id of the message. */
	message: id,
	/** Without the mention of ourselves; other mentions as names. */
	text: z.string(),
	address: Address,
	attachments: z.array(Attachment),
	/** The room is a thread that we opened. */
	ourThread: z.boolean(),
	/** An earlier process may have answered it, of which nothing is known: no answer is posted before somebody has looked. */
	seenBefore: z.exactOptional(z.literal(true)),
};

/** Something that happened on the platform, in words that all platforms share. */
export const InboundEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("message"), ...message }),
	/** A person has changed the text; what only a link preview changed is no edit. */
	z.object({ type: z.literal("edited"), ...message }),
	z.object({ type: z.literal("deleted"), room: Room, message: id, at: z.number() }),
	z.object({
		type: z.literal("reaction"),
		...happened,
		message: id,
		sign: z.enum(["stop", "again"]),
	}),
	/** Whatever is at work in the room is to stop: by a button of the platform's own. */
	z.object({ type: z.literal("stop"), ...happened }),
	/** A command with its words, such as `task new`, and its options by name. */
	z.object({
		type: z.literal("command"),
		...happened,
		ticket: Ticket,
		command: z.string(),
		options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
		/** Of a command on a message: that message. */
		target: z.exactOptional(z.object({ message: id, text: z.string() })),
		attachments: z.array(Attachment),
	}),
	/** A button or a choice, or the form that a button has opened. */
	z.object({
		type: z.literal("press"),
		...happened,
		ticket: Ticket,
		/** The `Control.id` of what was pressed. */
		control: z.string(),
		/** What was chosen. */
		values: z.array(z.string()),
		/** What was written, by the names of the form's fields. */
		fields: z.record(z.string(), z.string()),
		/** The post that it belongs to. */
		message: z.exactOptional(id),
	}),
	/** Others than before may read the room or write there, or it can be read no more. */
	z.object({
		type: z.literal("audience"),
		room: Room,
		at: z.number(),
		/** Which channels of the tenant it is about, where that is not the room's alone. */
		channels: z.exactOptional(z.union([z.literal("all"), z.array(id)])),
		/** We can read it no more: it was deleted, or we were removed. */
		gone: z.exactOptional(z.literal(true)),
		/** The channel of the room was deleted, so that its notes go, too. */
		deleted: z.exactOptional(z.literal(true)),
		/** For people: `a guest joined`. */
		change: z.string(),
	}),
]);
export type InboundEvent = z.output<typeof InboundEvent>;
export type InboundEventOf<Type extends InboundEvent["type"]> = Extract<InboundEvent, { type: Type }>;

import * as z from "zod";

const label = z.string().min(1).max(75);

const CurrentControl = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("button"),
		id: z.string(),
		label,
		style: z.enum(["primary", "secondary", "success", "danger"]),
		/** Emoji before the label, if buttons of the platform can have an emoji. */
		emoji: z.exactOptional(z.string()),
		/**
		 * Feedback that the button gives about the answer above the button, for platforms with an element for
		 * feedback.
		 */
		rates: z.exactOptional(z.enum(["good", "bad"])),
	}),
	z.object({ type: z.literal("link"), url: z.string(), label }),
	z.object({
		type: z.literal("choice"),
		id: z.string(),
		placeholder: z.string(),
		options: z
			.array(z.object({ value: z.string(), label: z.string(), description: z.string(), chosen: z.boolean() }))
			.min(1),
		/** Minimum and maximum number of options that a person must choose. */
		minimum: z.int().min(0),
		maximum: z.int().min(1),
	}),
]);

/** A choice as earlier versions of Parley stored it in the outbox, with its limits in `least` and `most`. */
const EarlierChoice = z.looseObject({ type: z.literal("choice"), least: z.int(), most: z.int() });

/** A button, a link or a choice. `Controls.write` creates the `id` of buttons and choices. */
export const Control = z.preprocess((stored) => {
	const { data } = EarlierChoice.safeParse(stored);
	return data === undefined ? stored : { ...data, minimum: data.least, maximum: data.most };
}, CurrentControl);
export type Control = z.output<typeof Control>;

/** States of a card. A platform can show a state by a colour. */
export const CardState = z.enum(["waiting", "working", "done", "failed", "closed", "warning", "notice"]);
export type CardState = z.output<typeof CardState>;

/** A list of steps. All its texts are plain text. */
export const StepList = z.object({
	title: z.string().min(1),
	steps: z
		.array(
			z.object({
				title: z.string().min(1),
				status: z.enum(["pending", "in_progress", "completed", "skipped"]),
			}),
		)
		.min(1),
});
export type StepList = z.output<typeof StepList>;

/**
 * A part of a growing answer. A later state usually extends the last text, adds parts, or changes titles and states
 * of calls. Other changes are possible, for example the removal of the oldest parts.
 */
export const GrowingPart = z.discriminatedUnion("type", [
	/** A text. `body` is in the platform's dialect. */
	z.object({ type: z.literal("text"), body: z.string() }),
	z.object({
		type: z.literal("call"),
		id: z.string(),
		title: z.string().min(1),
		state: z.enum(["running", "completed", "failed"]),
	}),
]);
export type GrowingPart = z.output<typeof GrowingPart>;

/** Suffix of the name of an outbox conversation for the reactions in a room. */
export const reactionsOf = "#reactions";

/** Emoji for the states of a message: accepted, queued, done, failed. */
export const statusEmoji = ["👀", "⏳", "✅", "❌"] as const;
export type StatusEmoji = (typeof statusEmoji)[number];

const NoticeWay = z.enum(["mention", "channel", "direct", "reply"]);

/**
 * People, roles and channels that a notice must reach. `NoticePayload.by` of the protocol describes the ways. With
 * the additional way `reply`, the notice is a post in the conversation, without mentions.
 */
export const NoticeTarget = z.object({
	people: z.array(z.string()),
	/** Platform ids of roles. Only the ways `mention` and `channel` reach roles. */
	roles: z.exactOptional(z.array(z.string())),
	ways: z.array(NoticeWay).min(1),
	/** Ways by which an earlier row may have posted the notice. They are only used to find the notice. */
	earlierWays: z.exactOptional(z.array(NoticeWay)),
	channels: z.array(z.string()),
});
export type NoticeTarget = z.output<typeof NoticeTarget>;

/** A link to the post of a card. The card must have an earlier row. */
export const CardLink = z.object({
	card: z.string(),
	label,
	/** Room of the card. */
	room: z.object({ tenant: z.string(), channel: z.string(), thread: z.exactOptional(z.string()) }),
});
export type CardLink = z.output<typeof CardLink>;

/**
 * Content of a post. `body` is in the platform's dialect, has a valid length and mentions no person. Only `mentions`,
 * `mentionedRoles` and `notifies` notify people.
 */
const PostPosting = z.object({
	type: z.literal("post"),
	body: z.string(),
	/** People to notify, and the ways to reach them. The surface uses the first way that the platform accepts. */
	notifies: z.exactOptional(NoticeTarget),
	/** Platform ids of people whom the post mentions before its body. */
	mentions: z.exactOptional(z.array(z.string())),
	/** Platform ids of roles that the post notifies. Platforms without roles ignore them. */
	mentionedRoles: z.exactOptional(z.array(z.string())),
	/** Platform id of the message to which the post replies. */
	replyTo: z.exactOptional(z.string()),
	/** Card in whose thread the post appears. */
	thread: z.exactOptional(z.string()),
	/** Controls by row. */
	controls: z.exactOptional(z.array(z.array(Control).min(1))),
	/** Link that becomes the last control, if the card is posted and posts have addresses. */
	opens: z.exactOptional(CardLink),
	/** A text file, for example with an answer that does not fit into posts. */
	file: z.exactOptional(z.object({ name: z.string(), content: z.string() })),
	/** Files with long code of the answer, for platforms with `PostFormat.snippets`. */
	snippets: z.exactOptional(
		z.array(z.object({ name: z.string(), content: z.string(), language: z.string() })).max(5),
	),
	/** A stored file of the gateway. `alt` is the text alternative of an image. */
	upload: z.exactOptional(
		z.object({ fileId: z.string(), name: z.string(), size: z.int(), alt: z.exactOptional(z.string()) }),
	),
	/**
	 * State of the card or notice that the post shows. Absent for other text, for example an answer. A post with files
	 * has no state.
	 */
	state: z.exactOptional(CardState),
	/** The list of steps in `body`, for platforms with an element for lists. */
	list: z.exactOptional(StepList),
	/** Shorter body that the surface posts if the platform refuses the content of this post. */
	plain: z.exactOptional(z.string()),
	/**
	 * Unique text that earlier versions wrote into the card, to find the card after its content has changed.
	 */
	marker: z.exactOptional(z.string()),
	/**
	 * Identity of the post, if several rows may create the post. The nonce is derived from `key`. Default: the id
	 * of the row.
	 */
	key: z.exactOptional(z.string()),
	/**
	 * Ids of the buttons that the post has in at least one of its states. They identify the post after its content
	 * has changed.
	 */
	buttons: z.exactOptional(z.array(z.string())),
	/**
	 * Earliest time at which another row may have created this post, in milliseconds since the epoch. Default: the row's time.
	 */
	since: z.exactOptional(z.number()),
	/**
	 * Person who gets the post as a direct message if the thread or channel of the post is closed. `link` is the
	 * address of the closed thread or channel, for the note above the copy.
	 */
	elsewhere: z.exactOptional(z.object({ person: z.string(), link: z.exactOptional(z.string()) })),
	/** Whether the answer is still growing. */
	live: z.exactOptional(z.literal(true)),
	/**
	 * The content of a growing answer in parts, for a platform with streams. `reader` is the principal of the person who
	 * asked.
	 */
	grows: z.exactOptional(z.object({ reader: z.exactOptional(z.string()), parts: z.array(GrowingPart) })),
});

/** Content of one request to the platform. */
export const Posting = z.discriminatedUnion("type", [
	PostPosting,
	/**
	 * Deletes the post of the row's card. The other fields identify a post that a connector with another database created.
	 */
	z.object({
		type: z.literal("delete"),
		key: z.exactOptional(z.string()),
		buttons: z.exactOptional(z.array(z.string())),
		since: z.exactOptional(z.number()),
	}),
	/**
	 * Replaces the connector's reaction to a message; without an emoji, removes the reaction. `notice` is posted in
	 * place of the reaction if the connector may not react. Without `notice`, an earlier notice is deleted.
	 */
	z.object({
		type: z.literal("reaction"),
		message: z.string(),
		emoji: z.exactOptional(z.enum(statusEmoji)),
		notice: z.exactOptional(PostPosting),
	}),
	/** Home page of a person in the app. It replaces the previous page. */
	z.object({
		type: z.literal("home"),
		person: z.string(),
		/** Channel of the person's direct messages. */
		room: z.string(),
		sections: z.array(z.object({ body: z.string().min(1), controls: z.array(z.array(Control).min(1)) })),
	}),
	/** Title of the conversation, for the conversation's thread. It replaces the previous title. */
	z.object({ type: z.literal("title"), title: z.string().min(1).max(200) }),
	/** Opens the thread of a posted card. */
	z.object({ type: z.literal("thread"), card: z.string(), name: z.string().min(1) }),
	/**
	 * Answers a press or command in private. After the ticket expires, the answer is not shown. An empty body removes the
	 * loading indicator.
	 */
	z.object({
		type: z.literal("private"),
		body: z.string(),
		expiresAt: z.number(),
		ticket: z.object({ id: z.string(), token: z.string() }),
		controls: z.exactOptional(z.array(z.array(Control).min(1))),
		file: z.exactOptional(z.object({ name: z.string(), content: z.string() })),
	}),
]);
export type Posting = z.output<typeof Posting>;

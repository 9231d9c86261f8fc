import * as z from "zod";

const label = z.string().min(1).max(75);

/** Something to press or to choose from. `id` is what `Controls.write` made. */
export const Control = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("button"),
		id: z.string(),
		label,
		style: z.enum(["primary", "secondary", "success", "danger"]),
	}),
	z.object({ type: z.literal("link"), url: z.string(), label }),
	z.object({
		type: z.literal("choice"),
		id: z.string(),
		placeholder: z.string(),
		options: z
			.array(z.object({ value: z.string(), label: z.string(), description: z.string(), chosen: z.boolean() }))
			.min(1),
		least: z.int().min(0),
		most: z.int().min(1),
	}),
]);
export type Control = z.output<typeof Control>;

/** A list of steps, with plain texts. */
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

/** What one request shows. `body` is written in the platform's dialect and fits; whatever it says, it pings nobody. */
export const Posting = z.discriminatedUnion("type", [
	z.object({
		type: z.literal("post"),
		body: z.string(),
		/** The platform's id of the message that it answers. */
		replyTo: z.exactOptional(z.string()),
		/** The card whose thread it goes to. */
		thread: z.exactOptional(z.string()),
		/** In rows. */
		controls: z.exactOptional(z.array(z.array(Control).min(1))),
		/** A text that is too long for posts. */
		file: z.exactOptional(z.object({ name: z.string(), content: z.string() })),
		/** A file that the gateway keeps. `alt`: what is read instead of a picture. */
		upload: z.exactOptional(
			z.object({ fileId: z.string(), name: z.string(), size: z.int(), alt: z.exactOptional(z.string()) }),
		),
		/** The list of steps that `body` shows, for platforms that have an element for it. */
		list: z.exactOptional(StepList),
		/** Shorter body that the surface posts instead if the platform refuses this post for its contents. */
		plain: z.exactOptional(z.string()),
		/** A part of `body` that no other post has, to find this one by when its contents have changed. */
		marker: z.exactOptional(z.string()),
	}),
	/** Opens the thread of a card that was posted. */
	z.object({ type: z.literal("thread"), card: z.string(), name: z.string().min(1) }),
	/**
	 * Answers the one who pressed or commanded, in private; where that is over, nobody sees it. An empty body takes away
	 * the sign that an answer will come.
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

import * as z from "zod";

const id = z
	.string()
	.min(1)
	.max(128)
	.regex(/^[^\s:]+$/u, "must not hold blanks or colons");

/** For whom a connector acts. What they may do, the gateway knows, not the connector. */
export const Actor = z.object({
	/** The platform's own id. */
	id,
	name: z.string().max(256).default(""),
	/** Ids of the platform's roles that they hold. */
	roles: z.array(id).max(250).default([]),
	/** Whether the platform says that they do not wholly belong to the tenant. */
	guest: z.boolean().default(false),
});
export type Actor = z.output<typeof Actor>;

/** Where that person speaks. */
export const Place = z.object({
	/** A guild, a team; of direct messages the platform's own id for them. */
	tenant: id,
	channel: id,
	thread: z
		.string()
		.max(128)
		.nullish()
		.transform((thread) => thread ?? undefined),
	/** Whether people of other organisations are there, too. */
	shared: z.boolean().default(false),
});
export type Place = z.output<typeof Place>;

/** What the params of a connector's request hold beside the method's own, where it acts for a person. */
export const OnBehalf = z.object({
	actor: Actor.nullish().transform((actor) => actor ?? undefined),
	place: Place.nullish().transform((place) => place ?? undefined),
});
export type OnBehalf = z.output<typeof OnBehalf>;

import * as z from "zod";

const id = z
	.string()
	.min(1)
	.max(128)
	.regex(/^[^\s:]+$/u, "must not contain spaces or colons");

/** Person for whom a connector acts. The gateway, not the connector, determines the rights of the person. */
export const Actor = z.object({
	/** Id on the platform. */
	id,
	name: z.string().max(256).default(""),
	/** Ids of the person's roles on the platform. */
	roles: z.array(id).max(250).default([]),
	/** Whether the platform reports the person as a limited member of the tenant. */
	guest: z.boolean().default(false),
});
export type Actor = z.output<typeof Actor>;

/** Channel, thread or direct message in which the person writes. */
export const Place = z.object({
	/** Guild or team. For a direct message, the tenant that the platform's connector uses for direct messages. */
	tenant: id,
	channel: id,
	thread: z
		.string()
		.max(128)
		.nullish()
		.transform((thread) => thread ?? undefined),
	/** Whether people of other organisations can read the channel. */
	shared: z.boolean().default(false),
});
export type Place = z.output<typeof Place>;

/** Additional parameters of a connector's request on behalf of a person. */
export const OnBehalf = z.object({
	actor: Actor.nullish().transform((actor) => actor ?? undefined),
	place: Place.nullish().transform((place) => place ?? undefined),
});
export type OnBehalf = z.output<typeof OnBehalf>;

import * as z from "zod";
import { id, Member, Message, User, WireAttachment } from "../intake/wire.ts";

/** interactions/receiving-and-responding#interaction-object-interaction-type */
export const interactionTypes = { command: 2, component: 3, complete: 4, form: 5 } as const;

/** What every interaction has, and all that it takes to answer one. */
export const Head = z.object({
	id,
	token: z.string().min(1),
	type: z.literal(Object.values(interactionTypes)),
});
export type Head = z.output<typeof Head>;

/** Where it was made, and by whom. */
export const Whence = z
	.object({
		guild_id: id.nullish(),
		channel_id: id.nullish(),
		channel: z.object({ id }).loose().nullish(),
		member: Member.extend({ user: User }).nullish(),
		user: User.nullish(),
	})
	.refine(({ member, user }) => member ?? user, "nobody has made it")
	.refine(({ channel, channel_id }) => channel ?? channel_id, "it was made nowhere");
export type Whence = z.output<typeof Whence>;

const value = z.union([z.string(), z.number(), z.boolean()]);

/** interactions/receiving-and-responding#interaction-object-application-command-interaction-data-option-structure */
export interface WireOption {
	readonly name: string;
	readonly type: number;
	readonly value?: z.output<typeof value> | undefined;
	readonly focused?: boolean | undefined;
	readonly options?: readonly WireOption[] | undefined;
}
const Option: z.ZodType<WireOption> = z.lazy(() =>
	z.object({
		...{ name: z.string(), type: z.int(), value: value.optional(), focused: z.boolean().optional() },
		options: z.array(Option).optional(),
	}),
);

export const CommandData = z.object({
	data: z.object({
		name: z.string(),
		type: z.int().default(1),
		options: z.array(Option).default([]),
		target_id: id.optional(),
		resolved: z
			.object({
				attachments: z.record(z.string(), WireAttachment).default({}),
				messages: z.record(z.string(), Message.pick({ id: true, content: true })).default({}),
			})
			.partial()
			.default({}),
	}),
});

export const ComponentData = z.object({
	data: z.object({ custom_id: z.string(), values: z.array(z.string()).default([]) }),
	message: z.object({ id }),
});

const field = z.object({ custom_id: z.string(), value: z.string() });
/** A field stands in a row, or in a label. */
export const FormData = z.object({
	data: z.object({
		custom_id: z.string(),
		components: z.array(
			z.union([
				z.object({ component: field }).transform(({ component }) => [component]),
				z.object({ components: z.array(field) }).transform(({ components }) => components),
				z.unknown().transform(() => []),
			]),
		),
	}),
	message: z.object({ id }).optional(),
});

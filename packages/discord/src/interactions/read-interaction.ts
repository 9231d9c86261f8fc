import { defined } from "@parley/base";
import type { Attachment, InboundEventOf, Malformed, Person, Room, Ticket } from "@parley/connector";
import * as z from "zod";
import { type Channels, roomOf } from "../intake/channels.ts";
import { attachmentsOf, personOf } from "../intake/people.ts";
import { id, Member, Message, User, WireAttachment } from "../intake/wire.ts";
import { limits } from "../vocabulary/limits.ts";
import { momentOf } from "../vocabulary/snowflake.ts";

type Options = InboundEventOf<"command">["options"];

/**
 * Input for suggestions: the text typed into one option of a command, and the values of the command's other
 * options.
 */
export interface OptionInput {
	readonly command: string;
	readonly option: string;
	readonly typed: string;
	readonly options: Options;
	readonly person: Person;
	readonly room: Room;
}

/**
 * A person's interaction. `opens` is true for a press that may open a form instead of becoming an inbound event.
 */
export type Interaction =
	| { readonly type: "complete"; readonly input: OptionInput }
	| {
			readonly type: "inbound";
			readonly inbound: InboundEventOf<"command" | "press">;
			readonly opens: boolean;
	  };

/** Types of options: interactions/application-commands#application-command-object-application-command-option-type */
const optionTypes = { subcommand: 1, group: 2, attachment: 11 } as const;
const commandTypes = { user: 2, message: 3 } as const;

/** Parses an interaction. Returns undefined for invalid data, and for a completion without a focused option. */
export function readInteraction(
	head: Head,
	data: unknown,
	{ channels, malformed }: { readonly channels: Channels; readonly malformed: Malformed },
): Interaction | undefined {
	const origin = malformed.read("INTERACTION_CREATE", InteractionOrigin, data);
	const happened = origin && locateInteraction(head, origin, channels);
	if (happened === undefined) return undefined;
	switch (head.type) {
		case interactionTypes.command:
		case interactionTypes.complete: {
			const read = malformed.read("INTERACTION_CREATE", CommandData, data);
			if (read === undefined) return undefined;
			return head.type === interactionTypes.command
				? { type: "inbound", inbound: commandOf(read.data, happened), opens: false }
				: completionOf(read.data, happened);
		}
		case interactionTypes.component: {
			const read = malformed.read("INTERACTION_CREATE", ComponentData, data);
			if (read === undefined) return undefined;
			const { custom_id: control, values } = read.data;
			const press = { ...happened, control, values, fields: {}, message: read.message.id };
			return { type: "inbound", inbound: { type: "press", ...press }, opens: true };
		}
		case interactionTypes.form: {
			const read = malformed.read("INTERACTION_CREATE", FormData, data);
			if (read === undefined) return undefined;
			const { custom_id: control, components } = read.data;
			const fields = Object.fromEntries(components.flat().map((one) => [one.custom_id, one.value]));
			const press = { ...happened, control, values: [], fields };
			const message = read.message && { message: read.message.id };
			return { type: "inbound", inbound: { type: "press", ...press, ...message }, opens: false };
		}
	}
}

/** Fields that every inbound event from an interaction has. */
interface Happened {
	readonly room: Room;
	readonly person: Person;
	readonly at: number;
	readonly ticket: Ticket;
}

function locateInteraction(
	{ id, token }: Head,
	origin: InteractionOrigin,
	channels: Channels,
): Happened | undefined {
	const { guild_id: guild, channel, channel_id: channelId, member } = origin;
	const user = member?.user ?? origin.user;
	const known =
		(channel && channels.note(channel, guild ?? undefined)) ??
		(channelId &&
			(channels.get(channelId) ?? channels.note({ id: channelId, type: guild ? 0 : 1 }, guild ?? undefined)));
	if (!user || !known) return undefined;
	const at = momentOf(id);
	const ticket = { id, token, expiresAt: at + limits.ticketMs };
	return { room: roomOf(known), person: personOf(user, member), at, ticket };
}

type Data = (typeof CommandData)["_output"]["data"];

function commandOf(data: Data, happened: Happened): InboundEventOf<"command"> {
	const { command, options } = unfolded(data);
	const { target_id: target, resolved } = data;
	const attachments: Attachment[] = options.flatMap(({ type, value }) => {
		const file = type === optionTypes.attachment ? resolved.attachments?.[String(value)] : undefined;
		return file === undefined ? [] : attachmentsOf([file]);
	});
	const message = data.type === commandTypes.message && target ? resolved.messages?.[target] : undefined;
	const user = data.type === commandTypes.user && target !== "" ? target : undefined;
	return {
		type: "command",
		...happened,
		command,
		attachments,
		options: { ...valuesOf(options), ...defined({ user }) },
		...defined({ target: message && { message: message.id, text: message.content } }),
	};
}

function completionOf(data: Data, { person, room }: Happened): Interaction | undefined {
	const { command, options } = unfolded(data);
	const focused = options.find((option) => option.focused);
	if (focused === undefined) return undefined;
	const others = valuesOf(options.filter((option) => option !== focused));
	const typed = String(focused.value ?? "");
	return { type: "complete", input: { command, option: focused.name, typed, options: others, person, room } };
}

/** Returns the command with its subcommand, for example `task new`, and the options of the subcommand. */
function unfolded({ name, options }: Data): { command: string; options: readonly WireOption[] } {
	const words = [name];
	let inner: readonly WireOption[] = options;
	for (let depth = 0; depth < 2; depth++) {
		const [first] = inner;
		if (first?.type !== optionTypes.subcommand && first?.type !== optionTypes.group) break;
		words.push(first.name);
		inner = first.options ?? [];
	}
	return { command: words.join(" "), options: inner };
}

function valuesOf(options: readonly WireOption[]): Options {
	return Object.fromEntries(
		options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
	);
}

/** Types of interactions: interactions/receiving-and-responding#interaction-object-interaction-type */
const interactionTypes = { command: 2, component: 3, complete: 4, form: 5 } as const;

/** Fields of an interaction that an answer to the interaction requires. */
export const Head = z.object({
	id,
	token: z.string().min(1),
	type: z.literal(Object.values(interactionTypes)),
});
export type Head = z.output<typeof Head>;

const InteractionOrigin = z
	.object({
		guild_id: id.nullish(),
		channel_id: id.nullish(),
		channel: z.object({ id }).loose().nullish(),
		member: Member.extend({ user: User }).nullish(),
		user: User.nullish(),
	})
	.refine(({ member, user }) => member ?? user, "the interaction has no user")
	.refine(({ channel, channel_id }) => channel ?? channel_id, "the interaction has no channel");
type InteractionOrigin = z.output<typeof InteractionOrigin>;

const value = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Option of a command:
 * interactions/receiving-and-responding#interaction-object-application-command-interaction-data-option-structure
 */
interface WireOption {
	readonly name: string;
	readonly type: number;
	readonly value?: z.output<typeof value> | undefined;
	readonly focused?: boolean | undefined;
	readonly options?: readonly WireOption[] | undefined;
}
const Option: z.ZodType<WireOption> = z.lazy(() =>
	z.object({
		name: z.string(),
		type: z.int(),
		value: value.optional(),
		focused: z.boolean().optional(),
		options: z.array(Option).optional(),
	}),
);

const CommandData = z.object({
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

const ComponentData = z.object({
	data: z.object({ custom_id: z.string(), values: z.array(z.string()).default([]) }),
	message: z.object({ id }),
});

const field = z.object({ custom_id: z.string(), value: z.string() });
/** Data of a submitted form. Each field is in a row or in a label. */
const FormData = z.object({
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

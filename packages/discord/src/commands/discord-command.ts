import * as z from "zod";

/** Option of a command: https://docs.discord.com/developers/interactions/application-commands */
interface Option {
	readonly type: number;
	readonly name: string;
	readonly description: string;
	readonly required: boolean;
	readonly autocomplete: boolean;
	readonly choices: readonly { readonly name: string; readonly value: string | number }[];
	readonly min_value?: number | undefined;
	readonly max_value?: number | undefined;
	readonly min_length?: number | undefined;
	readonly max_length?: number | undefined;
	readonly options: readonly Option[];
}

const bound = z.number().optional();

// Absent fields with a default, and null `choices`, get their default values.
const Option: z.ZodType<Option> = z.object({
	type: z.int(),
	name: z.string(),
	description: z.string(),
	required: z.boolean().default(false),
	autocomplete: z.boolean().default(false),
	choices: z
		.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) }))
		.nullish()
		.transform((choices) => choices ?? []),
	min_value: bound,
	max_value: bound,
	min_length: bound,
	max_length: bound,
	options: z.array(z.lazy(() => Option)).default([]),
});

/**
 * A command in Discord's format, with the fields that Parley writes. Absent fields get default values, so that
 * commands can be compared.
 */
export const DiscordCommand = z.object({
	type: z.int().default(1),
	name: z.string(),
	description: z.string().default(""),
	options: z.array(Option).default([]),
	default_member_permissions: z
		.string()
		.nullish()
		.transform((bits) => bits ?? null),
	contexts: z
		.array(z.int())
		.nullish()
		.transform((contexts) => contexts?.toSorted() ?? null),
	integration_types: z
		.array(z.int())
		.default([0])
		.transform((types) => types.toSorted()),
});
export type DiscordCommand = z.output<typeof DiscordCommand>;

export type InstalledCommand = DiscordCommand & { readonly id: string };

const Known = DiscordCommand.extend({ id: z.string() });
const Unknown = z
	.object({ id: z.string(), name: z.string(), type: z.int().default(1) })
	.transform(({ id, ...named }): InstalledCommand => ({ ...DiscordCommand.parse(named), id }));

/**
 * Parses the commands that Discord lists. If another program's command has fields that this version cannot parse,
 * the result for this command contains only the id, name and type.
 */
export const InstalledCommands: z.ZodType<InstalledCommand[]> = z.array(z.union([Known, Unknown]));

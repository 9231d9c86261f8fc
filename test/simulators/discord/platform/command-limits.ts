import {
	type APIApplicationCommandOption,
	ApplicationCommandOptionType,
	ApplicationCommandType,
} from "discord-api-types/v10";
import { long } from "./message-limits.ts";

/** Limits of application commands: https://discord.com/developers/docs/interactions/application-commands */
export const commandLimits = {
	name: 32,
	description: 100,
	options: 25,
	choices: 25,
	choiceText: 100,
	characters: 8000,
	chatInput: 100,
	user: 15,
	message: 15,
	createsPerDay: 200,
} as const;

export interface CommandBody {
	readonly name: string;
	readonly type?: ApplicationCommandType | null;
	readonly description?: string | null;
	readonly options?: readonly APIApplicationCommandOption[] | null;
	readonly default_member_permissions?: string | number | null;
	readonly contexts?: readonly number[] | null;
	readonly integration_types?: readonly number[] | null;
	readonly nsfw?: boolean | null;
	readonly dm_permission?: boolean | null;
}

/**
 * Pattern of command names:
 * https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming
 */
const namePattern = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** An option with the optional fields of all option kinds. */
type AnyOption = APIApplicationCommandOption & {
	readonly options?: readonly AnyOption[];
	readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
	readonly autocomplete?: boolean;
};

export function faultsOfCommand(command: CommandBody): string[] {
	const { name, description } = command;
	if (command.type && command.type !== ApplicationCommandType.ChatInput) {
		const faults =
			long(name) < 1 || long(name) > commandLimits.name ? [`name: ${name} has not 1 to 32 characters`] : [];
		return description ? [...faults, "description: only of chat input commands"] : faults;
	}
	// The cast is safe because `AnyOption` only adds optional fields.
	const options = (command.options ?? []) as readonly AnyOption[];
	const faults = [...faultsOfName(name, description ?? ""), ...faultsOfOptions(options, name)];
	if (charactersOf(name, description ?? "", options) > commandLimits.characters) {
		faults.push(`${name}: more than 8000 characters in all`);
	}
	return faults;
}

function faultsOfName(name: string, description: string): string[] {
	const faults: string[] = [];
	if (!namePattern.test(name) || name !== name.toLowerCase())
		faults.push(`name: ${name} is no name of a command`);
	if (long(description) < 1 || long(description) > commandLimits.description) {
		faults.push(`description of ${name}: between 1 and 100 characters`);
	}
	return faults;
}

function faultsOfOptions(options: readonly AnyOption[], of: string): string[] {
	const faults = options.flatMap((option) => [
		...faultsOfName(option.name, option.description),
		...faultsOfChoices(option),
		...faultsOfOptions(option.options ?? [], option.name),
	]);
	if (options.length > commandLimits.options) faults.push(`options of ${of}: more than 25`);
	if (new Set(options.map(({ name }) => name)).size < options.length)
		faults.push(`options of ${of}: two of a name`);
	const firstOptional = options.findIndex(({ required }) => !required);
	const required = options.findLastIndex((option) => option.required === true);
	if (firstOptional >= 0 && firstOptional < required)
		faults.push(`options of ${of}: required ones come first`);
	const groups = options.filter(({ type }) => type <= ApplicationCommandOptionType.SubcommandGroup).length;
	if (groups > 0 && groups < options.length)
		faults.push(`options of ${of}: subcommands and values are mixed`);
	return faults;
}

function faultsOfChoices({ name, choices, autocomplete }: AnyOption): string[] {
	const faults: string[] = [];
	if (!choices) return faults;
	if (choices.length > commandLimits.choices) faults.push(`choices of ${name}: more than 25`);
	if (autocomplete && choices.length > 0) faults.push(`choices of ${name}: none where it completes`);
	const texts = choices.flatMap((choice) => [choice.name, String(choice.value)]);
	if (texts.some((text) => long(text) > commandLimits.choiceText))
		faults.push(`choices of ${name}: more than 100 characters`);
	return faults;
}

/**
 * Returns the number of characters that Discord limits: the "Combined name, description, and value properties for
 * each command, its options …, and choices".
 */
function charactersOf(name: string, description: string, options: readonly AnyOption[]): number {
	const own = long(name) + long(description);
	const inner = options.map((option) => {
		const values = (option.choices ?? []).reduce((sum, { value }) => sum + long(String(value)), 0);
		return values + charactersOf(option.name, option.description, option.options ?? []);
	});
	return inner.reduce((sum, count) => sum + count, own);
}

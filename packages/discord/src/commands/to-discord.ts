import { defined, ParleyError } from "@parley/base";
import type { Arrival, CommandOption, CommandShape } from "@parley/connector";
import {
	ApplicationCommandOptionType,
	ApplicationCommandType,
	ApplicationIntegrationType,
	InteractionContextType,
	PermissionFlagsBits,
} from "discord-api-types/v10";
import { DiscordCommand } from "./discord-command.ts";

/** What Discord takes: interactions/application-commands#application-command-object */
const most = { description: 100, options: 25, choices: 25, commands: 100 } as const;

const optionTypes = {
	string: ApplicationCommandOptionType.String,
	integer: ApplicationCommandOptionType.Integer,
	boolean: ApplicationCommandOptionType.Boolean,
} as const;

/** In a server, and in messages to the bot alone; installed by who manages a server, not by a person for themselves. */
const places = {
	contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
	integration_types: [ApplicationIntegrationType.GuildInstall],
};

/** Discord lets people attach a file to a command only where an option asks for one. */
const file = {
	type: ApplicationCommandOptionType.Attachment,
	name: "file",
	description: "A file that belongs to it",
};
const takesFile: ReadonlySet<string> = new Set(["ask"]);

/** What people see in the menu of a message. */
const askAboutThis = "Ask about this";

/**
 * The kit's commands as Discord has them: those of two words are sub-commands of the first one. Throws
 * `invalid_argument` where Discord would refuse one.
 */
export function discordCommands(shapes: readonly CommandShape[]): DiscordCommand[] {
	const byFirstWord = Map.groupBy(shapes, ({ name }) => name.split(" ")[0] ?? name);
	const commands = [...byFirstWord].map(([name, own]) => commandOf(name, own));
	if (commands.length > most.commands) throw refused("all", `there are more than ${most.commands}`);
	const ask = { type: ApplicationCommandType.Message, name: askAboutThis, ...places };
	return [...commands, ask].map((command) => DiscordCommand.parse(command));
}

function commandOf(name: string, shapes: readonly CommandShape[]): unknown {
	const [first] = shapes;
	const isGroup = first === undefined || shapes.length > 1 || first.name !== name;
	if (isGroup && shapes.some((shape) => shape.name.split(" ").length !== 2)) {
		throw refused(name, "a command with sub-commands cannot be one itself");
	}
	const description = isGroup ? groupDescription(shapes) : first.description;
	const isForManagers = shapes.every(({ least }) => least === "manage");
	return defined({
		type: ApplicationCommandType.ChatInput,
		name,
		...places,
		description: checked(name, description),
		options: isGroup ? shapes.map(subCommandOf) : optionsOf(first),
		default_member_permissions: isForManagers ? String(PermissionFlagsBits.ManageGuild) : undefined,
	});
}

/** Nobody sees it: Discord shows the sub-commands with their own. */
function groupDescription(shapes: readonly CommandShape[]): string {
	const words = shapes.map(({ name }) => name.split(" ")[1]).join(", ");
	return words.length <= most.description ? words : `${words.slice(0, most.description - 1)}…`;
}

function subCommandOf(shape: CommandShape): unknown {
	return {
		type: ApplicationCommandOptionType.Subcommand,
		name: shape.name.split(" ")[1],
		description: checked(shape.name, shape.description),
		options: optionsOf(shape),
	};
}

function optionsOf({ name, options }: CommandShape): unknown[] {
	if (options.length > most.options) throw refused(name, `it has more than ${most.options} options`);
	const isSorted = options.every(
		({ required }, index) => !required || options[index - 1]?.required !== false,
	);
	if (!isSorted) throw refused(name, "an option that is required stands behind one that is not");
	const own = options.map((option) => optionOf(name, option));
	return takesFile.has(name) ? [...own, file] : own;
}

function optionOf(command: string, option: CommandOption): unknown {
	const { name, description, type, required, choices = [], completes = false } = option;
	if (choices.length > most.choices)
		throw refused(command, `"${name}" has more than ${most.choices} choices`);
	if (completes && choices.length > 0) throw refused(command, `"${name}" has choices and completes, too`);
	return {
		type: optionTypes[type],
		name,
		required,
		autocomplete: completes,
		description: checked(`${command} ${name}`, description),
		choices: choices.map(({ value, label }) => ({ name: label, value })),
		...boundsOf(option),
	};
}

function boundsOf({ type, min, max }: CommandOption): object {
	if (type === "integer") return { min_value: min, max_value: max };
	return type === "string" ? { min_length: min, max_length: max } : {};
}

function checked(name: string, description: string): string {
	if (description.length > 0 && description.length <= most.description) return description;
	throw refused(name, `its description has ${description.length} characters, of 1 to ${most.description}`);
}

function refused(name: string, why: string): ParleyError {
	return new ParleyError(`Discord would refuse the command "${name}": ${why}`, { code: "invalid_argument" });
}

/** What a person asks with the command in a message's menu, where they cannot write anything. */
const question = "Explain this message, and answer it where it asks something.";

/** The command in a message's menu is the kit's `ask` about that message; all else is what it is. */
export function asKitCommand(arrival: Arrival): Arrival {
	if (arrival.type !== "command" || arrival.command !== askAboutThis) return arrival;
	return { ...arrival, command: "ask", options: { text: question } };
}

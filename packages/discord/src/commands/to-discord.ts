import { defined, ParleyError } from "@parley/base";
import type { CommandOption, CommandShape, InboundEvent } from "@parley/connector";
import {
	ApplicationCommandOptionType,
	ApplicationCommandType,
	ApplicationIntegrationType,
	InteractionContextType,
	PermissionFlagsBits,
} from "discord-api-types/v10";
import { commandTexts } from "../texts/command.ts";
import { DiscordCommand } from "./discord-command.ts";

/** Limits of Discord: interactions/application-commands#application-command-object */
const maximum = { description: 100, options: 25, choices: 25, commands: 100 } as const;

const optionTypes = {
	string: ApplicationCommandOptionType.String,
	integer: ApplicationCommandOptionType.Integer,
	boolean: ApplicationCommandOptionType.Boolean,
} as const;

const places = {
	contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
	integration_types: [ApplicationIntegrationType.GuildInstall],
};

/** Option for a file, because Discord allows an attachment for a command only as an option. */
const file = {
	type: ApplicationCommandOptionType.Attachment,
	name: "file",
	description: commandTexts.fileOption,
};
const fileCommands: ReadonlySet<string> = new Set(["ask"]);

/**
 * Converts the kit's commands to Discord's format, and adds the command for the menu of a message. A command with
 * two words becomes a sub-command of a command that is named by the first word. Throws `invalid_argument` if
 * Discord would refuse a command.
 */
export function discordCommands(shapes: readonly CommandShape[]): DiscordCommand[] {
	const byFirstWord = Map.groupBy(shapes, ({ name }) => name.split(" ")[0] ?? name);
	const commands = [...byFirstWord].map(([name, own]) => commandOf(name, own));
	if (commands.length > maximum.commands) {
		const message = `cannot register ${commands.length} commands: Discord accepts at most ${maximum.commands}`;
		throw new ParleyError(message, { code: "invalid_argument" });
	}
	const ask = { type: ApplicationCommandType.Message, name: commandTexts.askAboutThis, ...places };
	return [...commands, ask].map((command) => DiscordCommand.parse(command));
}

function commandOf(name: string, shapes: readonly CommandShape[]): unknown {
	const [first] = shapes;
	const isGroup = first === undefined || shapes.length > 1 || first.name !== name;
	if (isGroup && shapes.some((shape) => shape.name.split(" ").length !== 2)) {
		throw refused(name, "a command with sub-commands cannot be used alone");
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

function groupDescription(shapes: readonly CommandShape[]): string {
	// Discord requires a description for a command with sub-commands, but shows only the descriptions of the
	// sub-commands.
	const words = shapes.map(({ name }) => name.split(" ")[1]).join(", ");
	return words.length <= maximum.description ? words : `${words.slice(0, maximum.description - 1)}…`;
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
	if (options.length > maximum.options)
		throw refused(name, `it has ${options.length} options (maximum ${maximum.options})`);
	const misplaced = options.find(({ required }, index) => required && options[index - 1]?.required === false);
	if (misplaced)
		throw refused(
			name,
			`the required option "${misplaced.name}" follows an optional option; move it before the optional options`,
		);
	const own = options.map((option) => optionOf(name, option));
	return fileCommands.has(name) ? [...own, file] : own;
}

function optionOf(command: string, option: CommandOption): unknown {
	const { name, description, type, required, choices = [], completes = false } = option;
	if (choices.length > maximum.choices)
		throw refused(command, `the option "${name}" has ${choices.length} choices (maximum ${maximum.choices})`);
	if (completes && choices.length > 0)
		throw refused(command, `the option "${name}" cannot have both choices and completion`);
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
	if (description.length > 0 && description.length <= maximum.description) return description;
	throw refused(
		name,
		`the description has ${description.length} characters (allowed: 1 to ${maximum.description})`,
	);
}

function refused(name: string, why: string): ParleyError {
	return new ParleyError(`cannot register the command "${name}", because Discord would refuse it: ${why}`, {
		code: "invalid_argument",
	});
}

/**
 * Converts the command from a message's menu to the kit's command `ask`, with a question about the message. Returns
 * any other inbound event unchanged.
 */
export function asKitCommand(inbound: InboundEvent): InboundEvent {
	if (inbound.type !== "command" || inbound.command !== commandTexts.askAboutThis) return inbound;
	return { ...inbound, command: "ask", options: { text: commandTexts.explainMessage } };
}

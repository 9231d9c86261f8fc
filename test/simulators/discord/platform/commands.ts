import { type APIApplicationCommand, ApplicationCommandType } from "discord-api-types/v10";
import { type CommandBody, commandLimits, faultsOfCommand } from "./command-limits.ts";
import { violated } from "./message-limits.ts";
import type { CommandRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

const day = 24 * 3_600_000;

export interface CommandScope {
	readonly guildId?: string;
}

export function listCommands(state: State, { guildId }: CommandScope): CommandRecord[] {
	return [...state.commands.values()].filter((command) => command.guild_id === guildId);
}

export function findCommand(state: State, scope: CommandScope, id: string): CommandRecord {
	const command = state.commands.get(id);
	if (!command || command.guild_id !== scope.guildId) throw refusals.unknownCommand();
	return command;
}

/**
 * Creates a command, or replaces the command with the same name and kind:
 * https://discord.com/developers/docs/interactions/application-commands#create-global-application-command
 */
export function createCommand(
	state: State,
	scope: CommandScope,
	body: CommandBody,
): { readonly command: CommandRecord; readonly created: boolean } {
	const before = listCommands(state, scope).find((command) => same(command, body));
	if (!before) countCreate(state, scope);
	const command = shapeOf(state, scope, body, before);
	checkCount(state, [...listCommands(state, scope).filter((other) => other !== before), command]);
	state.commands.set(command.id, command);
	return { command, created: !before };
}

function same(command: CommandRecord, { name, type }: CommandBody): boolean {
	return command.name === name && command.type === (type ?? ApplicationCommandType.ChatInput);
}

/**
 * Counts a created command. Throws above the daily limit of 200 for each guild, and 200 for all global commands:
 * https://discord.com/developers/docs/interactions/application-commands#registering-a-command
 */
function countCreate(state: State, { guildId = "global" }: CommandScope): void {
	const now = state.now();
	const recent = (state.commandCreates.get(guildId) ?? []).filter((at) => now - at < day);
	if (recent.length >= commandLimits.createsPerDay) throw refusals.commandsCreated();
	state.commandCreates.set(guildId, [...recent, now]);
}

function checkCount(state: State, commands: readonly CommandRecord[]): void {
	const count = (type: ApplicationCommandType): number =>
		commands.filter((command) => command.type === type).length;
	const { chatInput, user, message } = commandLimits;
	const many =
		count(ApplicationCommandType.ChatInput) > chatInput ||
		count(ApplicationCommandType.User) > user ||
		count(ApplicationCommandType.Message) > message;
	if (!many) return;
	state.violations.push("commands: more than 100 typed ones, or more than 15 of a menu");
	throw refusals.tooManyCommands();
}

function shapeOf(
	state: State,
	{ guildId }: CommandScope,
	body: CommandBody,
	before: CommandRecord | undefined,
): CommandRecord {
	const faults = faultsOfCommand(body);
	if (faults.length > 0) throw violated(state, ...faults);
	const permissions = body.default_member_permissions;
	const command = {
		id: before?.id ?? state.snowflakes.create(),
		application_id: state.app.id,
		version: state.snowflakes.create(),
		type: body.type ?? ApplicationCommandType.ChatInput,
		name: body.name,
		name_localizations: null,
		description: body.description ?? "",
		description_localizations: null,
		default_member_permissions:
			permissions === undefined || permissions === null ? null : String(permissions),
		nsfw: body.nsfw ?? false,
		integration_types: body.integration_types ?? [0],
		...(body.options && { options: body.options }),
		...(guildId === undefined
			? { contexts: body.contexts ?? null, dm_permission: body.dm_permission ?? true }
			: { guild_id: guildId }),
	};
	// The contract, if loaded, has checked the command. Otherwise, the cast trusts the app.
	return command as APIApplicationCommand;
}

export function editCommand(
	state: State,
	scope: CommandScope,
	id: string,
	change: Partial<CommandBody>,
): CommandRecord {
	const before = findCommand(state, scope, id);
	// The cast is safe because a command has all fields of a request.
	const body = { ...(before as CommandBody), ...change };
	const command = shapeOf(state, scope, body, before);
	state.commands.set(id, command);
	return command;
}

export function deleteCommand(state: State, scope: CommandScope, id: string): void {
	state.commands.delete(findCommand(state, scope, id).id);
}

/** Replaces all commands of the scope. Only new commands count towards the daily limit. */
export function overwriteCommands(
	state: State,
	scope: CommandScope,
	bodies: readonly CommandBody[],
): CommandRecord[] {
	const before = listCommands(state, scope);
	const after = bodies.map((body) => {
		const old = before.find((command) => same(command, body));
		if (!old) countCreate(state, scope);
		return shapeOf(state, scope, body, old);
	});
	checkCount(state, after);
	for (const { id } of before) state.commands.delete(id);
	for (const command of after) state.commands.set(command.id, command);
	return after;
}

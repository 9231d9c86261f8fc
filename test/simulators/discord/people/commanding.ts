import {
	type APIApplicationCommandOption,
	ApplicationCommandOptionType,
	ApplicationCommandType,
	InteractionType,
} from "discord-api-types/v10";
import { storeUploads } from "../platform/attachments.ts";
import { beginInteraction } from "../platform/interactions.ts";
import { demand, permissionsIn } from "../platform/permissions.ts";
import type {
	ChannelRecord,
	CommandRecord,
	InteractionRecord,
	MessageRecord,
	UserRecord,
} from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { attachmentShape, messageShape } from "../shapes/messages.ts";

export type OptionValue = string | number | boolean | { readonly name: string; readonly content: string };
export type CommandOptions = Readonly<Record<string, OptionValue>>;
export type Typing = Readonly<Record<string, string | number | boolean>>;

/** An option with the optional fields of all option kinds. */
type AnyOption = APIApplicationCommandOption & {
	readonly options?: readonly AnyOption[];
	readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
	readonly autocomplete?: boolean;
	readonly min_value?: number;
	readonly max_value?: number;
	readonly min_length?: number;
	readonly max_length?: number;
};

interface Given<Values> {
	/** `/task new`, or the name of a message command in the menu. */
	readonly name: string;
	readonly values: Values;
	readonly channel: ChannelRecord;
	readonly target?: MessageRecord;
}

const types: Readonly<Record<number, (value: unknown) => boolean>> = {
	[ApplicationCommandOptionType.String]: (value) => typeof value === "string",
	[ApplicationCommandOptionType.Integer]: Number.isInteger,
	[ApplicationCommandOptionType.Number]: (value) => typeof value === "number",
	[ApplicationCommandOptionType.Boolean]: (value) => typeof value === "boolean",
	[ApplicationCommandOptionType.Attachment]: (value) => typeof value === "object",
};

/**
 * Returns the command with this name. Throws if the user's client does not offer the command in this channel.
 * Permissions: https://discord.com/developers/docs/interactions/application-commands#permissions
 */
function offered(state: State, user: UserRecord, { channel, target, name }: Given<unknown>): CommandRecord {
	const [first = ""] = target ? [name] : name.replace(/^\//, "").split(" ");
	const type = target ? ApplicationCommandType.Message : ApplicationCommandType.ChatInput;
	const found = [...state.commands.values()].find(
		(command) =>
			command.name === first &&
			command.type === type &&
			[undefined, channel.guild?.id].includes(command.guild_id),
	);
	if (!found) throw new Error(`there is no command ${name}`);
	const requested = BigInt(found.default_member_permissions ?? 0);
	const permissions = permissionsIn(state, user, channel);
	if (channel.guild && (permissions & requested) !== requested)
		throw new Error(`${user.name} is not offered ${name}`);
	if (found.contexts && !found.contexts.includes(channel.guild ? 0 : 1))
		throw new Error(`${name} is not offered here`);
	if (channel.guild) demand(state, user, channel, "UseApplicationCommands");
	return found;
}

function descend(command: CommandRecord, name: string) {
	const words = name.replace(/^\//, "").split(" ").slice(1);
	// The cast is safe because `AnyOption` only adds optional fields.
	let options = (command.options ?? []) as readonly AnyOption[];
	const path: AnyOption[] = [];
	for (const word of words) {
		const found = options.find((option) => option.name === word && option.type <= 2);
		if (!found) throw new Error(`there is no command ${name}`);
		path.push(found);
		options = found.options ?? [];
	}
	if (options.some(({ type }) => type <= 2)) throw new Error(`${name} needs a subcommand`);
	const wrap = (inner: readonly object[]): readonly object[] =>
		path.reduceRight<readonly object[]>(
			(permissions, { name: word, type }) => [{ name: word, type, options: permissions }],
			inner,
		);
	return { options, wrap };
}

export function runCommand(state: State, user: UserRecord, given: Given<CommandOptions>): InteractionRecord {
	const { channel, target, values, name } = given;
	const command = offered(state, user, given);
	const head = { id: command.id, name: command.name, type: command.type };
	const type = InteractionType.ApplicationCommand;
	if (target) {
		const resolved = { messages: { [target.id]: messageShape(state, target) } };
		const data = { ...head, target_id: target.id, resolved };
		return beginInteraction(state, { type, user, channel, data });
	}
	const { options, wrap } = descend(command, name);
	for (const option of options) checkValue(option, values[option.name]);
	const strange = Object.keys(values).filter((key) => !options.some((option) => option.name === key));
	if (strange.length > 0) throw new Error(`${name} takes no ${strange.join(", ")}`);
	const stored = Object.entries(values).map(([key, value]) => storeFile(state, channel, key, value));
	const files = Object.fromEntries(
		stored.flatMap(({ file }) => (file ? [[file.id, attachmentShape(state, file)]] : [])),
	);
	const inner = stored.map(({ key, value }) => ({
		name: key,
		type: options.find((one) => one.name === key)?.type,
		value,
	}));
	const data = {
		...head,
		options: wrap(inner),
		...(Object.keys(files).length > 0 && { resolved: { attachments: files } }),
	};
	return beginInteraction(state, { type, user, channel, data });
}

function storeFile(state: State, channel: ChannelRecord, key: string, value: OptionValue) {
	if (typeof value !== "object") return { key, value };
	const upload = { index: 0, name: value.name, bytes: new TextEncoder().encode(value.content) };
	const [file] = storeUploads(state, channel, [upload], { notes: [], ephemeral: true });
	return { key, value: file?.id ?? "", file };
}

function checkValue(option: AnyOption, value: OptionValue | undefined): void {
	const { name, choices, autocomplete } = option;
	if (value === undefined) {
		if (option.required) throw new Error(`${name} is required`);
		return;
	}
	if (types[option.type]?.(value) === false) throw new Error(`${name} does not take ${String(value)}`);
	if (choices?.length && !autocomplete && !choices.some((choice) => choice.value === value)) {
		throw new Error(`${name} has no choice ${String(value)}`);
	}
	const size = typeof value === "string" ? [...value].length : value;
	const least = option.min_value ?? option.min_length;
	const maximum = option.max_value ?? option.max_length;
	const fits =
		(least === undefined || Number(size) >= least) && (maximum === undefined || Number(size) <= maximum);
	if (typeof size === "number" && !fits) throw new Error(`${name} does not take ${String(value)}`);
}

/**
 * Requests suggestions for the last value, which is incomplete. Throws if the command does not have the options, or
 * if the option of the last value has no autocomplete.
 */
export function typeCommand(state: State, user: UserRecord, given: Given<Typing>): InteractionRecord {
	const { channel, values, name } = given;
	const command = offered(state, user, given);
	const { options, wrap } = descend(command, name);
	const last = Object.keys(values).at(-1);
	const inner = Object.entries(values).map(([key, value]) => {
		const option = options.find((one) => one.name === key);
		if (!option) throw new Error(`${name} takes no ${key}`);
		if (key === last && !option.autocomplete) throw new Error(`${key} completes nothing`);
		return { name: key, type: option.type, value, ...(key === last && { focused: true }) };
	});
	const data = { id: command.id, name: command.name, type: command.type, options: wrap(inner) };
	return beginInteraction(state, {
		type: InteractionType.ApplicationCommandAutocomplete,
		user,
		channel,
		data,
	});
}

import { beginInteraction } from "../platform/interactions.ts";
import type { InteractionRecord, MessageRecord, UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { messageShape } from "../shapes/messages.ts";
import type { Channel } from "./channel.ts";

export type CommandOptions = Readonly<Record<string, string | number | boolean>>;

interface Given {
	/** `/parley task new`, or the short form `/task new`. */
	readonly name: string;
	readonly values: CommandOptions;
	readonly channel: Channel;
}

/** Sends a typed command: https://docs.slack.dev/interactivity/implementing-slash-commands */
export function runCommand(
	state: State,
	user: UserRecord,
	{ name, values, channel }: Given,
): InteractionRecord {
	if (channel.threadTs !== undefined) throw new Error("Slack has no commands in threads");
	const [first = "", ...rest] = name.split(" ");
	const commands = state.app.commands;
	const known = commands.find(({ command }) => command === first);
	const command = known ?? commands[0];
	if (!command) throw new Error(`there is no command ${first}`);
	const words = [...(known ? [] : [first.replace(/^\//, "")]), ...rest, written(values)].filter(Boolean);
	const typed = words.join(" ");
	const text = command.should_escape ? escaped(state, typed) : typed;
	return beginInteraction(state, {
		...{ kind: "command", user, channel: channel.record },
		data: { command: command.command, text },
	});
}

function written(values: CommandOptions): string {
	const parts = Object.entries(values).map(([name, value]) => {
		if (typeof value === "boolean") return { last: false, text: `${name}:${value ? "yes" : "no"}` };
		const text = String(value);
		const isLast = name === "text" || text.includes('"');
		return { last: isLast, text: isLast ? text : `${name}:"${text}"` };
	});
	return [...parts.filter(({ last }) => !last), ...parts.filter(({ last }) => last)]
		.map(({ text }) => text)
		.join(" ");
}

/**
 * Escapes entities and adds names to picked mentions, like the option "Escape channels, users and links sent to your
 * app".
 */
function escaped(state: State, typed: string): string {
	return typed
		.replaceAll("&", "&amp;")
		.replace(/<(?!@\w+>|#\w+>)/g, "&lt;")
		.replace(/(?<!<[@#]\w+)>/g, "&gt;")
		.replace(/<@(\w+)>/g, (_, id: string) => `<@${id}|${state.users.get(id)?.handle ?? ""}>`)
		.replace(/<#(\w+)>/g, (_, id: string) => `<#${id}|${state.channels.get(id)?.name ?? ""}>`);
}

/** Uses a shortcut from the menu of a message: https://docs.slack.dev/interactivity/implementing-shortcuts */
export function runShortcut(
	state: State,
	user: UserRecord,
	{ name, message }: { readonly name: string; readonly message: MessageRecord },
): InteractionRecord {
	const shortcut = state.app.shortcuts.find((one) => one.name === name && one.type === "message");
	if (!shortcut) throw new Error(`there is no shortcut ${name}`);
	const { ts, channel, threadTs } = message;
	return beginInteraction(state, {
		...{ kind: "shortcut", user, channel, message, ...(threadTs !== undefined && { threadTs }) },
		data: {
			...{ callback_id: shortcut.callback_id, action_ts: state.stamps.create(), message_ts: ts },
			message: messageShape(state, message),
		},
	});
}

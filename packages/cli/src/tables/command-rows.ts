import type { CommandPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { commandEnd, commandRunning } from "../texts/command-end.ts";

/** Returns one row for each background command of a session. */
export function commandRows(
	commands: readonly CommandPayload[],
	now: number,
	{ columns }: { readonly columns: number },
): string[] {
	return commands.map((command) => shorten(`${commandRow(command)} (${age(command, now)})`, columns));
}

/** Returns the row of a command with its number and state. */
export function commandRow(command: CommandPayload): string {
	const { number, reason } = command;
	const state = reason === undefined ? commandRunning : commandEnd({ ...command, reason });
	return `${number} ${state}: ${visibleLine(command.command)}`;
}

function age({ started_at, ended_at = started_at }: CommandPayload, now: number): string {
	return timeAgo(Date.parse(ended_at), now);
}

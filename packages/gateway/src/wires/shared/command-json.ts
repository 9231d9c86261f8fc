import { defined } from "@parley/base";
import type { BackgroundCommand, CommandEvent, SessionEvent } from "@parley/core";
import type { CommandPayload, EventName } from "@parley/protocol";
import { beginning } from "./beginning.ts";
import { toTime } from "./time.ts";
import type { EncodedEvent } from "./wire-event.ts";

export const commandEventNames = {
	"command.started": "command.started",
	"command.ended": "command.ended",
} as const satisfies Record<CommandEvent["type"], EventName>;

export function isCommandEvent(event: SessionEvent["event"]): event is CommandEvent {
	return Object.hasOwn(commandEventNames, event.type);
}

export function encodeCommandEvent(event: CommandEvent): EncodedEvent {
	const command = { number: event.n, command: event.command, run_id: event.runId, call_id: event.callId };
	if (event.type === "command.started") return { event: event.type, payload: command };
	const { reason, code } = event.ending;
	return {
		event: event.type,
		payload: { ...command, reason, ...defined({ exit_code: code ?? undefined, by: event.by }) },
	};
}

/** Maximum number of characters of a command line in a list. */
const maxListed = 500;

export function encodeCommand({ n, command, startedAt, endedAt, ending }: BackgroundCommand): CommandPayload {
	return {
		number: n,
		command: beginning(command, maxListed),
		state: ending === undefined ? "running" : "ended",
		started_at: toTime(startedAt),
		...defined({
			ended_at: endedAt === undefined ? undefined : toTime(endedAt),
			reason: ending?.reason,
			exit_code: ending?.code ?? undefined,
		}),
	};
}

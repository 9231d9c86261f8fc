import type { EventPayloads } from "@parley/protocol";
import { visibleLine } from "../text/visible.ts";
import { commandEnd } from "../texts/command-end.ts";
import { eventTexts } from "../texts/events.ts";

type Ended = EventPayloads["command.ended"];

/** Returns the text of a background command in lists of events. */
export function commandListWords(event: EventPayloads["command.started"] | Ended): string {
	const end = "reason" in event ? ` ${commandEnd(event)}` : "";
	return `${event.number}${end}: ${event.command}`;
}

/** Returns the line of a conversation that reports the end of a background command. */
export function commandEndWords(event: Ended): string {
	const command = visibleLine(event.command);
	return eventTexts.backgroundCommand({ number: event.number, end: commandEnd(event), command });
}

export function isFailedCommand({ reason, exit_code: code }: Ended): boolean {
	return reason === "failed" || reason === "timed_out" || (reason === "exited" && code !== 0);
}

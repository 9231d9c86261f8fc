import type { Arrival } from "@parley/connector";
import { askAboutThis } from "./to-discord.ts";

/** What a person asks with the command in a message's menu, where they cannot write anything. */
const question = "Explain this message, and answer it where it asks something.";

/** The command in a message's menu is the kit's `ask` about that message; all else is what it is. */
export function asKitCommand(arrival: Arrival): Arrival {
	if (arrival.type !== "command" || arrival.command !== askAboutThis) return arrival;
	return { ...arrival, command: "ask", options: { text: question } };
}

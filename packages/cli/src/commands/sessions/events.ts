import { Command } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { readLimit } from "../../command-line/read-number.ts";
import type { EventsFlags } from "../../events/print-events.ts";

const notes = `
Each event has a row: its time, session, type and details. --json prints each
event as one line, as the gateway sends it.

--follow continues without a gap after a restart of the gateway. Ctrl-C ends it
(exit code 130).

Examples:
  parley events --follow
  parley events --follow --session sess_4k2x --type tool.call
  parley events --limit 1000 --json
`;

export function eventsCommand(io: Io): Command {
	const command = new Command("events")
		.description("show the events of all sessions")
		.option("-f, --follow", "continue with new events")
		.option("--session <id>", "only this session; the id may be abbreviated")
		.option("--type <type>", "only events of this type, such as tool.call; may be repeated", collect)
		.option("--limit <n>", "number of earlier events (default: 50, or 10 with --follow)", readLimit)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(command).action(async (flags: EventsFlags) => {
		const { printEvents } = await import("../../events/print-events.ts");
		io.exitCode = await printEvents(flags, io);
	});
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}

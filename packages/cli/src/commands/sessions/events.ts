import { Command } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { readLimit } from "../../command-line/read-number.ts";
import type { EventsFlags } from "../../events/print-events.ts";
import { eventsHelp } from "../../texts/commands/sessions/events.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

export function eventsCommand(io: Io): Command {
	const command = new Command("events")
		.description(eventsHelp.description)
		.option("-f, --follow", eventsHelp.follow)
		.option("--session <id>", sharedHelp.abbreviatedSession)
		.option("--type <type>", eventsHelp.type, collect)
		.option("--limit <n>", eventsHelp.limit, readLimit)
		.option("--json", sharedHelp.json)
		.addHelpText("after", eventsHelp.notes.trimEnd());
	return addAddressFlags(command).action(async (flags: EventsFlags) => {
		const { printEvents } = await import("../../events/print-events.ts");
		io.exitCode = await printEvents(flags, io);
	});
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}

import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { schedulesHelp, schedulesMessages } from "../../texts/commands/agents/schedules.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

type Show = "thread" | "post" | "silent";

interface SchedulesFlags extends AddressFlags {
	readonly json?: boolean;
}

interface ListFlags extends SchedulesFlags {
	readonly limit: number;
	readonly session?: string;
}

interface AddFlags extends ListFlags {
	readonly key?: string;
	readonly title?: string;
	readonly tz?: string;
	readonly show?: Show;
}

export function schedulesCommand(io: Io): Command {
	const command = new Command("schedules")
		.description(schedulesHelp.description)
		.helpCommand(false)
		.option("--session <id>", schedulesHelp.session)
		.option("--limit <n>", schedulesHelp.limit, readLimit, 100)
		.option("--json", sharedHelp.json)
		.addHelpText("after", schedulesHelp.notes.trimEnd());
	addAddressFlags(command).action((flags: ListFlags) => list(flags, io));
	return command.addCommand(addCommand(io)).addCommand(removeCommand(io));
}

async function list(flags: ListFlags, io: Io): Promise<void> {
	const { session, limit } = flags;
	const requested = defined({ limit, session_id: session });
	const { schedules } = await withGateway(flags, io, (client) => client.request("list_schedules", requested));
	if (flags.json) return printJson(schedules, io);
	if (schedules.length === 0) return printRows([schedulesMessages.noSchedules], io);
	const [{ systemClock }, { scheduleRows }] = await Promise.all([
		import("@parley/base"),
		import("../../tables/skill-and-memory-tables.ts"),
	]);
	printRows(scheduleRows(schedules, systemClock.now(), outputFormat(io)), io);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description(schedulesHelp.add)
		.argument("<when>", schedulesHelp.when)
		.argument("<prompt...>", schedulesHelp.prompt)
		.option("--session <id>", schedulesHelp.targetSession)
		.option("--key <key>", schedulesHelp.key)
		.option("--title <title>", schedulesHelp.title)
		.option("--tz <zone>", schedulesHelp.timeZone)
		.addOption(new Option("--show <mode>", schedulesHelp.show).choices(["thread", "post", "silent"]));
	return command.action(async (when: string, words: string[]) => {
		const { session, key, title, tz, show, ...flags }: AddFlags = command.optsWithGlobals();
		const target = session === undefined ? { external_key: key ?? "schedules" } : { session_id: session };
		const added = await withGateway(flags, io, (client) =>
			client.request("schedule_task", {
				when,
				prompt: words.join(" "),
				...target,
				...defined({ title, time_zone: tz, show }),
			}),
		);
		if (flags.json) return printJson(added, io);
		printRows([schedulesMessages.added({ id: added.entry_id, next: added.next_due })], io);
	});
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description(schedulesHelp.remove)
		.argument("<id...>", schedulesHelp.ids);
	return command.action(async (ids: string[]) => {
		const flags: SchedulesFlags = command.optsWithGlobals();
		await withGateway(flags, io, async (client) => {
			for (const entry_id of ids) await client.request("unschedule_task", { entry_id });
		});
		if (flags.json) return printJson({ removed: ids.length }, io);
		printRows([schedulesMessages.removed({ count: ids.length })], io);
	});
}

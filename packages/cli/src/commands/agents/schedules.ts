import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";

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

const notes = `
A schedule sends a message to the agent at given times, with the rights of its owner.
The list shows the next time of each schedule, and the reason if it did not
fire.

Examples:
  parley schedules
  parley schedules add --key ops "every weekday at 9:00" "Summarise the open issues"
  parley schedules add --session sess_4k2x "0 9 * * 1-5" "Report" --tz Europe/Berlin
  parley schedules remove sched_4k2x
`;

export function schedulesCommand(io: Io): Command {
	const command = new Command("schedules")
		.description("list messages that are sent at given times; add and remove them")
		.helpCommand(false)
		.option("--session <id>", "only schedules of this session")
		.option("--limit <n>", "maximum number of schedules", readLimit, 100)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	addAddressFlags(command).action((flags: ListFlags) => list(flags, io));
	return command.addCommand(addCommand(io)).addCommand(removeCommand(io));
}

async function list(flags: ListFlags, io: Io): Promise<void> {
	const { session, limit } = flags;
	const requested = defined({ limit, session_id: session });
	const { schedules } = await withGateway(flags, io, (client) => client.request("list_schedules", requested));
	if (flags.json) return printJson(schedules, io);
	if (schedules.length === 0) return printRows(["no schedules"], io);
	const [{ systemClock }, { scheduleRows }] = await Promise.all([
		import("@parley/base"),
		import("../../tables/skill-and-memory-tables.ts"),
	]);
	printRows(scheduleRows(schedules, systemClock.now(), outputFormat(io)), io);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description("send a message at given times to a session (--session), or to the session of a key (--key)")
		.argument("<when>", 'for example "every day at 9:00", "in 30 minutes" or cron')
		.argument("<prompt...>", "the message")
		.option("--key <key>", "session with this key; created if missing (default: schedules)")
		.option("--title <title>", "title of the schedule")
		.option("--tz <zone>", "time zone, such as Europe/Berlin (default: the time zone of the gateway)")
		.addOption(
			new Option("--show <mode>", "how the channel shows the answer").choices(["thread", "post", "silent"]),
		);
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
		const next = added.next_due === undefined ? "" : `, next due ${added.next_due}`;
		printRows([`added ${added.entry_id}${next}`], io);
	});
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description("remove schedules by their ids")
		.argument("<id...>", "ids that `parley schedules` shows");
	return command.action(async (ids: string[]) => {
		const flags: SchedulesFlags = command.optsWithGlobals();
		await withGateway(flags, io, async (client) => {
			for (const entry_id of ids) await client.request("unschedule_task", { entry_id });
		});
		if (flags.json) return printJson({ removed: ids.length }, io);
		printRows([`removed ${ids.length} ${ids.length === 1 ? "schedule" : "schedules"}`], io);
	});
}

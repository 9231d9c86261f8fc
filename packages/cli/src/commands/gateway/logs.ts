import { defined } from "@parley/base/defined";
import { type Command as AnyCommand, Command, Option } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { readMoment } from "../../command-line/read-moment.ts";
import { readLimit } from "../../command-line/read-number.ts";
import type { LogsOptions } from "../../logs/print-logs.ts";
import { logsHelp } from "../../texts/commands/gateway/logs.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

export interface LogFlags {
	readonly follow?: boolean;
	readonly since?: string;
	readonly level?: "debug" | "info" | "warn" | "error";
	readonly lines: number;
	readonly json?: boolean;
}

/** Creates `parley logs`, which prints the log of the data directory's gateway, even if no gateway is running. */
export function logsCommand(io: Io): Command {
	const command = new Command("logs")
		.description(logsHelp.description)
		.option("--data <dir>", sharedHelp.gatewayData);
	return addLogFlags(command)
		.addHelpText("after", logsHelp.notes.trimEnd())
		.action(async ({ data, ...flags }: LogFlags & { readonly data?: string }) => {
			const [{ printLogs }, { thisMachine }] = await Promise.all([
				import("../../logs/print-logs.ts"),
				import("../../service/machine.ts"),
			]);
			const options = await readLogFlags(flags);
			await printLogs(await chosenDataDirectory(data, io), options, { io, machine: thisMachine(io) });
		});
}

export function addLogFlags(command: AnyCommand): AnyCommand {
	return command
		.option("-f, --follow", logsHelp.follow)
		.option("--since <time>", logsHelp.since)
		.addOption(new Option("--level <level>", logsHelp.level).choices(["debug", "info", "warn", "error"]))
		.option("-n, --lines <n>", logsHelp.lines, readLimit, 100)
		.option("--json", logsHelp.json);
}

export async function readLogFlags({
	since,
	level,
	lines,
	follow = false,
	json = false,
}: LogFlags): Promise<LogsOptions> {
	const { systemClock } = await import("@parley/base");
	const moment = since === undefined ? undefined : Date.parse(readMoment(since, systemClock.now()));
	return defined({ since: moment, level, lines, follow, json });
}

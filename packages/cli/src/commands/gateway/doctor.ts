import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { warn } from "../../doctor/finding.ts";
import { discordToken } from "../../gateway/platform.ts";
import type { Finding } from "../../tables/finding-rows.ts";

interface DoctorFlags {
	readonly data?: string;
	readonly deep?: boolean;
	readonly json?: boolean;
	readonly fix?: boolean;
}

const notes = `
Works with and without a running gateway. Changes nothing without --fix, and
uses no tokens. A finding has an id that never changes, a status (ok, warn or
fail) and, if there is a problem, its fix on this system. Exit code: 1 if a
check fails; 0 otherwise, also with warnings.

--deep also compares the stored text of all sessions with its hashes, for at
most 10 minutes. A million rows take about 15 seconds.
`;

/** `parley doctor`: checks the installation and explains how to fix problems. */
export function doctorCommand(io: Io, version: string): Command {
	return new Command("doctor")
		.description("check the installation and explain how to fix problems")
		.option("--data <dir>", "the data directory of the gateway (PARLEY_DATA)")
		.option("--deep", "also check the stored text of all sessions")
		.option("--json", "print JSON")
		.option("--fix", "restore commands that were deleted or overwritten at Discord (DISCORD_TOKEN)")
		.addHelpText("after", notes.trimEnd())
		.action(async (flags: DoctorFlags) => {
			const [{ examineMachine }, { deepChecks, runChecks }, { progressLine }] = await Promise.all([
				import("../../doctor/examine-machine.ts"),
				import("../../doctor/checks/run-checks.ts"),
				import("../../command-line/progress-line.ts"),
			]);
			const progress = progressLine(io);
			const system = await examineMachine(flags, io, version, progress.show);
			const findings = await runChecks(system, flags.deep ? deepChecks : undefined).finally(progress.end);
			if (flags.fix) findings.push(...(await fixed(flags, io)));
			if (findings.some(({ status }) => status === "fail")) io.exitCode = 1;
			if (flags.json) return printJson(findings, io);
			const { doctorRows } = await import("../../tables/finding-rows.ts");
			printRows(doctorRows(findings, outputFormat(io)), io);
		});
}

async function fixed(flags: DoctorFlags, io: Io): Promise<readonly Finding[]> {
	const token = discordToken(io);
	if (token === undefined) {
		const what = "the commands at Discord were not restored: DISCORD_TOKEN is not set";
		return [
			{
				id: "discord-commands",
				...warn(what, "set DISCORD_TOKEN to the token of the bot, and run `parley doctor --fix` again"),
			},
		];
	}
	const { fixDiscordCommands } = await import("../../connectors/examine-discord.ts");
	return fixDiscordCommands({ flags, io, token });
}

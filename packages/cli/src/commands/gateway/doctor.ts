import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { warn } from "../../doctor/finding.ts";
import { discordToken } from "../../gateway/platform.ts";
import type { Finding } from "../../tables/finding-rows.ts";
import { doctorHelp, doctorMessages } from "../../texts/commands/gateway/doctor.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface DoctorFlags {
	readonly data?: string;
	readonly deep?: boolean;
	readonly json?: boolean;
	readonly fix?: boolean;
}

/** Creates `parley doctor`, which checks the installation and explains how to fix problems. */
export function doctorCommand(io: Io, version: string): Command {
	return new Command("doctor")
		.description(doctorHelp.description)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--deep", doctorHelp.deep)
		.option("--json", sharedHelp.json)
		.option("--fix", doctorHelp.fix)
		.addHelpText("after", doctorHelp.notes.trimEnd())
		.action(async (flags: DoctorFlags) => {
			const { withStoredKeys } = await import("../../command-line/stored-keys.ts");
			const own = await withStoredKeys(io, flags.data);
			const [{ examineMachine }, { deepChecks, runChecks }, { progressLine }] = await Promise.all([
				import("../../doctor/examine-machine.ts"),
				import("../../doctor/checks/run-checks.ts"),
				import("../../command-line/progress-line.ts"),
			]);
			const progress = progressLine(io);
			const system = await examineMachine(flags, own, version, progress.show);
			const findings = await runChecks(system, flags.deep ? deepChecks : undefined).finally(progress.end);
			if (flags.fix) findings.push(...(await fixed(flags, own)));
			if (findings.some(({ status }) => status === "fail")) io.exitCode = 1;
			if (flags.json) return printJson(findings, io);
			const { doctorRows } = await import("../../tables/finding-rows.ts");
			printRows(doctorRows(findings, outputFormat(io)), io);
		});
}

async function fixed(flags: DoctorFlags, io: Io): Promise<readonly Finding[]> {
	const token = discordToken(io);
	if (token === undefined) {
		const what = doctorMessages.commandsNotRestored;
		return [
			{
				id: "discord-commands",
				...warn(what, doctorMessages.howToRestoreCommands),
			},
		];
	}
	const { fixDiscordCommands } = await import("../../connectors/examine-discord.ts");
	return fixDiscordCommands({ flags, io, token });
}

import { defined } from "@parley/base/defined";
import { Command, InvalidArgumentError } from "commander";
import type { Io } from "../../command-line/io.ts";
import { addGatewayFlags } from "../../gateway/gateway-flags.ts";
import type { InstallFlags } from "../../service/plan-service.ts";
import type { UninstallFlags } from "../../service/uninstall-service.ts";
import { serviceCommandMessages, serviceHelp } from "../../texts/commands/gateway/service.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";
import { addLogFlags, type LogFlags, readLogFlags } from "./logs.ts";

interface NameFlags {
	readonly name: string;
	readonly system?: boolean;
}

/** Creates `parley service`, which manages a gateway that starts automatically, through systemd or launchd. */
export function serviceCommand(io: Io, version: string): Command {
	return new Command("service")
		.description(serviceHelp.description)
		.helpCommand(false)
		.addCommand(installCommand(io, version))
		.addCommand(uninstallCommand(io))
		.addCommand(statusCommand(io))
		.addCommand(logsCommand(io));
}

function installCommand(io: Io, version: string): Command {
	const command = new Command("install").description(serviceHelp.install);
	addNameFlags(command)
		.option("--user <name>", serviceHelp.user)
		.option("--env <name>", serviceHelp.env, collect)
		.option("--env-file <file>", serviceHelp.envFile)
		.option("--dry-run", serviceHelp.dryRun)
		.option("--json", sharedHelp.json);
	return addGatewayFlags(command)
		.addHelpText("after", serviceHelp.notes.trimEnd())
		.action(async (flags: InstallFlags) => {
			const [{ installService }, { thisMachine }] = await Promise.all([
				import("../../service/install-service.ts"),
				import("../../service/machine.ts"),
			]);
			io.exitCode = await installService(flags, { io, version, machine: thisMachine(io) });
		});
}

function uninstallCommand(io: Io): Command {
	return addNameFlags(new Command("uninstall").description(serviceHelp.uninstall))
		.option("--json", sharedHelp.json)
		.action(async (flags: UninstallFlags) => {
			const [{ uninstallService }, { thisMachine }] = await Promise.all([
				import("../../service/uninstall-service.ts"),
				import("../../service/machine.ts"),
			]);
			await uninstallService(flags, { io, machine: thisMachine(io) });
		});
}

function statusCommand(io: Io): Command {
	return addNameFlags(new Command("status").description(serviceHelp.status))
		.option("--json", sharedHelp.json)
		.action(async (flags: NameFlags & { readonly json?: boolean }) => {
			const [{ printServiceStatus }, { thisMachine }] = await Promise.all([
				import("../../service/service-status.ts"),
				import("../../service/machine.ts"),
			]);
			await printServiceStatus(flags, { io, machine: thisMachine(io) });
		});
}

function logsCommand(io: Io): Command {
	const command = addNameFlags(new Command("logs").description(serviceHelp.logs));
	return addLogFlags(command).action(async ({ name, system, ...flags }: NameFlags & LogFlags) => {
		const [{ printServiceLogs }, { thisMachine }] = await Promise.all([
			import("../../logs/print-logs.ts"),
			import("../../service/machine.ts"),
		]);
		const service = defined({ name, system });
		await printServiceLogs(service, await readLogFlags(flags), { io, machine: thisMachine(io) });
	});
}

function addNameFlags(command: Command): Command {
	return command
		.option("--system", serviceHelp.system)
		.option("--name <name>", serviceHelp.name, readName, "parley");
}

function readName(text: string): string {
	if (/^[a-z][a-z0-9-]{0,30}$/.test(text)) return text;
	throw new InvalidArgumentError(serviceCommandMessages.invalidName);
}

function collect(value: string, values: readonly string[] = []): string[] {
	return [...values, value];
}

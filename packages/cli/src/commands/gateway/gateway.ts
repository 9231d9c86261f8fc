import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { addGatewayFlags, type GatewayFlags } from "../../gateway/gateway-flags.ts";
import { gatewayHelp } from "../../texts/commands/gateway/gateway.ts";

interface ServiceFlags extends GatewayFlags {
	readonly connectors?: boolean;
	readonly logFile?: boolean;
}

export function gatewayCommand(io: Io, version: string): Command {
	const command = new Command("gateway").description(gatewayHelp.gateway);
	return addGatewayFlags(command)
		.option("--connectors", gatewayHelp.connectors)
		.option("--log-file", gatewayHelp.logFile)
		.action(async ({ connectors, logFile, ...flags }: ServiceFlags) => {
			const [{ runGateway }, { attachConnectors }] = await Promise.all([
				import("../../gateway/run-gateway.ts"),
				import("../../connectors/supervise-connectors.ts"),
			]);
			const attach = connectors ? attachConnectors(flags, io) : undefined;
			const more = defined({ attach, onlyLogFile: logFile });
			const running = runGateway({ flags, io, version, reloads: true, ...more });
			io.exitCode = await running.catch(async (error: unknown) => {
				if (logFile) await logFailure(error, flags, io);
				throw error;
			});
		});
}

/** Logs the error to the log file, because a service manager may discard stderr. */
async function logFailure(error: unknown, { data }: ServiceFlags, io: Io): Promise<void> {
	const [{ LogFile }, { createLogger, Redactor }] = await Promise.all([
		import("../../gateway/log-file.ts"),
		import("@parley/base"),
	]);
	const destination = new LogFile(await chosenDataDirectory(data, io));
	const log = createLogger({ level: "error", destination, redactor: new Redactor() });
	log.error(error instanceof Error ? error.message : String(error));
}

interface StartFlags extends GatewayFlags {
	readonly ozzie?: boolean;
	/** Whether the first start at a terminal offers the wizard. Set by `npm start`. */
	readonly offerSetup?: boolean;
	/**
	 * Line that makes the command available in the user's shell. Set by `npm start` if the shell does not find the
	 * command.
	 */
	readonly shellLine?: string;
}

/** Creates `parley start`, which runs the gateway and prints the next steps. */
export function startCommand(io: Io, version: string): Command {
	const command = new Command("start")
		.description(gatewayHelp.start)
		.option("--ozzie", gatewayHelp.ozzie)
		.addOption(new Option("--offer-setup").hideHelp())
		.addOption(new Option("--shell-line <line>").hideHelp());
	return addGatewayFlags(command).action(async (given: StartFlags) => {
		const { ozzie = false, offerSetup, shellLine, ...flags } = given;
		if (offerSetup) {
			const wizard = await import("../../setup/offer-setup.ts");
			const code = await wizard.offerSetup(flags.data, io);
			if (code !== undefined) {
				io.exitCode = code;
				return;
			}
		}
		const { startForPerson } = await import("../../connectors/start-for-person.ts");
		io.exitCode = await startForPerson({ flags, io, version, ozzie, ...defined({ shellLine }) });
	});
}

import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { addGatewayFlags, type GatewayFlags } from "../../gateway/gateway-flags.ts";
import { gatewayHelp } from "../../texts/commands/gateway/gateway.ts";

export function gatewayCommand(io: Io, version: string): Command {
	const command = new Command("gateway").description(gatewayHelp.gateway);
	return addGatewayFlags(command).action(async (flags: GatewayFlags) => {
		const { runGateway } = await import("../../gateway/run-gateway.ts");
		io.exitCode = await runGateway({ flags, io, version, reloads: true });
	});
}

interface StartFlags extends GatewayFlags {
	readonly ozzie?: boolean;
}

/** `parley start`: runs the gateway and prints the next steps. */
export function startCommand(io: Io, version: string): Command {
	const command = new Command("start").description(gatewayHelp.start).option("--ozzie", gatewayHelp.ozzie);
	return addGatewayFlags(command).action(async ({ ozzie = false, ...flags }: StartFlags) => {
		const { startForPerson } = await import("../../connectors/start-for-person.ts");
		io.exitCode = await startForPerson({ flags, io, version, ozzie });
	});
}

import { Command } from "commander";
import type { Io } from "../io.ts";
import { addGatewayFlags, type GatewayFlags } from "./gateway-flags.ts";

/** `parley gateway`: runs the gateway and nothing else. */
export function gatewayCommand(io: Io, version: string): Command {
	const command = new Command("gateway").description("run the gateway, for service managers and containers");
	return addGatewayFlags(command).action(async (flags: GatewayFlags) => {
		const { runGateway } = await import("../gateway/run-gateway.ts");
		io.exitCode = await runGateway({ flags, io, version, reloads: true });
	});
}

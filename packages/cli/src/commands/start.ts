import { Command } from "commander";
import type { Io } from "../io.ts";
import { addGatewayFlags, type GatewayFlags } from "./gateway-flags.ts";

/** `parley start`: runs the gateway for a person, who is told what to do next. */
export function startCommand(io: Io, version: string): Command {
	const command = new Command("start").description("run the gateway and say what to do next");
	return addGatewayFlags(command).action(async (flags: GatewayFlags) => {
		const { startForPerson } = await import("../gateway/start-for-person.ts");
		io.exitCode = await startForPerson({ flags, io, version });
	});
}

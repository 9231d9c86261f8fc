import type { Command } from "commander";

/** The flags of every command that talks to a gateway. */
export function addAddressFlags(command: Command): Command {
	return command
		.option("--url <url>", "the gateway, like http://127.0.0.1:7777 (PARLEY_URL)")
		.option("--data <dir>", "the data directory of the gateway on this machine (PARLEY_DATA)");
}

import { Command } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";
import { addAddressFlags } from "./address-flags.ts";

/** `parley agents`: which agents there are, and what is wrong with the others. */
export function agentsCommand(io: Io): Command {
	const command = new Command("agents")
		.description("list the agent profiles; exit code 1 when one of them cannot be used")
		.option("--json", "print JSON")
		.addHelpText("after", "\nA profile is agents/NAME/config.toml, agent.md or both in the data directory.");
	return addAddressFlags(command).action(async (flags: AddressFlags & { readonly json?: boolean }) => {
		const list = await withGateway(flags, io, (client) => client.request("list_agents", {}));
		io.exitCode = list.problems.length === 0 ? 0 : 1;
		if (flags.json) return printJson(list, io);
		const { agentTable } = await import("../tables/agent-table.ts");
		printRows(agentTable(list, outputLook(io)), io);
	});
}

import { Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";

export function modelsCommand(io: Io): Command {
	const command = new Command("models")
		.description("list the available models with their limits and prices")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (flags: AddressFlags & { readonly json?: boolean }) => {
		const list = await withGateway(flags, io, (client) => client.request("list_models", {}));
		if (flags.json) return printJson(list, io);
		const { modelTable } = await import("../../tables/model-tables.ts");
		printRows(modelTable(list, outputFormat(io)), io);
	});
}

/** `parley agents`: the agent profiles, and invalid ones with the reason. */
export function agentsCommand(io: Io): Command {
	const command = new Command("agents")
		.description("list the agent profiles; exit code 1 if one cannot be used")
		.option("--json", "print JSON")
		.addHelpText("after", "\nA profile is agents/NAME/config.toml, agent.md or both in the data directory.");
	return addAddressFlags(command).action(async (flags: AddressFlags & { readonly json?: boolean }) => {
		const list = await withGateway(flags, io, (client) => client.request("list_agents", {}));
		io.exitCode = list.problems.length === 0 ? 0 : 1;
		if (flags.json) return printJson(list, io);
		const { agentTable } = await import("../../tables/model-tables.ts");
		printRows(agentTable(list, outputFormat(io)), io);
	});
}

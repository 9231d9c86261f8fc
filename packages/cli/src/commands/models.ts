import { Command } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";
import { addAddressFlags } from "./address-flags.ts";

/** `parley models`: which models the gateway knows. */
export function modelsCommand(io: Io): Command {
	const command = new Command("models")
		.description("list the models that can be chosen, with their limits and prices")
		.option("--json", "print JSON");
	return addAddressFlags(command).action(async (flags: AddressFlags & { readonly json?: boolean }) => {
		const list = await withGateway(flags, io, (client) => client.request("list_models", {}));
		if (flags.json) return printJson(list, io);
		const { modelTable } = await import("../tables/model-table.ts");
		printRows(modelTable(list, outputLook(io)), io);
	});
}

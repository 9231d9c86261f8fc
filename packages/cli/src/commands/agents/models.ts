import { defined } from "@parley/base/defined";
import type { ProviderReport } from "@parley/gateway";
import type { MethodResult } from "@parley/protocol";
import { Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { agentsHelp, modelsHelp, modelsMessages } from "../../texts/commands/agents/models.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

export function modelsCommand(io: Io): Command {
	const command = new Command("models")
		.description(modelsHelp.description)
		.option("--check", modelsHelp.check)
		.option("--json", sharedHelp.json)
		.addHelpText("after", modelsHelp.notes);
	return addAddressFlags(command).action(async (flags: ModelsFlags) => {
		const list = await withGateway(flags, io, (client) => client.request("list_models", {}));
		const providers = flags.check ? await checkedProviders(flags, providersOf(list), io) : undefined;
		if (providers?.some(({ problem }) => problem !== undefined)) io.exitCode = 1;
		if (flags.json) return printJson({ ...list, ...defined({ providers }) }, io);
		const { modelTable, providerTable } = await import("../../tables/model-tables.ts");
		printRows(modelTable(list, outputFormat(io)), io);
		if (providers) printRows(["", ...providerTable(providers, outputFormat(io))], io);
	});
}

interface ModelsFlags extends AddressFlags {
	readonly check?: boolean;
	readonly json?: boolean;
}

/**
 * Returns the names of the models' providers. Includes `unnamed` if the list lacks the default model, because the
 * provider of the default model is then unknown.
 */
function providersOf({ models, default: chosen }: MethodResult<"list_models">): ReadonlySet<string> {
	const names = models.map(({ provider }) => provider);
	return new Set(models.some(({ name }) => name === chosen) ? names : [...names, unnamed]);
}

const unnamed = "(default)";

/**
 * Resolves with reports about the providers: first the providers in the configuration of this command, then the
 * providers in `names` that this configuration lacks.
 */
async function checkedProviders(
	{ data: given }: AddressFlags,
	names: ReadonlySet<string>,
	io: Io,
): Promise<ProviderReport[]> {
	const [{ reportProviders }, { readConfig }] = await Promise.all([
		import("@parley/gateway"),
		import("../../gateway/run-gateway.ts"),
	]);
	const data = await chosenDataDirectory(given, io);
	const reports = await reportProviders(await readConfig({ data }, io));
	const known = new Set(["offline", ...reports.map(({ name }) => name)]);
	const problem = modelsMessages.settingsMissing;
	const unknown = [...names].filter((name) => !known.has(name) && (name !== unnamed || reports.length === 0));
	return [...reports, ...unknown.map((name) => ({ name, host: "", keyFound: false, problem }))];
}

/** Creates `parley agents`, which lists the agent profiles, and invalid profiles with the reason. */
export function agentsCommand(io: Io): Command {
	const command = new Command("agents")
		.description(agentsHelp.description)
		.option("--json", sharedHelp.json)
		.addHelpText("after", agentsHelp.notes);
	return addAddressFlags(command).action(async (flags: AddressFlags & { readonly json?: boolean }) => {
		const list = await withGateway(flags, io, (client) => client.request("list_agents", {}));
		io.exitCode = list.problems.length === 0 ? 0 : 1;
		if (flags.json) return printJson(list, io);
		const { agentTable } = await import("../../tables/model-tables.ts");
		printRows(agentTable(list, outputFormat(io)), io);
	});
}

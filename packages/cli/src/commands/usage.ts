import type { MethodInput } from "@parley/protocol";
import { Command, Option } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import type { Grouping } from "../tables/usage-table.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";
import { addAddressFlags } from "./address-flags.ts";

interface UsageFlags extends AddressFlags {
	readonly by: Grouping;
	readonly since?: string;
	readonly until?: string;
	readonly session?: string;
	readonly json?: boolean;
}

const notes = `
INPUT counts all that the models read; CACHED is the part of it that came out of
the provider's cache, at a lower price. Days begin at midnight UTC. Budgets are
set with \`parley budget\`.
`;

/** `parley usage`: what the models took, and what it cost. */
export function usageCommand(io: Io): Command {
	const command = new Command("usage")
		.description("show the tokens that were used, and what they cost")
		.addOption(
			new Option("--by <what>", "one row for each").choices(["day", "model", "session"]).default("day"),
		)
		.option("--since <date>", "from this day on, like 2026-03-14")
		.option("--until <date>", "up to this day, which counts")
		.option("--session <id>", "of one conversation alone")
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(command).action(async (flags: UsageFlags) => {
		const report = await withGateway(flags, io, (client) => client.request("usage", filterOf(flags)));
		if (flags.json) return printJson(report, io);
		const { usageRows } = await import("../tables/usage-table.ts");
		printRows(usageRows(report, flags.by, outputLook(io)), io);
	});
}

function filterOf({ by, since, until, session }: UsageFlags): MethodInput<"usage"> {
	return {
		by,
		...(since !== undefined && { since }),
		...(until !== undefined && { until }),
		...(session !== undefined && { session_id: session }),
	};
}

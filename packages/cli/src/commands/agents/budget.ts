import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Argument, Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { showGroupOptions, UsageError } from "../../command-line/usage.ts";
import type { Grouping } from "../../tables/model-tables.ts";
import { budgetHelp, budgetMessages, usageHelp } from "../../texts/commands/agents/budget.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface BudgetFlags extends AddressFlags {
	readonly session?: string;
	readonly json?: boolean;
}

type Period = "day" | "month";

export function budgetCommand(io: Io): Command {
	const command = new Command("budget")
		.description(budgetHelp.description)
		.helpCommand(false)
		.option("--session <id>", sharedHelp.session)
		.option("--json", sharedHelp.json)
		.addHelpText("after", budgetHelp.notes.trimEnd());
	addAddressFlags(command).action((flags: BudgetFlags) => list(flags, io));
	return command.addCommand(setCommand(io));
}

function setCommand(io: Io): Command {
	const command = new Command("set")
		.description(budgetHelp.set)
		.addHelpText("after", budgetHelp.setNotes)
		.addArgument(new Argument("<period>", budgetHelp.period).choices(["day", "month"]))
		.argument("<limit>", budgetHelp.limit);
	// The flags belong to the parent command, which accepts them before and after `set`.
	return showGroupOptions(command, "--session").action(async (period: Period, limit: string) => {
		const flags: BudgetFlags = command.optsWithGlobals();
		const { session } = flags;
		const scopeName =
			session === undefined
				? ({ scope: "gateway" } as const)
				: ({ scope: "session", session_id: session } as const);
		const limit_usd = readLimit(limit);
		await withGateway(flags, io, (client) =>
			client.request("set_budget", { ...scopeName, period, limit_usd }),
		);
		await list(flags, io);
	});
}

function readLimit(text: string): number | null | "configured" {
	if (text === "none") return null;
	if (text === "configured") return text;
	const usd = /^\$?(\d{1,7}(?:\.\d{1,9})?)$/.exec(text)?.[1];
	if (usd !== undefined) return Number(usd);
	throw new UsageError(budgetMessages.invalidBudget({ text: JSON.stringify(text) }));
}

async function list(flags: BudgetFlags, io: Io): Promise<void> {
	const { session } = flags;
	const { budgets } = await withGateway(flags, io, (client) =>
		client.request("usage", { by: "day", ...defined({ session_id: session }) }),
	);
	if (flags.json) return printJson(budgets, io);
	const { budgetRows } = await import("../../tables/model-tables.ts");
	const rows = budgetRows(budgets, outputFormat(io));
	printRows(rows.length > 0 ? rows : [budgetMessages.noBudgets], io);
}

interface UsageFlags extends AddressFlags {
	readonly by: Grouping;
	readonly since?: string;
	readonly until?: string;
	readonly session?: string;
	readonly json?: boolean;
}

export function usageCommand(io: Io): Command {
	const command = new Command("usage")
		.description(usageHelp.description)
		.addOption(new Option("--by <group>", usageHelp.by).choices(["day", "model", "session"]).default("day"))
		.option("--since <date>", usageHelp.since)
		.option("--until <date>", usageHelp.until)
		.option("--session <id>", sharedHelp.session)
		.option("--json", sharedHelp.json)
		.addHelpText("after", usageHelp.notes.trimEnd());
	return addAddressFlags(command).action(async (flags: UsageFlags) => {
		const report = await withGateway(flags, io, (client) => client.request("usage", filterOf(flags)));
		if (flags.json) return printJson(report, io);
		const { usageRows } = await import("../../tables/model-tables.ts");
		printRows(usageRows(report, flags.by, outputFormat(io)), io);
	});
}

function filterOf({ by, since, until, session }: UsageFlags): MethodInput<"usage"> {
	return defined({ by, since, until, session_id: session });
}

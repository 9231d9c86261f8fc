import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Argument, Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import type { Grouping } from "../../tables/model-tables.ts";

interface BudgetFlags extends AddressFlags {
	readonly session?: string;
	readonly json?: boolean;
}

type Period = "day" | "month";

const budgetNotes = `
At 80 % of a budget, clients get a warning. When a budget is spent, no model is
called until the day or month (UTC) ends or you set a higher budget. A budget
that you set here survives restarts and overrides the configuration file;
\`configured\` restores the configured one.
`;

export function budgetCommand(io: Io): Command {
	const command = new Command("budget")
		.description("show or set budgets")
		.helpCommand(false)
		.option("--session <id>", "only this session")
		.option("--json", "print JSON")
		.addHelpText("after", budgetNotes.trimEnd());
	addAddressFlags(command).action((flags: BudgetFlags) => list(flags, io));
	return command.addCommand(setCommand(io));
}

function setCommand(io: Io): Command {
	const command = new Command("set")
		.description("set a budget")
		.addHelpText("after", "\nThe flags of `parley budget` are also allowed here.")
		.addArgument(new Argument("<period>", "day or month").choices(["day", "month"]))
		.argument("<limit>", "US dollars, none, or configured");
	// The parent command has the flags, and allows them before and after `set`.
	return command.action(async (period: Period, limit: string) => {
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

/** `$5`, `5.50`, `none` or `configured`. */
function readLimit(text: string): number | null | "configured" {
	if (text === "none") return null;
	if (text === "configured") return text;
	const usd = /^\$?(\d{1,7}(?:\.\d{1,9})?)$/.exec(text)?.[1];
	if (usd !== undefined) return Number(usd);
	throw new UsageError(
		`invalid budget ${JSON.stringify(text)}\nallowed: an amount of US dollars, none, configured`,
	);
}

async function list(flags: BudgetFlags, io: Io): Promise<void> {
	const { session } = flags;
	const { budgets } = await withGateway(flags, io, (client) =>
		client.request("usage", { by: "day", ...defined({ session_id: session }) }),
	);
	if (flags.json) return printJson(budgets, io);
	const { budgetRows } = await import("../../tables/model-tables.ts");
	const rows = budgetRows(budgets, outputFormat(io));
	printRows(
		rows.length > 0 ? rows : ["No budgets. `parley budget set day 5` sets a budget of $5 per day."],
		io,
	);
}

interface UsageFlags extends AddressFlags {
	readonly by: Grouping;
	readonly since?: string;
	readonly until?: string;
	readonly session?: string;
	readonly json?: boolean;
}

const usageNotes = `
INPUT is all input tokens; CACHED is the part that came from the cache of the
provider, at a lower price. Days begin at midnight UTC. Set budgets with
\`parley budget\`.
`;

export function usageCommand(io: Io): Command {
	const command = new Command("usage")
		.description("show used tokens and their cost")
		.addOption(
			new Option("--by <group>", "group the rows").choices(["day", "model", "session"]).default("day"),
		)
		.option("--since <date>", "first day, for example 2026-03-14")
		.option("--until <date>", "last day, inclusive")
		.option("--session <id>", "only this session")
		.option("--json", "print JSON")
		.addHelpText("after", usageNotes.trimEnd());
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

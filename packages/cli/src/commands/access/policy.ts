import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import { policyHelp, policyMessages } from "../../texts/commands/access/policy.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface ScopeFlags extends AddressFlags {
	readonly session?: string;
	readonly agent?: string;
	readonly channel?: string;
	/** Old name of the flag `channel`. */
	readonly place?: string;
	readonly json?: boolean;
}

interface TestFlags extends ScopeFlags {
	readonly tool?: string;
	readonly arguments?: string;
}

export function policyCommand(io: Io): Command {
	const command = new Command("policy")
		.description(policyHelp.description)
		.helpCommand(false)
		.addHelpText("after", policyHelp.notes.trimEnd());
	return addScopeFlags(command)
		.action((flags: ScopeFlags) => show(flags, io))
		.addCommand(testCommand(io))
		.addCommand(showCommand(io))
		.addCommand(checkCommand(io));
}

function testCommand(io: Io): Command {
	const command = new Command("test")
		.description(policyHelp.explain)
		.argument("[command]", policyHelp.command)
		.option("--tool <name>", policyHelp.tool)
		.option("--arguments <json>", policyHelp.arguments);
	return addScopeFlags(command).action(async (line: string | undefined) => {
		const flags: TestFlags = command.optsWithGlobals();
		const params = { ...(await readCall(line, flags)), ...scopeOf(flags) };
		const answer = await withGateway(flags, io, (client) => client.request("test_policy", params));
		if (flags.json) return printJson(answer, io);
		const { decisionRows } = await import("../../tables/access-tables.ts");
		printRows(decisionRows(answer, outputFormat(io)), io);
	});
}

function showCommand(io: Io): Command {
	const command = new Command("show").description(policyHelp.list);
	return addScopeFlags(command).action(() => show(command.optsWithGlobals(), io));
}

async function show(flags: ScopeFlags, io: Io): Promise<void> {
	const listing = await withGateway(flags, io, (client) => client.request("show_policy", scopeOf(flags)));
	io.exitCode = listing.problem === undefined ? 0 : 1;
	if (flags.json) return printJson(listing, io);
	const { ruleRows } = await import("../../tables/access-tables.ts");
	printRows(ruleRows(listing, outputFormat(io)), io);
}

function checkCommand(io: Io): Command {
	const command = new Command("check")
		.description(policyHelp.check)
		.argument("[file]", policyHelp.file)
		.option("--data <dir>", policyHelp.data);
	return command.action(async (file: string | undefined) => {
		// The parent command has the same flags as this subcommand, and commander assigns flags in any position to the
		// parent.
		const { data }: { readonly data?: string } = command.optsWithGlobals();
		const { checkFile } = await import("../../gateway/check-policy-file.ts");
		printRows([await checkFile(file, defined({ data }), io)], io);
	});
}

function addScopeFlags(command: Command): Command {
	return addAddressFlags(
		command
			.option("--session <id>", policyHelp.session)
			.option("--agent <name>", policyHelp.agent)
			.option("--channel <channel>", policyHelp.channel)
			.addOption(new Option("--place <channel>").hideHelp())
			.option("--json", sharedHelp.json),
	);
}

function scopeOf({ session, agent, channel, place }: ScopeFlags): MethodInput<"show_policy"> {
	return defined({ session_id: session, agent, place: channel ?? place });
}

async function readCall(
	command: string | undefined,
	{ tool, arguments: text = "{}" }: TestFlags,
): Promise<MethodInput<"test_policy">> {
	if ((command === undefined) === (tool === undefined)) {
		throw new UsageError(policyMessages.commandOrTool);
	}
	if (tool === undefined) return { command };
	const { parseJson } = await import("@parley/base");
	const args: unknown = parseJson(text);
	if (typeof args !== "object" || args === null || Array.isArray(args)) {
		throw new UsageError(policyMessages.invalidArguments({ text }));
	}
	return { tool, arguments: Object.fromEntries(Object.entries(args)) };
}

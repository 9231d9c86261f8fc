import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputLook, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";

interface PlaceFlags extends AddressFlags {
	readonly session?: string;
	readonly agent?: string;
	readonly place?: string;
	readonly json?: boolean;
}

interface TestFlags extends PlaceFlags {
	readonly tool?: string;
	readonly arguments?: string;
}

const notes = `
Rules stand in policy.jsonc in the data directory, or where policyFile of the
configuration says. A gateway takes changes at once; while its file is broken
nothing runs.
`;

/** `parley policy`: what tools may do, and why. */
export function policyCommand(io: Io): Command {
	const command = new Command("policy")
		.description("show and check the policy, and explain the decision for a call")
		.helpCommand(false)
		.addHelpText("after", notes.trimEnd());
	return addPlaceFlags(command)
		.action((flags: PlaceFlags) => show(flags, io))
		.addCommand(testCommand(io))
		.addCommand(showCommand(io))
		.addCommand(checkCommand(io));
}

function testCommand(io: Io): Command {
	const command = new Command("test")
		.description("show the decision for a command and the matching rules; runs nothing")
		.argument("[command]", "a command line, as one word")
		.option("--tool <name>", "another tool than run_command")
		.option("--arguments <json>", "arguments of the tool call");
	return addPlaceFlags(command).action(async (line: string | undefined) => {
		const flags: TestFlags = command.optsWithGlobals();
		const params = { ...(await readCall(line, flags)), ...placeOf(flags) };
		const answer = await withGateway(flags, io, (client) => client.request("test_policy", params));
		if (flags.json) return printJson(answer, io);
		const { decisionRows } = await import("../../tables/access-tables.ts");
		printRows(decisionRows(answer, outputLook(io)), io);
	});
}

function showCommand(io: Io): Command {
	const command = new Command("show").description(
		"list the rules in force; exit code 1 when they are broken; the same as `parley policy`",
	);
	return addPlaceFlags(command).action(() => show(command.optsWithGlobals(), io));
}

async function show(flags: PlaceFlags, io: Io): Promise<void> {
	const listing = await withGateway(flags, io, (client) => client.request("show_policy", placeOf(flags)));
	io.exitCode = listing.problem === undefined ? 0 : 1;
	if (flags.json) return printJson(listing, io);
	const { ruleRows } = await import("../../tables/access-tables.ts");
	printRows(ruleRows(listing, outputLook(io)), io);
}

function checkCommand(io: Io): Command {
	const command = new Command("check")
		.description("check a policy file without a gateway; exit code 1 if it is invalid")
		.argument("[file]", "the operator's where absent")
		.option("--data <dir>", "the data directory of the gateway whose file it is");
	return command.action(async (file: string | undefined) => {
		// The flags stand on the command above as well, which takes them wherever they are written.
		const { data }: { readonly data?: string } = command.optsWithGlobals();
		const { checkFile } = await import("../../gateway/check-policy-file.ts");
		printRows([await checkFile(file, defined({ data }), io)], io);
	});
}

function addPlaceFlags(command: Command): Command {
	return addAddressFlags(
		command
			.option("--session <id>", "as in this conversation")
			.option("--agent <name>", "as with this agent profile")
			.option("--place <channel>", "as in a channel: PLATFORM:TENANT:CHANNEL")
			.option("--json", "print JSON"),
	);
}

function placeOf({ session, agent, place }: PlaceFlags): MethodInput<"show_policy"> {
	return defined({ session_id: session, agent, place });
}

async function readCall(
	command: string | undefined,
	{ tool, arguments: text }: TestFlags,
): Promise<MethodInput<"test_policy">> {
	if ((command === undefined) === (tool === undefined)) {
		throw new UsageError("say either a command, in quotes, or --tool with its --arguments");
	}
	if (tool === undefined) return { command };
	const { parseJson } = await import("@parley/base");
	const args: unknown = parseJson(text ?? "{}");
	if (typeof args !== "object" || args === null || Array.isArray(args)) {
		throw new UsageError('--arguments takes an object of JSON, such as {"path": "README.md"}');
	}
	return { tool, arguments: Object.fromEntries(Object.entries(args)) };
}

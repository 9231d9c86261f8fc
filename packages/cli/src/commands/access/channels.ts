import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Command, InvalidArgumentError, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readAmount } from "../../command-line/read-number.ts";
import { UsageError } from "../../command-line/usage.ts";

interface ChannelsFlags extends AddressFlags {
	readonly json?: boolean;
}

interface SetFlags extends ChannelsFlags {
	readonly agent?: string;
	readonly model?: string;
	readonly tools?: readonly string[];
	readonly root?: string;
	readonly approver?: readonly string[];
	readonly approveIn?: readonly string[];
	readonly budget?: number;
	readonly quota?: number;
	readonly mention?: "required" | "always";
	readonly sessions?: "shared" | "person";
	readonly live?: "off" | "text" | "tools" | "everything";
	readonly answers?: "channel" | "thread";
	readonly status?: "posts" | "reactions";
	readonly busy?: "queue" | "offer";
	readonly context?: number;
	readonly approvalHours?: number;
}

const notes = `
CHANNEL is PLATFORM:TENANT:CHANNEL, or PLATFORM:TENANT for all channels of a
guild or team.
\`set\` replaces all settings of the channel, also those of the configuration.
Open sessions keep their agent, model, directory and budget; all other
settings apply immediately.

Examples:
  parley channels set discord:111:222 --root ~/site --budget 5
  parley channels set slack:T1 --tools read_file,search_files --mention required
  parley channels set slack:T1:C2 --approve-in discord:111:222
  parley channels remove slack:T1
`;

export function channelsCommand(io: Io): Command {
	const command = new Command("channels")
		.alias("places")
		.description("list channel settings; set and remove them")
		.helpCommand(false)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	addAddressFlags(command).action((flags: ChannelsFlags) => list(flags, io));
	return command.addCommand(listCommand(io)).addCommand(setCommand(io)).addCommand(removeCommand(io));
}

async function list(flags: ChannelsFlags, io: Io): Promise<void> {
	const { places: channels } = await withGateway(flags, io, (client) => client.request("list_places", {}));
	if (flags.json) return printJson(channels, io);
	const { channelRows } = await import("../../tables/people-and-channels.ts");
	printRows(channelRows(channels, outputFormat(io)), io);
}

// Options of the parent command are also allowed after its subcommands.

function listCommand(io: Io): Command {
	const command = new Command("list").description("the same as `parley channels`");
	return command.action(() => list(command.optsWithGlobals(), io));
}

function setCommand(io: Io): Command {
	const command = new Command("set")
		.description("set the settings of a channel")
		.argument("<channel>", "the channel")
		.option("--agent <name>", "agent profile")
		.option("--model <name>", "model or tier")
		.option("--tools <names>", "only these tools, separated by commas", readNames)
		.option("--root <dir>", "working directory of its tools (default: a workspace for each session)")
		.option("--approver <person>", "only person who may approve its tool calls; may be repeated", gather)
		.option(
			"--approve-in <channel>",
			"another channel where its approvals can be answered; may be repeated",
			gather,
		)
		.option("--budget <usd>", "budget in US dollars per day for each session", readAmount)
		.option("--quota <size>", "maximum size of a workspace, such as 500MB", readSize);
	addModes(command)
		.option("--context <n|off>", "earlier messages that the agent gets with a request", readContext)
		.option("--approval-hours <n>", "hours until its approvals and questions expire", readAmount);
	return command.action(async (channel: string) => {
		const flags: SetFlags = command.optsWithGlobals();
		const { resolve } = await import("node:path");
		const profile = profileOf(flags, (path) => resolve(io.cwd, path));
		if (Object.keys(profile).length === 0) {
			const options = command.options.map(({ long }) => long).join(", ");
			const hint = "`parley channels remove` removes the settings";
			throw new UsageError(`no settings given for ${channel}: use ${options}; ${hint}`);
		}
		const set = await withGateway(flags, io, (client) =>
			client.request("set_place", { place: channel, profile }),
		);
		if (flags.json) return printJson(set, io);
		const { channelRows } = await import("../../tables/people-and-channels.ts");
		printRows(channelRows([{ ...set, source: "operator" }], outputFormat(io)), io);
	});
}

/** Options for the answers in a channel, each with its choices. */
function addModes(command: Command): Command {
	return command
		.addOption(
			new Option("--mention <mode>", "whether messages must mention the agent").choices([
				"required",
				"always",
			]),
		)
		.addOption(
			new Option("--sessions <mode>", "one session for the channel, or one per person").choices([
				"shared",
				"person",
			]),
		)
		.addOption(
			new Option("--live <level>", "display of an answer while the agent works").choices([
				"off",
				"text",
				"tools",
				"everything",
			]),
		)
		.addOption(
			new Option("--answers <place>", "place of the answer to a mention on Discord").choices([
				"channel",
				"thread",
			]),
		)
		.addOption(
			new Option("--status <mode>", "display of the state of a message on Discord").choices([
				"posts",
				"reactions",
			]),
		)
		.addOption(
			new Option("--busy <mode>", "queue a message while the agent works, or offer to add it").choices([
				"queue",
				"offer",
			]),
		);
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description("remove the settings of a channel; the configuration applies again")
		.argument("<channel>", "the channel");
	return command.action(async (channel: string) => {
		const flags: ChannelsFlags = command.optsWithGlobals();
		const removed = await withGateway(flags, io, (client) =>
			client.request("remove_place", { place: channel }),
		);
		if (flags.json) return printJson(removed, io);
		printRows(["removed"], io);
	});
}

function profileOf(flags: SetFlags, absolute: (path: string) => string): MethodInput<"set_place">["profile"] {
	const { agent, model, tools, root, approver, approveIn, budget, quota, mention, sessions, live } = flags;
	const { answers, status, context, approvalHours } = flags;
	return defined({
		agent,
		model,
		tools: tools && [...tools],
		root: root === undefined ? undefined : absolute(root),
		approvers: approver && [...approver],
		approve_in: approveIn && [...approveIn],
		budget_usd: budget,
		quota_bytes: quota,
		mention,
		sessions,
		live,
		answers,
		status,
		context,
		approval_hours: approvalHours,
	});
}

function readContext(text: string): number {
	if (text === "off") return 0;
	if (/^\d{1,2}$/.test(text) && Number(text) <= 50) return Number(text);
	throw new InvalidArgumentError("use off, or a number from 0 to 50");
}

function readNames(text: string): readonly string[] {
	return text.split(",").map((name) => name.trim());
}

function gather(value: string, before: readonly string[] = []): string[] {
	return [...before, value];
}

const letters = " kmgt";

/** `500MB`, `2GiB`, `1048576`. */
function readSize(text: string): number {
	const [, amount, unit = "", binary] = /^(\d{1,9}(?:\.\d{1,3})?)\s?([kmgt]?)(i?)b?$/i.exec(text) ?? [];
	const exponent = unit === "" ? 0 : letters.indexOf(unit.toLowerCase());
	const bytes = Math.floor(Number(amount) * (binary ? 1024 : 1000) ** exponent);
	if (amount !== undefined && bytes > 0) return bytes;
	throw new InvalidArgumentError("use a size such as 500MB or 2GiB");
}

import { defined } from "@parley/base/defined";
import type { MethodInput } from "@parley/protocol";
import { Command, InvalidArgumentError, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readAmount } from "../../command-line/read-number.ts";
import { UsageError } from "../../command-line/usage.ts";
import { channelsHelp, channelsMessages } from "../../texts/commands/access/channels.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

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

export function channelsCommand(io: Io): Command {
	const command = new Command("channels")
		.alias("places")
		.description(channelsHelp.description)
		.helpCommand(false)
		.option("--json", sharedHelp.json)
		.addHelpText("after", channelsHelp.notes.trimEnd());
	addAddressFlags(command).action((flags: ChannelsFlags) => list(flags, io));
	return command.addCommand(listCommand(io)).addCommand(setCommand(io)).addCommand(removeCommand(io));
}

async function list(flags: ChannelsFlags, io: Io): Promise<void> {
	const { places: channels } = await withGateway(flags, io, (client) => client.request("list_places", {}));
	if (flags.json) return printJson(channels, io);
	const { channelRows } = await import("../../tables/people-and-channels.ts");
	printRows(channelRows(channels, outputFormat(io)), io);
}

// The options of the parent command are also allowed after the subcommands.

function listCommand(io: Io): Command {
	const command = new Command("list").description(channelsHelp.list);
	return command.action(() => list(command.optsWithGlobals(), io));
}

function setCommand(io: Io): Command {
	const command = new Command("set")
		.description(channelsHelp.set)
		.argument("<channel>", channelsHelp.channel)
		.option("--agent <name>", channelsHelp.agent)
		.option("--model <name>", channelsHelp.model)
		.option("--tools <names>", sharedHelp.tools, readNames)
		.option("--root <dir>", channelsHelp.root)
		.option("--approver <person>", channelsHelp.approver, gather)
		.option("--approve-in <channel>", channelsHelp.approveIn, gather)
		.option("--budget <usd>", channelsHelp.budget, readAmount)
		.option("--quota <size>", channelsHelp.quota, readSize);
	addModes(command)
		.option("--context <n|off>", channelsHelp.context, readContext)
		.option("--approval-hours <n>", channelsHelp.approvalHours, readAmount);
	return command.action(async (channel: string) => {
		const flags: SetFlags = command.optsWithGlobals();
		const { resolve } = await import("node:path");
		const profile = profileOf(flags, (path) => resolve(io.cwd, path));
		if (Object.keys(profile).length === 0) {
			const options = command.options.map(({ long }) => long).join(", ");
			throw new UsageError(channelsMessages.noSettings({ channel, options }));
		}
		const set = await withGateway(flags, io, (client) =>
			client.request("set_place", { place: channel, profile }),
		);
		if (flags.json) return printJson(set, io);
		const { channelRows } = await import("../../tables/people-and-channels.ts");
		printRows(channelRows([{ ...set, source: "operator" }], outputFormat(io)), io);
	});
}

function addModes(command: Command): Command {
	return command
		.addOption(new Option("--mention <mode>", channelsHelp.mention).choices(["required", "always"]))
		.addOption(new Option("--sessions <mode>", channelsHelp.sessions).choices(["shared", "person"]))
		.addOption(
			new Option("--live <level>", channelsHelp.live).choices(["off", "text", "tools", "everything"]),
		)
		.addOption(new Option("--answers <place>", channelsHelp.answers).choices(["channel", "thread"]))
		.addOption(new Option("--status <mode>", channelsHelp.status).choices(["posts", "reactions"]))
		.addOption(new Option("--busy <mode>", channelsHelp.busy).choices(["queue", "offer"]));
}

function removeCommand(io: Io): Command {
	const command = new Command("remove")
		.description(channelsHelp.remove)
		.argument("<channel>", channelsHelp.channel);
	return command.action(async (channel: string) => {
		const flags: ChannelsFlags = command.optsWithGlobals();
		const removed = await withGateway(flags, io, (client) =>
			client.request("remove_place", { place: channel }),
		);
		if (flags.json) return printJson(removed, io);
		printRows([channelsMessages.removed], io);
	});
}

type Profile = MethodInput<"set_place">["profile"];

function profileOf(flags: SetFlags, absolute: (path: string) => string): Profile {
	const { agent, model, tools, root, approver, approveIn, budget, quota, mention, sessions, live } = flags;
	const { answers, status, busy, context, approvalHours } = flags;
	// The type requires each setting, so that none is forgotten.
	const all: { readonly [Setting in keyof Required<Profile>]: Profile[Setting] | undefined } = {
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
		busy,
		context,
		approval_hours: approvalHours,
	};
	return defined(all);
}

function readContext(text: string): number {
	if (text === "off") return 0;
	if (/^\d{1,2}$/.test(text) && Number(text) <= 50) return Number(text);
	throw new InvalidArgumentError(channelsMessages.invalidContext);
}

function readNames(text: string): readonly string[] {
	return text.split(",").map((name) => name.trim());
}

function gather(value: string, before: readonly string[] = []): string[] {
	return [...before, value];
}

const letters = " kmgt";

/** Reads a size, for example `500MB`, `2GiB` or `1048576`. Returns bytes. */
function readSize(text: string): number {
	const [, amount, unit = "", binary] = /^(\d{1,9}(?:\.\d{1,3})?)\s?([kmgt]?)(i?)b?$/i.exec(text) ?? [];
	const exponent = unit === "" ? 0 : letters.indexOf(unit.toLowerCase());
	const bytes = Math.floor(Number(amount) * (binary ? 1024 : 1000) ** exponent);
	if (amount !== undefined && bytes > 0) return bytes;
	throw new InvalidArgumentError(channelsMessages.invalidSize);
}

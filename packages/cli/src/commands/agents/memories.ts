import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { refuseSubcommandName, showGroupOptions, UsageError } from "../../command-line/usage.ts";
import { memoriesHelp, memoriesMessages } from "../../texts/commands/agents/memories.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

type Scope = "user" | "channel" | "everyone";

interface MemoriesFlags extends AddressFlags {
	readonly json?: boolean;
}

interface ListFlags extends MemoriesFlags {
	readonly limit: number;
	readonly scope?: Scope;
	readonly person?: string;
}

export function memoriesCommand(io: Io): Command {
	const command = new Command("memories")
		.description(memoriesHelp.description)
		.helpCommand(false)
		.argument("[query...]", memoriesHelp.query)
		.addOption(new Option("--scope <scope>", memoriesHelp.scope).choices(["user", "channel", "everyone"]))
		.option("--person <id>", memoriesHelp.person)
		.option("--limit <n>", memoriesHelp.limit, readLimit, 50)
		.option("--json", sharedHelp.json)
		.addHelpText("after", memoriesHelp.notes.trimEnd());
	addAddressFlags(command).action((words: string[], flags: ListFlags) => {
		refuseSubcommandName(words, command);
		return list(words, flags, io);
	});
	return command
		.addCommand(listCommand(io))
		.addCommand(searchCommand(io))
		.addCommand(addCommand(io))
		.addCommand(forgetCommand(io));
}

function listCommand(io: Io): Command {
	const command = new Command("list").description(memoriesHelp.list);
	return showGroupOptions(command, "--scope", "--person", "--limit").action(() =>
		list([], command.optsWithGlobals(), io),
	);
}

function searchCommand(io: Io): Command {
	const command = new Command("search")
		.description(memoriesHelp.search)
		.argument("<query...>", memoriesHelp.query);
	return showGroupOptions(command, "--scope", "--person", "--limit").action((words: string[]) =>
		list(words, command.optsWithGlobals(), io),
	);
}

async function list(words: readonly string[], flags: ListFlags, io: Io): Promise<void> {
	const { scope, person, limit } = flags;
	const query = words.join(" ").trim();
	const requested = {
		...defined({ scope, person }),
		limit,
	};
	const { memories } = await withGateway(flags, io, (client) =>
		query === ""
			? client.request("list_memories", requested)
			: client.request("query_memories", { ...requested, query }),
	);
	if (flags.json) return printJson(memories, io);
	if (memories.length === 0)
		return printRows([query === "" ? memoriesMessages.noNotes : memoriesMessages.noMatches], io);
	const [{ systemClock }, { memoryRows }] = await Promise.all([
		import("@parley/base"),
		import("../../tables/skill-and-memory-tables.ts"),
	]);
	printRows(memoryRows(memories, systemClock.now(), outputFormat(io)), io);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description(memoriesHelp.add)
		.argument("<text...>", memoriesHelp.text)
		.option("--everyone", memoriesHelp.everyone)
		.option("--tag <tag...>", memoriesHelp.tag);
	return command.action(async (words: string[]) => {
		const flags: ListFlags & { readonly everyone?: boolean; readonly tag?: string[] } =
			command.optsWithGlobals();
		const content = words.join(" ");
		// `--scope` is an option of the list, but commander also accepts it after `add`.
		const scope = flags.everyone === true ? "everyone" : (flags.scope ?? "user");
		const stored = await withGateway(flags, io, (client) =>
			client.request("store_memory", { content, scope, tags: flags.tag ?? [] }),
		);
		if (flags.json) return printJson(stored, io);
		printRows([memoriesMessages.stored({ id: stored.memory_id })], io);
	});
}

function forgetCommand(io: Io): Command {
	const command = new Command("forget")
		.description(memoriesHelp.forget)
		.argument("[id...]", memoriesHelp.ids);
	return showGroupOptions(command, "--person").action(async (ids: string[]) => {
		const flags: ListFlags = command.optsWithGlobals();
		const { person } = flags;
		if (ids.length > 0 === (person !== undefined)) {
			throw new UsageError(memoriesMessages.idsOrPerson);
		}
		const forgotten = await withGateway(flags, io, async (client) => {
			if (person !== undefined) return (await client.request("forget_memory", { person })).forgotten;
			for (const id of ids) await client.request("forget_memory", { memory_id: id });
			return ids.length;
		});
		if (flags.json) return printJson({ forgotten }, io);
		printRows([memoriesMessages.deleted({ count: forgotten })], io);
	});
}

import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { refuseSubcommandName, UsageError } from "../../command-line/usage.ts";

type Scope = "user" | "channel" | "everyone";

interface MemoriesFlags extends AddressFlags {
	readonly json?: boolean;
}

interface ListFlags extends MemoriesFlags {
	readonly limit: number;
	readonly scope?: Scope;
	readonly person?: string;
}

const notes = `
Notes are about a person, about a channel, or for all people. The agent reads
the notes that fit a message. QUERY lists the notes with these words, the most
relevant first.

Examples:
  parley memories deploy friday
  parley memories --person slack:T012AB3CD:U024BE7LH
  parley memories add --everyone "Deploys happen on Friday"
  parley memories forget mem_4k2x
  parley memories forget --person slack:T012AB3CD:U024BE7LH
`;

export function memoriesCommand(io: Io): Command {
	const command = new Command("memories")
		.description("list notes about people and channels, and notes for all people; add and delete them")
		.helpCommand(false)
		.argument("[query...]", "words to search for")
		.addOption(new Option("--scope <scope>", "only this scope").choices(["user", "channel", "everyone"]))
		.option("--person <id>", "only notes about this person and notes that they wrote")
		.option("--limit <n>", "maximum number of notes", readLimit, 50)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
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
	const command = new Command("list").description("the same as `parley memories` without words");
	return command.action(() => list([], command.optsWithGlobals(), io));
}

function searchCommand(io: Io): Command {
	const command = new Command("search")
		.description("search for words that are also the name of a subcommand")
		.argument("<query...>", "words to search for");
	return command.action((words: string[]) => list(words, command.optsWithGlobals(), io));
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
		return printRows([query === "" ? "no notes" : "no note contains these words"], io);
	const [{ systemClock }, { memoryRows }] = await Promise.all([
		import("@parley/base"),
		import("../../tables/skill-and-memory-tables.ts"),
	]);
	printRows(memoryRows(memories, systemClock.now(), outputFormat(io)), io);
}

function addCommand(io: Io): Command {
	const command = new Command("add")
		.description("store a note about you")
		.argument("<text...>", "the note")
		.option("--everyone", "store a note for all people")
		.option("--tag <tag...>", "tags of the note");
	return command.action(async (words: string[]) => {
		const flags: ListFlags & { readonly everyone?: boolean; readonly tag?: string[] } =
			command.optsWithGlobals();
		const content = words.join(" ");
		// `--scope` is an option of the list, which commander also accepts after `add`.
		const scope = flags.everyone === true ? "everyone" : (flags.scope ?? "user");
		const stored = await withGateway(flags, io, (client) =>
			client.request("store_memory", { content, scope, tags: flags.tag ?? [] }),
		);
		if (flags.json) return printJson(stored, io);
		printRows([`stored ${stored.memory_id}`], io);
	});
}

function forgetCommand(io: Io): Command {
	const command = new Command("forget")
		.description("delete notes by their ids, or all notes of a person with --person")
		.argument("[id...]", "ids that `parley memories` shows");
	return command.action(async (ids: string[]) => {
		const flags: ListFlags = command.optsWithGlobals();
		const { person } = flags;
		if (ids.length > 0 === (person !== undefined)) {
			throw new UsageError("give the ids of notes, or a person with --person");
		}
		const forgotten = await withGateway(flags, io, async (client) => {
			if (person !== undefined) return (await client.request("forget_memory", { person })).forgotten;
			for (const id of ids) await client.request("forget_memory", { memory_id: id });
			return ids.length;
		});
		if (flags.json) return printJson({ forgotten }, io);
		printRows([`deleted ${forgotten} ${forgotten === 1 ? "note" : "notes"}`], io);
	});
}

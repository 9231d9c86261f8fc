import { defined } from "@parley/base/defined";
import { Command, InvalidArgumentError, Option } from "commander";
import { type AddressFlags, addAddressFlags, findGateway } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { forkPlace } from "../../command-line/fork-place.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { refuseSubcommandName, showGroupOptions } from "../../command-line/usage.ts";
import type { DeleteFlags } from "../../sessions/delete-sessions.ts";
import { visibleLine } from "../../text/visible.ts";
import { sessionsHelp, sessionsMessages } from "../../texts/commands/sessions/sessions.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface SessionsFlags extends AddressFlags {
	readonly json?: boolean;
	readonly limit: number;
}

export function sessionsCommand(io: Io): Command {
	const command = new Command("sessions")
		.description(sessionsHelp.description)
		.helpCommand(false)
		.argument("[query...]", sessionsHelp.query)
		.option("--limit <n>", sharedHelp.maxRows, readLimit, 50)
		.option("--json", sharedHelp.json)
		.addHelpText("after", sessionsHelp.notes.trimEnd());
	addAddressFlags(command).action((words: string[], flags: SessionsFlags) => {
		refuseSubcommandName(words, command);
		return list(words, flags, io);
	});
	return command
		.addCommand(listCommand(io))
		.addCommand(searchCommand(io))
		.addCommand(showCommand(io))
		.addCommand(exportCommand(io))
		.addCommand(renameCommand(io))
		.addCommand(forkCommand(io))
		.addCommand(compactCommand(io))
		.addCommand(commandsCommand(io))
		.addCommand(stopCommandCommand(io))
		.addCommand(deleteCommand(io));
}

function listCommand(io: Io): Command {
	const command = new Command("list").description(sessionsHelp.list);
	return showGroupOptions(command, "--limit").action(() => list([], command.optsWithGlobals(), io));
}

function searchCommand(io: Io): Command {
	const command = new Command("search")
		.description(sessionsHelp.search)
		.argument("<query...>", sessionsHelp.query);
	return showGroupOptions(command, "--limit").action((words: string[]) =>
		list(words, command.optsWithGlobals(), io),
	);
}

async function list(words: readonly string[], flags: SessionsFlags, io: Io): Promise<void> {
	const query = words.join(" ").trim();
	const { sessions } = await withGateway(flags, io, (client) =>
		client.request("list_sessions", defined({ limit: flags.limit, query: query || undefined })),
	);
	if (flags.json) return printJson(sessions, io);
	if (sessions.length === 0) {
		const none = sessionsMessages.noSessions;
		return printRows([query === "" ? none : sessionsMessages.noMatches], io);
	}
	const [{ systemClock }, { sessionTable }] = await Promise.all([
		import("@parley/base"),
		import("../../tables/session-table.ts"),
	]);
	printRows(sessionTable(sessions, systemClock.now(), outputFormat(io)), io);
	if (sessions.length === flags.limit && flags.limit < 1000) {
		io.stderr.write(`${sessionsMessages.moreSessions({ limit: flags.limit })}\n`);
	}
}

function showCommand(io: Io): Command {
	const command = new Command("show").description(sessionsHelp.show).argument("<id>", sessionsHelp.id);
	return command.action(async (id: string) => {
		const flags: SessionsFlags = command.optsWithGlobals();
		const { session, events } = await read(id, flags, io);
		if (flags.json) return printJson({ session, events }, io);
		const [{ factRows }, { sessionTranscript }] = await Promise.all([
			import("../../tables/session-table.ts"),
			import("../../wordings/transcript.ts"),
		]);
		const format = outputFormat(io);
		printRows([...factRows(session, format.styles), ...sessionTranscript(events, format)], io);
	});
}

interface ExportFlags extends SessionsFlags {
	readonly format?: "md" | "json";
	readonly output?: string;
	readonly force?: boolean;
}

function exportCommand(io: Io): Command {
	const command = new Command("export")
		.description(sessionsHelp.export)
		.argument("<id>", sessionsHelp.id)
		.addOption(new Option("--format <format>", sessionsHelp.format).choices(["md", "json"]))
		.option("--output <file>", sessionsHelp.output)
		.option("--force", sharedHelp.replaceFile);
	return command.action(async (id: string) => {
		const { format, output, force, json, ...flags }: ExportFlags = command.optsWithGlobals();
		const { session, events } = await read(id, flags, io);
		const asJson = format === "json" || (format === undefined && json === true);
		const text = asJson
			? `${JSON.stringify({ session, events }, undefined, 2)}\n`
			: (await import("../../sessions/export.ts")).toMarkdown(session, events);
		if (output === undefined) return void io.stdout.write(text);
		const [{ resolve }, { writeExport }] = await Promise.all([
			import("node:path"),
			import("../../sessions/export.ts"),
		]);
		await writeExport(resolve(io.cwd, output), text, force === true);
	});
}

function renameCommand(io: Io): Command {
	const command = new Command("rename")
		.description(sessionsHelp.rename)
		.argument("<id>", sessionsHelp.id)
		.argument("<title...>", sessionsHelp.title);
	return command.action(async (id: string, words: string[]) => {
		const flags: SessionsFlags = command.optsWithGlobals();
		const { session } = await find(id, flags, io);
		const title = words.join(" ");
		await withGateway(flags, io, (client) =>
			client.request("rename_session", { session_id: session.id, title }),
		);
	});
}

interface ForkFlags extends SessionsFlags {
	readonly at?: number;
	readonly title?: string;
}

function forkCommand(io: Io): Command {
	const command = new Command("fork")
		.description(sessionsHelp.fork)
		.argument("<id>", sessionsHelp.id)
		.option("--at <n>", sessionsHelp.at, readPlace)
		.option("--title <title>", sessionsHelp.forkTitle);
	return command.action(async (id: string) => {
		const { at, title, ...flags }: ForkFlags = command.optsWithGlobals();
		const { session } = await find(id, flags, io);
		const fork = await withGateway(flags, io, (client) =>
			client.request("fork_session", { session_id: session.id, ...defined({ at, title }) }),
		);
		if (flags.json) return printJson(fork, io);
		const named = { id: visibleLine(fork.session_id), at: fork.at, title: visibleLine(fork.title) };
		printRows([sessionsMessages.forked(named), sessionsMessages.continueFork(named)], io);
	});
}

function compactCommand(io: Io): Command {
	const command = new Command("compact").description(sessionsHelp.compact).argument("<id>", sessionsHelp.id);
	return command.action(async (id: string) => {
		const flags: SessionsFlags = command.optsWithGlobals();
		const { session } = await find(id, flags, io);
		const { compactSession } = await import("../../sessions/compact-session.ts");
		const end = await compactSession(await findGateway(flags, io), session.id);
		if (flags.json) return printJson(end, io);
		const { compactionListWords } = await import("../../wordings/list-words.ts");
		printRows([compactionListWords(end).words], io);
	});
}

function commandsCommand(io: Io): Command {
	const command = new Command("commands")
		.description(sessionsHelp.commands)
		.argument("<id>", sessionsHelp.id);
	return command.action(async (id: string) => {
		const flags: SessionsFlags = command.optsWithGlobals();
		const { session } = await find(id, flags, io);
		const { commands } = await withGateway(flags, io, (client) =>
			client.request("list_commands", { session_id: session.id }),
		);
		if (flags.json) return printJson(commands, io);
		if (commands.length === 0) return printRows([sessionsMessages.noCommands], io);
		const [{ systemClock }, { commandRows }] = await Promise.all([
			import("@parley/base"),
			import("../../tables/command-rows.ts"),
		]);
		printRows(commandRows(commands, systemClock.now(), outputFormat(io)), io);
	});
}

function stopCommandCommand(io: Io): Command {
	const command = new Command("stop-command")
		.description(sessionsHelp.stopCommand)
		.argument("<id>", sessionsHelp.id)
		.argument("<number>", sessionsHelp.commandNumber, readNumber);
	return command.action(async (id: string, number: number) => {
		const flags: SessionsFlags = command.optsWithGlobals();
		const { session } = await find(id, flags, io);
		const stopped = await withGateway(flags, io, (client) =>
			client.request("stop_command", { session_id: session.id, number }),
		);
		if (flags.json) return printJson(stopped.command, io);
		const { commandRow } = await import("../../tables/command-rows.ts");
		printRows([commandRow(stopped.command)], io);
	});
}

function readNumber(text: string): number {
	if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
	throw new InvalidArgumentError(sessionsMessages.invalidNumber);
}

function readPlace(text: string): number {
	const place = forkPlace(text);
	if (place !== undefined) return place;
	throw new InvalidArgumentError(sessionsMessages.invalidPlace);
}

function deleteCommand(io: Io): Command {
	const command = new Command("delete")
		.description(sessionsHelp.delete)
		.argument("<id...>", sessionsHelp.ids)
		.option("--force", sessionsHelp.force)
		.option("-y, --yes", sharedHelp.yes);
	return command.action(async (ids: string[]) => {
		const flags: DeleteFlags = command.optsWithGlobals();
		const { deleteSessions } = await import("../../sessions/delete-sessions.ts");
		io.exitCode = await deleteSessions(ids, flags, io);
	});
}

async function find(id: string, flags: AddressFlags, io: Io) {
	const { findSession } = await import("../../client/find-session.ts");
	const address = await findGateway(flags, io);
	return { address, session: await findSession(address, id) };
}

async function read(id: string, flags: AddressFlags, io: Io) {
	const { address, session } = await find(id, flags, io);
	const { readAllEvents } = await import("../../client/past-events.ts");
	return { session, events: await readAllEvents(address, session.id) };
}

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { createIds, defined, Redactor, systemClock } from "@parley/base";
import { directoryFileName, mcpNamePattern, programOf, readDirectoryFile } from "@parley/core";
import {
	type CommandChange,
	checkMcpFile,
	type McpFileContent,
	McpLoginFile,
	mcpFileIn,
	mcpLoginsIn,
	noteChange,
	readLoginStates,
	readMcpFile,
	writeMcpFile,
} from "@parley/gateway";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { tableRows } from "../text/columns.ts";
import { visibleLine } from "../text/visible.ts";
import { withoutQuery } from "../text/without-query.ts";
import { mcpSetupTexts } from "../texts/gateway/mcp.ts";
import type { AddFlags, McpFlags, RightFlags, TrustFlags } from "./mcp-flags.ts";
import { endLogin, unrevokedNote } from "./mcp-logout.ts";
import { readConfig } from "./run-gateway.ts";

/** A row of the list. */
interface ListedServer {
	readonly name: string;
	/** The file that has it. */
	readonly source: string;
	readonly command: string;
	readonly trust: "operator" | "trusted" | "untrusted" | "changed";
	/** State of the login to a remote server: `required` if it has ended. */
	readonly login?: "yes" | "required";
}

export async function listServers(flags: McpFlags, io: Io): Promise<void> {
	const servers = await serversOf(flags, io);
	if (flags.json) return printJson({ servers }, io);
	const rows = servers.map(({ name, source, command, trust, login = "" }) =>
		[name, trust, login, source, command].map(visibleLine),
	);
	const table = [mcpSetupTexts.columns, ...rows];
	printRows(
		rows.length === 0
			? [mcpSetupTexts.noServers]
			: tableRows({ rows: table, optional: [3], elastic: 4 }, outputFormat(io)),
		io,
	);
}

async function serversOf(flags: McpFlags, io: Io): Promise<readonly ListedServer[]> {
	const { data, mcp = [] } = await readConfig(defined({ data: flags.data }), io);
	const file = mcpFileIn(data);
	const { servers, trusted } = await readMcpFile(file);
	const line = (command: string, args: readonly string[] = []): string => [command, ...args].join(" ");
	const states = await readLoginStates(mcpLoginsIn(data));
	const loginOf = (name: string, url: string | undefined): { readonly login?: "yes" | "required" } => {
		const state = states.get(name);
		if (url === undefined || state?.url !== url) return {};
		return { login: state.hasEnded ? "required" : "yes" };
	};
	const configured = mcp.map(
		(server): ListedServer => ({
			name: server.name,
			source: "configuration",
			command: "url" in server ? server.url : line(server.command, server.args),
			trust: "operator",
			...loginOf(server.name, "url" in server ? server.url : undefined),
		}),
	);
	const added = Object.entries(servers).map(
		([name, { command, url = "", args }]): ListedServer => ({
			name,
			source: file,
			command: command === undefined ? url : line(command, args),
			trust: "operator",
			...loginOf(name, url),
		}),
	);
	const directory = await realpath(resolve(io.cwd, flags.dir ?? "."));
	const found = await readDirectoryFile(directory);
	const trust = trusted.find((one) => one.directory === directory);
	const local = (found?.entries ?? []).map(({ name, command, args }): ListedServer => {
		const isCurrent = trust?.file === found?.hash ? "trusted" : "changed";
		const state = trust?.servers[name] === undefined ? "untrusted" : isCurrent;
		return {
			name,
			source: resolve(directory, directoryFileName),
			command: line(command, args),
			trust: state,
		};
	});
	return [...configured, ...added, ...local];
}

export async function addServer(
	{
		name,
		program,
		args,
	}: { readonly name: string; readonly program: string; readonly args: readonly string[] },
	flags: AddFlags,
	io: Io,
): Promise<void> {
	if (!mcpNamePattern.test(name)) {
		throw new UsageError(mcpSetupTexts.invalidName({ name }));
	}
	const server = serverOf(program, args, flags, io);
	await change(flags, io, addedServer(name, server), (content) => ({
		...content,
		servers: { ...content.servers, [name]: server },
	}));
	const done = mcpSetupTexts.added({ name });
	if (flags.json) printJson({ added: name }, io);
	else printRows([done], io);
}

/** Note of an added server. Values of variables, arguments and a query may be secrets. */
function addedServer(name: string, server: McpFileContent["servers"][string]): CommandChange {
	const { env = {}, args = [], url, ...facts } = server;
	const address = url === undefined ? undefined : withoutQuery(url);
	const counted = { env: Object.keys(env), args: args.length, ...defined({ url: address }) };
	return { action: "mcp.add", object: name, facts: { ...facts, ...counted } };
}

/** Settings of a server. The gateway's schema checks them when they are read again. */
function serverOf(
	program: string,
	args: readonly string[],
	flags: AddFlags,
	io: Io,
): McpFileContent["servers"][string] {
	const timeoutSeconds = flags.timeout;
	const { tokenFrom, allowPrivate } = flags;
	const isRemote = /^https?:\/\//.test(program);
	const place = isRemote
		? { url: program }
		: { command: program.includes("/") ? resolve(io.cwd, program) : program };
	const env = flags.env && Object.fromEntries(flags.env.map(readVariable));
	const given = args.length > 0 ? [...args] : undefined;
	return {
		...place,
		...defined({ args: given, env, timeoutSeconds, tokenFrom, allowPrivate }),
		...rightsOf(flags, io),
	};
}

export async function removeServer(name: string, flags: McpFlags, io: Io): Promise<void> {
	let allowPrivate = false;
	await change(flags, io, { action: "mcp.remove", object: name, facts: {} }, (content) => {
		const { [name]: removed, ...servers } = content.servers;
		if (removed === undefined) {
			const known = Object.keys(content.servers).join(", ") || "none";
			throw new UsageError(mcpSetupTexts.noAddedServer({ name, known }));
		}
		allowPrivate = removed.allowPrivate === true;
		return { ...content, servers };
	});
	const data = await chosenDataDirectory(flags.data, io);
	const logins = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	const end = await endLogin(name, allowPrivate, { data, logins });
	if (flags.json) return printJson({ removed: name, ...defined({ revoked: end?.isRevoked }) }, io);
	const { removed, removedWithLogin } = mcpSetupTexts;
	printRows([end ? removedWithLogin({ name, note: unrevokedNote(end) }) : removed({ name })], io);
}

/** Trusts the present servers of a directory after the operator has confirmed them. Returns the exit code. */
export async function trustDirectory(given: string, flags: TrustFlags, io: Io): Promise<number> {
	const needsConfirmation = flags.yes !== true;
	if (needsConfirmation && !(io.stdin.isTTY && io.stderr.isTTY)) throw new UsageError(noConfirmation);
	const directory = await realpath(resolve(io.cwd, given));
	const file = await readDirectoryFile(directory);
	if (file === undefined) throw new UsageError(mcpSetupTexts.noFile({ file: directoryFileName, directory }));
	const unknown = flags.server?.find((name) => !file.entries.some((entry) => entry.name === name));
	if (unknown !== undefined)
		throw new UsageError(mcpSetupTexts.noServerInFile({ file: directoryFileName, server: unknown }));
	const chosen = file.entries.filter(({ name }) => flags.server?.includes(name) ?? true);
	if (chosen.length === 0)
		throw new UsageError(mcpSetupTexts.noUsableServer({ file: directoryFileName, directory }));
	const servers: McpFileContent["trusted"][number]["servers"] = {};
	const rows: string[] = [];
	for (const entry of chosen) {
		const found = await programOf(entry, directory, io.environment["PATH"]);
		servers[entry.name] = { ...found, ...rightsOf(flags, io) };
		rows.push(visibleLine(`${entry.name}: ${[found.program, ...entry.args].join(" ")}`));
		for (const [name, value] of Object.entries(entry.environment))
			rows.push(visibleLine(`  ${name}=${value}`));
	}
	const rights = rightRows(rightsOf(flags, io));
	rows.push(...rights, ...file.refused.map((reason) => visibleLine(mcpSetupTexts.notUsed({ reason }))));
	if (rights.length > 0) io.stderr.write(`${mcpSetupTexts.scriptWarning}\n`);
	if (needsConfirmation && !(await agrees(rows, directory, io))) {
		io.stderr.write(`${mcpSetupTexts.noneTrusted}\n`);
		return 1;
	}
	/** With `--server`, the trust in other servers of the same file stays. */
	const trustedBefore = ({ trusted }: McpFileContent) =>
		flags.server && trusted.find((one) => one.directory === directory && one.file === file.hash)?.servers;
	const facts = { file: file.hash, servers, rights: rightsOf(flags, io) };
	await change(flags, io, { action: "mcp.trust", object: directory, facts }, (content) => ({
		...content,
		trusted: [
			...content.trusted.filter((one) => one.directory !== directory),
			{ directory, file: file.hash, servers: { ...trustedBefore(content), ...servers } },
		],
	}));
	if (flags.json) printJson({ directory, trusted: Object.keys(servers), refused: file.refused }, io);
	else
		printRows(
			[mcpSetupTexts.trusted({ servers: Object.keys(servers).join(", ") }), ...file.refused.map(visibleLine)],
			io,
		);
	return 0;
}

export async function untrustDirectory(given: string, flags: McpFlags, io: Io): Promise<void> {
	const directory = await realpath(resolve(io.cwd, given)).catch(() => resolve(io.cwd, given));
	let ended: readonly string[] = [];
	await change(flags, io, { action: "mcp.untrust", object: directory, facts: {} }, (content) => {
		ended = content.trusted
			.filter((one) => one.directory === directory)
			.flatMap(({ servers }) => Object.keys(servers));
		return { ...content, trusted: content.trusted.filter((one) => one.directory !== directory) };
	});
	if (flags.json) return printJson({ directory, untrusted: ended }, io);
	printRows(
		[
			ended.length === 0
				? mcpSetupTexts.noneTrustedThere
				: mcpSetupTexts.noLongerTrusted({ servers: ended.join(", ") }),
		],
		io,
	);
}

/** Changes the file, with a note for the audit of the gateway. */
async function change(
	flags: McpFlags,
	io: Io,
	note: CommandChange,
	edit: (content: McpFileContent) => McpFileContent,
): Promise<void> {
	const data = await chosenDataDirectory(flags.data, io);
	const path = mcpFileIn(data);
	const content = checkMcpFile(edit(await readMcpFile(path)), "mcp.json");
	await noteChange(data, note, { clock: systemClock, ids: createIds() });
	await writeMcpFile(path, content);
}

function rightsOf({ envFrom, read, write, host }: RightFlags, io: Io) {
	const paths = (given: readonly string[] | undefined): string[] | undefined =>
		given?.map((path) => resolve(io.cwd, path));
	const copies = { envFrom: envFrom && [...envFrom], hosts: host && [...host] };
	return defined({ ...copies, read: paths(read), write: paths(write) });
}

/** Rights of all chosen servers, in words. */
function rightRows({
	envFrom = [],
	read = [],
	write = [],
	hosts = [],
}: ReturnType<typeof rightsOf>): string[] {
	return [
		...envFrom.map((name) => mcpSetupTexts.getVariable({ name })),
		...read.map((path) => mcpSetupTexts.canRead({ path })),
		...write.map((path) => mcpSetupTexts.canChange({ path })),
		...hosts.map((host) => mcpSetupTexts.canReach({ host })),
	].map(visibleLine);
}

function readVariable(text: string): [string, string] {
	const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
	if (name === undefined || value === undefined)
		throw new UsageError(mcpSetupTexts.invalidVariable({ text }));
	return [name, value];
}

async function agrees(rows: readonly string[], directory: string, io: Io): Promise<boolean> {
	io.stderr.write(rows.map((row) => `${row}\n`).join(""));
	const lines = createInterface({ input: io.stdin, output: io.stderr });
	try {
		const answer = await lines.question(
			`${mcpSetupTexts.confirmTrust({ directory: visibleLine(directory) })} `,
		);
		return /^y(?:es)?$/i.test(answer.trim());
	} finally {
		lines.close();
	}
}

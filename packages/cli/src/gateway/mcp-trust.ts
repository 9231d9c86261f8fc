import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, definedItems, ParleyError, Redactor, systemClock } from "@parley/base";
import {
	type DirectoryEntry,
	type DirectoryFile,
	directoryFileName,
	loginKey,
	type ProgramEntry,
	programOf,
	type RemoteEntry,
	readDirectoryFile,
	trustNeed,
	variablesOf,
} from "@parley/core";
import { type McpFileContent, McpLoginFile, mcpLoginsIn, readLoginStates } from "@parley/gateway";
import { confirms } from "../command-line/confirms.ts";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
import { withoutQuery } from "../text/without-query.ts";
import { mcpLoginTexts, mcpSetupTexts } from "../texts/gateway/mcp.ts";
import { type McpFlags, type TrustFlags, workingDirectory } from "./mcp-flags.ts";
import { endLogin, unrevokedNote } from "./mcp-logout.ts";
import { changeMcpFile, rightsOf } from "./mcp-setup.ts";

type Trust = McpFileContent["trusted"][number]["servers"][string];
type Rights = ReturnType<typeof rightsOf>;

/**
 * Trusts the usable servers in the `.mcp.json` of a directory, or only the servers of `--server`. Without `--yes`, asks
 * the operator for confirmation. Returns the exit code.
 */
export async function trustDirectory(given: string, flags: TrustFlags, io: Io): Promise<number> {
	const needsConfirmation = flags.yes !== true;
	if (needsConfirmation && !(io.stdin.isTTY && io.stderr.isTTY)) throw new UsageError(noConfirmation);
	const directory = await workingDirectory(given, io);
	const file = await readDirectoryFile(directory);
	if (file === undefined) throw new UsageError(mcpSetupTexts.noFile({ file: directoryFileName, directory }));
	const rights = rightsOf(flags, io);
	const { chosen, refused } = chooseEntries(file, directory, flags);
	checkRights(chosen, rights, flags);
	const prepared = await prepareAll({ chosen, refused }, rights, { directory, flags, io });
	const servers = new Map(prepared.map(({ name, trust }) => [name, trust]));
	const rows = prepared.flatMap((one) => one.rows.map(visibleLine));
	const granted = [...servers.values()].some((trust) => "program" in trust) ? rightRows(rights) : [];
	rows.push(...granted, ...refused.map((reason) => visibleLine(mcpSetupTexts.notUsed({ reason }))));
	if (granted.length > 0) io.stderr.write(`${mcpSetupTexts.scriptWarning}\n`);
	if (needsConfirmation && !(await agrees(rows, directory, io))) {
		io.stderr.write(`${mcpSetupTexts.noneTrusted}\n`);
		return 1;
	}
	await storeTrust({ directory, file: file.hash, servers: Object.fromEntries(servers) }, flags, io);
	const names = [...servers.keys()];
	if (flags.json) printJson({ directory, trusted: names, refused }, io);
	else printRows([mcpSetupTexts.trusted({ servers: names.join(", ") }), ...refused.map(visibleLine)], io);
	return 0;
}

/**
 * Prepares the trust in each chosen entry. For an unusable entry, adds the reason to `refused`, or rejects if
 * `--server` is set. Also rejects if no entry is left.
 */
async function prepareAll(
	{ chosen, refused }: Chosen,
	rights: Rights,
	{ directory, flags, io }: { readonly directory: string; readonly flags: TrustFlags; readonly io: Io },
): Promise<readonly PreparedTrust[]> {
	const prepared: PreparedTrust[] = [];
	for (const entry of chosen) {
		const one =
			"url" in entry
				? prepareRemote(entry, rights, flags.allowPrivate)
				: await prepareProgram(entry, { directory, rights, io });
		if (typeof one !== "string") prepared.push(one);
		else if (flags.server === undefined) refused.push(one);
		else throw new UsageError(one);
	}
	if (prepared.length === 0) throw noneUsable(directory, refused);
	return prepared;
}

interface Chosen {
	readonly chosen: readonly DirectoryEntry[];
	/** Reasons why entries cannot be used. */
	readonly refused: string[];
}

/**
 * Returns the usable entries that the flags choose, and the reasons why other entries cannot be used. Throws a
 * `UsageError` if an entry from `--server` is missing or unusable, or if no entry is usable.
 */
function chooseEntries(
	file: DirectoryFile,
	directory: string,
	{ server, envFrom, allowPrivate }: TrustFlags,
): Chosen {
	const unknown = server?.find((name) => !file.entries.some((entry) => entry.name === name));
	if (unknown !== undefined) {
		const reason = file.refused.get(unknown);
		if (reason !== undefined) throw new UsageError(visibleLine(reason));
		const known = file.entries.map(({ name }) => name).join(", ") || "none";
		throw new UsageError(mcpSetupTexts.noServerInFile({ file: directoryFileName, server: unknown, known }));
	}
	const refused = [...file.refused.values()];
	const grants = { allowPrivate: allowPrivate === true, variables: envFrom ?? [] };
	const chosen = file.entries.filter((entry) => {
		if (server !== undefined && !server.includes(entry.name)) return false;
		const need = trustNeed(entry, grants);
		if (need === undefined) return true;
		const reason = mcpSetupTexts.serverNeed({ server: entry.name, need });
		if (server !== undefined) throw new UsageError(reason);
		refused.push(reason);
		return false;
	});
	if (chosen.length > 0) return { chosen, refused };
	throw noneUsable(directory, refused);
}

function noneUsable(directory: string, refused: readonly string[]): UsageError {
	const isEmpty = refused.length === 0;
	const none = mcpSetupTexts.noUsableServer({ file: directoryFileName, directory, isEmpty });
	return new UsageError([none, ...refused.map(visibleLine)].join("\n"));
}

/** Throws a `UsageError` for a permission that no chosen entry can have. */
function checkRights(
	chosen: readonly DirectoryEntry[],
	{ envFrom = [], read, write, hosts }: Rights,
	{ allowPrivate }: TrustFlags,
): void {
	const hasRemote = chosen.some((entry) => "url" in entry);
	if (allowPrivate === true && !hasRemote) throw new UsageError(mcpSetupTexts.noRemoteEntry);
	if (chosen.some((entry) => "command" in entry)) return;
	if (read ?? write ?? hosts) throw new UsageError(mcpSetupTexts.noProgramEntry);
	const needed = new Set(chosen.flatMap(variablesOf));
	const name = envFrom.find((one) => !needed.has(one));
	if (name !== undefined) throw new UsageError(mcpSetupTexts.noSuchHeader({ name }));
}

interface PreparedTrust {
	readonly name: string;
	readonly trust: Trust;
	/** The complete content of the entry and its own permissions, described in words. */
	readonly rows: readonly string[];
}

/** Resolves with the trust in a program, or with the reason as a text if the program cannot be used. */
async function prepareProgram(
	entry: ProgramEntry,
	{ directory, rights, io }: { readonly directory: string; readonly rights: Rights; readonly io: Io },
): Promise<PreparedTrust | string> {
	const found = await programOf(entry, directory, io.environment["PATH"]).catch((reason: unknown) =>
		ParleyError.from(reason),
	);
	if (found instanceof ParleyError) {
		return mcpSetupTexts.serverNeed({ server: entry.name, need: visibleLine(found.message) });
	}
	const variables = Object.entries(entry.environment).map(([name, value]) => `  ${name}=${value}`);
	const head = `${entry.name}: ${[found.program, ...entry.args].join(" ")}`;
	return {
		name: entry.name,
		trust: { ...found, ...rights },
		rows: [head, ...variables, ...unusedRows(entry)],
	};
}

function prepareRemote(entry: RemoteEntry, { envFrom = [] }: Rights, isPrivate = false): PreparedTrust {
	const needed = variablesOf(entry);
	const variables = envFrom.filter((name) => needed.includes(name));
	// A remote server receives only granted variables that its headers name.
	const granted = variables.length > 0 ? variables : undefined;
	const trust = { url: entry.url, ...defined({ envFrom: granted, allowPrivate: isPrivate || undefined }) };
	const rows = [
		...definedItems([
			mcpSetupTexts.onlyOrigin({ origin: new URL(entry.url).origin }),
			isPrivate ? mcpSetupTexts.privateAddress : undefined,
		]),
		...Object.entries(entry.headers).map(([name, value]) => mcpSetupTexts.header({ name, value })),
		...variables.map((name) => mcpSetupTexts.getsVariable({ name })),
	];
	const head = `${entry.name}: ${entry.url}`;
	return { name: entry.name, trust, rows: [head, ...rows.map((row) => `  ${row}`), ...unusedRows(entry)] };
}

function unusedRows({ unused }: DirectoryEntry): string[] {
	return unused.length === 0 ? [] : [`  ${mcpSetupTexts.unusedFields({ fields: unused.join(", ") })}`];
}

/** Returns the permissions of all chosen programs, described in words. */
function rightRows({ envFrom = [], read = [], write = [], hosts = [] }: Rights): string[] {
	return [
		...envFrom.map((name) => mcpSetupTexts.getVariable({ name })),
		...read.map((path) => mcpSetupTexts.canRead({ path })),
		...write.map((path) => mcpSetupTexts.canChange({ path })),
		...hosts.map((host) => mcpSetupTexts.canReach({ host })),
	].map(visibleLine);
}

/**
 * Stores the trust in the servers. With `--server`, the trust in the directory's other servers stays if `.mcp.json`
 * has not changed.
 */
async function storeTrust(
	{ directory, file, servers }: McpFileContent["trusted"][number],
	flags: TrustFlags,
	io: Io,
): Promise<void> {
	const trustedBefore = ({ trusted }: McpFileContent) =>
		flags.server && trusted.find((one) => one.directory === directory && one.file === file)?.servers;
	const noted = Object.entries(servers).map(([name, trust]) => {
		return [name, "url" in trust ? { ...trust, url: withoutQuery(trust.url) } : trust] as const;
	});
	const facts = { file, servers: Object.fromEntries(noted), rights: rightsOf(flags, io) };
	await changeMcpFile(flags, io, { action: "mcp.trust", object: directory, facts }, (content) => ({
		...content,
		trusted: [
			...content.trusted.filter((one) => one.directory !== directory),
			{ directory, file, servers: { ...trustedBefore(content), ...servers } },
		],
	}));
}

/**
 * Ends the trust in all servers of a directory. Also ends all logins to servers of the directory, even to servers that
 * were no longer trusted.
 */
export async function untrustDirectory(given: string, flags: McpFlags, io: Io): Promise<void> {
	const directory = await realpath(resolve(io.cwd, given)).catch(() => resolve(io.cwd, given));
	let ended: readonly (readonly [string, Trust])[] = [];
	await changeMcpFile(flags, io, { action: "mcp.untrust", object: directory, facts: {} }, (content) => {
		ended = content.trusted
			.filter((one) => one.directory === directory)
			.flatMap(({ servers }) => Object.entries(servers));
		return { ...content, trusted: content.trusted.filter((one) => one.directory !== directory) };
	});
	const data = await chosenDataDirectory(flags.data, io);
	const logouts = await endLoginsOf(directory, new Map(ended), data);
	const untrusted = ended.map(([name]) => name);
	if (flags.json) {
		return printJson({ directory, untrusted, loggedOut: logouts.map(({ server }) => server) }, io);
	}
	const row =
		ended.length === 0
			? mcpSetupTexts.noneTrustedOf({ directory })
			: mcpSetupTexts.noLongerTrusted({ servers: untrusted.join(", ") });
	printRows([row, ...logouts.map((one) => mcpLoginTexts.loggedOut(one))], io);
}

interface Logout {
	readonly server: string;
	readonly note: string;
}

/** Ends all logins to servers of the directory, including servers that are no longer trusted. */
async function endLoginsOf(
	directory: string,
	trusts: ReadonlyMap<string, Trust>,
	data: string,
): Promise<readonly Logout[]> {
	const states = await readLoginStates(mcpLoginsIn(data));
	const logins = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	const logouts: Logout[] = [];
	for (const key of states.keys()) {
		const [name = ""] = key.split(" ");
		if (key !== loginKey({ name, directory })) continue;
		const trust = trusts.get(name);
		const isPrivate = trust !== undefined && "url" in trust && trust.allowPrivate === true;
		const end = await endLogin({ name, directory }, isPrivate, { data, logins });
		if (end) logouts.push({ server: name, note: unrevokedNote(end) });
	}
	return logouts;
}

async function agrees(rows: readonly string[], directory: string, io: Io): Promise<boolean> {
	io.stderr.write(rows.map((row) => `${row}\n`).join(""));
	return confirms(`${mcpSetupTexts.confirmTrust({ directory: visibleLine(directory) })} `, io);
}

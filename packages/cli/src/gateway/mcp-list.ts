import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { directoryFileName, loginKey, readDirectoryFile } from "@parley/core";
import {
	agentMcpFileIn,
	type McpFileContent,
	mcpFileIn,
	mcpLoginsIn,
	readLoginStates,
	readMcpFile,
} from "@parley/gateway";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { tableRows } from "../text/columns.ts";
import { visibleLine } from "../text/visible.ts";
import { mcpSetupTexts } from "../texts/gateway/mcp.ts";
import { type McpFlags, usualAgent, workingDirectory } from "./mcp-flags.ts";
import { readConfig } from "./run-gateway.ts";

interface ListedServer {
	readonly name: string;
	/** The file that defines the server, or "configuration". */
	readonly source: string;
	/** The program with its arguments, or the complete address of a remote server. */
	readonly command: string;
	readonly trust: "operator" | "trusted" | "untrusted" | "changed";
	/**
	 * State of the login to a remote server. `required` means that the login has ended. Undefined without a stored login.
	 */
	readonly login?: "yes" | "required";
}

export async function listServers(flags: McpFlags, io: Io): Promise<void> {
	const { servers, refused } = await serversOf(flags, io);
	if (flags.json) return printJson({ servers, refused }, io);
	const rows = servers.map(({ name, source, command, trust, login = "" }) =>
		[name, trust, login, source, command].map(visibleLine),
	);
	const table = [mcpSetupTexts.columns, ...rows];
	const notes = refused.map((reason) => visibleLine(mcpSetupTexts.notUsed({ reason })));
	const list =
		rows.length === 0
			? [mcpSetupTexts.noServers]
			: tableRows({ rows: table, optional: [3], elastic: 4 }, outputFormat(io));
	printRows([...list, ...notes], io);
}

interface Found {
	readonly servers: readonly ListedServer[];
	/** Reasons why entries cannot be used. */
	readonly refused: readonly string[];
}

async function serversOf(flags: McpFlags, io: Io): Promise<Found> {
	const { data, mcp = [] } = await readConfig(defined({ data: flags.data }), io);
	const file = mcpFileIn(data);
	const { servers, trusted } = await readMcpFile(file);
	const loginOf = await loginsIn(data);
	const configured = mcp.map(
		(server): ListedServer => ({
			name: server.name,
			source: "configuration",
			command: "url" in server ? server.url : line(server.command, server.args),
			trust: "operator",
			...loginOf(server.name, "url" in server ? server.url : undefined),
		}),
	);
	const added = Object.entries(servers).map((one) => ofFile(one, file, loginOf));
	const own = [...configured, ...added];
	const ofAgent = await serversOfAgent(agentMcpFileIn(data, chosenAgent(data, flags)), own, loginOf);
	const directory = await workingDirectory(flags.dir ?? ".", io);
	const local = await entriesOf(directory, trusted, loginOf);
	return {
		servers: [...own, ...ofAgent.servers, ...local.servers],
		refused: [...ofAgent.refused, ...local.refused],
	};
}

/**
 * Returns the agent of `--agent`, or the default agent. Throws a `UsageError` if a named agent has no
 * directory.
 */
export function chosenAgent(data: string, { agent = usualAgent }: McpFlags): string {
	if (agent === usualAgent || existsSync(dirname(agentMcpFileIn(data, agent)))) return agent;
	throw new UsageError(
		mcpSetupTexts.noAgent({ agent, directory: dirname(dirname(agentMcpFileIn(data, agent))) }),
	);
}

/** Resolves with the servers of an agent. Refuses a server with the name of a server in `others`. */
async function serversOfAgent(
	source: string,
	others: readonly ListedServer[],
	loginOf: LoginOf,
): Promise<Found> {
	const names = new Set(others.map(({ name }) => name));
	const all = Object.entries((await readMcpFile(source)).servers);
	const used = all.filter(([name]) => !names.has(name));
	const hidden = all.filter(([name]) => names.has(name));
	return {
		servers: used.map((one) => ofFile(one, source, loginOf)),
		refused: hidden.map(([server]) => mcpSetupTexts.hiddenServer({ server })),
	};
}

function ofFile(
	[name, { command, url = "", args }]: readonly [string, McpFileContent["servers"][string]],
	source: string,
	loginOf: LoginOf,
): ListedServer {
	const place = command === undefined ? url : line(command, args);
	return { name, source, command: place, trust: "operator", ...loginOf(name, url) };
}

/** Resolves with the entries of the directory's file. For an unreadable file, resolves with only the reason. */
async function entriesOf(
	directory: string,
	trusted: McpFileContent["trusted"],
	loginOf: LoginOf,
): Promise<Found> {
	const found = await readDirectoryFile(directory).catch((reason: unknown) => ParleyError.from(reason));
	if (found === undefined) return { servers: [], refused: [] };
	if (found instanceof ParleyError) return { servers: [], refused: [found.message] };
	const trust = trusted.find((one) => one.directory === directory);
	const servers = found.entries.map((entry): ListedServer => {
		const { name } = entry;
		// An untrusted file may use a name that every object has as a property.
		const given = trust && Object.hasOwn(trust.servers, name) ? trust.servers[name] : undefined;
		const isSame = trust?.file === found.hash && (!("url" in entry) || isFor(entry.url, given));
		const state = given === undefined ? "untrusted" : isSame ? "trusted" : "changed";
		const url = "url" in entry ? entry.url : undefined;
		return {
			name,
			source: resolve(directory, directoryFileName),
			command: "url" in entry ? entry.url : line(entry.command, entry.args),
			trust: state,
			...loginOf(loginKey({ name, directory }), url),
		};
	});
	return { servers, refused: [...found.refused.values()] };
}

function isFor(
	url: string,
	given: McpFileContent["trusted"][number]["servers"][string] | undefined,
): boolean {
	return given !== undefined && "url" in given && given.url === url;
}

type LoginOf = (key: string, url: string | undefined) => { readonly login?: "yes" | "required" };

async function loginsIn(data: string): Promise<LoginOf> {
	const states = await readLoginStates(mcpLoginsIn(data));
	return (key, url) => {
		const state = states.get(key);
		if (url === undefined || state?.url !== url) return {};
		return { login: state.hasEnded ? "required" : "yes" };
	};
}

function line(command: string, args: readonly string[] = []): string {
	return [command, ...args].join(" ");
}

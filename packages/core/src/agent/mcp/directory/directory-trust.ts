import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, ParleyError } from "@parley/base";
import { isWithin } from "../../../filesystem/paths.ts";
import { DEFAULT_PATH, findProgram } from "../../../sandbox/commands/environment.ts";
import { sha256 } from "../../../text/sha256.ts";
import { visible } from "../../../text/visible.ts";
import type {
	McpProgramSettings,
	McpRemoteSettings,
	McpServerSettings,
	TrustedMcpProgram,
	TrustedMcpRemote,
	TrustedMcpServer,
} from "../../../vocabulary/mcp/server.ts";
import { mcpLoginTexts } from "../login/texts.ts";
import { fillHeaders } from "./directory-address.ts";
import { type DirectoryEntry, type ProgramEntry, type RemoteEntry, trustNeed } from "./directory-entry.ts";
import { type DirectoryFile, directoryFileName, readDirectoryFile, readSmallFile } from "./directory-file.ts";
import { directoryTrustTexts } from "./texts.ts";

const maxProgramBytes = 64 * 1024 * 1024;
const directoryTimeoutMs = 120_000;

/**
 * Returns the program of an entry, with the hash of the program if the program is inside the directory. Throws
 * `not_found` if the program does not exist.
 */
export async function programOf(
	{ command }: ProgramEntry,
	directory: string,
	path = DEFAULT_PATH,
): Promise<{ readonly program: string; readonly programHash?: string }> {
	const named = command.includes("/") ? resolve(directory, command) : command;
	const program = await realpath(await findProgram(named, path));
	const isOwn = isWithin(program, directory);
	const hash = isOwn ? sha256(await readSmallFile(program, maxProgramBytes)) : undefined;
	return { program, ...defined({ programHash: hash }) };
}

/**
 * Returns the servers of a directory that the operator trusted. Omits a server if its file, program or address has
 * changed since then. `problems`: reasons, for people, why trusted servers are omitted. A program outside the directory
 * is compared only by its path. The settings and the hash of the file come from the same bytes.
 */
export async function trustedServers(
	directory: string,
	trusted: readonly TrustedMcpServer[],
	path: string | undefined,
): Promise<{ readonly servers: readonly McpServerSettings[]; readonly problems: readonly string[] }> {
	const own = trusted.filter((one) => one.directory === directory);
	if (own.length === 0) return { servers: [], problems: [] };
	const file = await readDirectoryFile(directory).catch((reason: unknown) => ParleyError.from(reason));
	if (file instanceof ParleyError) return { servers: [], problems: [file.message] };
	if (file === undefined) {
		return {
			servers: [],
			problems: own.map(({ name }) => directoryTrustTexts.noFile(name, directoryFileName)),
		};
	}
	const servers: McpServerSettings[] = [];
	const problems: string[] = [];
	for (const trust of own) {
		if (trust.problem !== undefined) {
			problems.push(`${trust.name}: ${trust.problem}`);
			continue;
		}
		const found = await settingsOf(trust, file, path);
		if (typeof found === "string")
			problems.push(directoryTrustTexts.trustAgain(trust.name, found, directory));
		else servers.push(found);
	}
	return { servers, problems };
}

/** Returns the settings of the trusted server, or a text with the reason why the server is not used. */
async function settingsOf(
	trust: TrustedMcpServer,
	{ hash, entries }: DirectoryFile,
	path: string | undefined,
): Promise<McpServerSettings | string> {
	const entry = entries.find(({ name }) => name === trust.name);
	if (hash !== trust.file) return changedFile(trust, entry);
	if (entry === undefined) return directoryTrustTexts.noEntry(directoryFileName);
	if ("url" in entry && "url" in trust) return remoteSettings(entry, trust);
	if ("command" in entry && "program" in trust) {
		return (await changedProgram(entry, trust, path)) ?? programSettings(entry, trust);
	}
	return directoryTrustTexts.otherKind;
}

function changedFile(trust: TrustedMcpServer, entry: DirectoryEntry | undefined): string {
	const isMoved = "url" in trust && entry !== undefined && "url" in entry && entry.url !== trust.url;
	return isMoved
		? directoryTrustTexts.changedFileAndAddress(directoryFileName, entry.url)
		: directoryTrustTexts.changedFile(directoryFileName);
}

async function changedProgram(
	entry: ProgramEntry,
	trust: TrustedMcpProgram,
	path: string | undefined,
): Promise<string | undefined> {
	const found = await programOf(entry, trust.directory, path).catch((reason: unknown) =>
		ParleyError.from(reason),
	);
	if (found instanceof ParleyError) return directoryTrustTexts.badProgram(visible(found.message));
	if (found.program !== trust.program) return directoryTrustTexts.otherProgram;
	return found.programHash === trust.programHash ? undefined : directoryTrustTexts.changedProgram;
}

function programSettings(entry: ProgramEntry, trust: TrustedMcpProgram): McpProgramSettings {
	const { directory, program, environment, secrets, read, write, hosts } = trust;
	return {
		name: entry.name,
		command: program,
		args: entry.args,
		environment: { ...entry.environment, ...environment },
		secrets,
		read: [directory, ...read],
		write,
		hosts,
		timeoutMs: directoryTimeoutMs,
		directory,
	};
}

function remoteSettings(entry: RemoteEntry, trust: TrustedMcpRemote): McpRemoteSettings | string {
	if (entry.url !== trust.url) return directoryTrustTexts.changedAddress(entry.url);
	const { name, directory, url, allowPrivate, environment, secrets, login } = trust;
	const need = trustNeed(entry, { allowPrivate, variables: Object.keys(environment) });
	if (need !== undefined) return need;
	const filled = filledHeaders(entry, environment);
	if (typeof filled === "string") return filled;
	const settings = { name, url, headers: filled, allowPrivate, secrets, timeoutMs: directoryTimeoutMs };
	// An `authorization` header of the entry replaces the login.
	if (login === undefined || filled["authorization"] !== undefined) return { ...settings, directory };
	const problem = login.hasEnded ? mcpLoginTexts.required({ name, directory }) : undefined;
	return { ...settings, directory, login, ...defined({ problem }) };
}

function filledHeaders(
	{ headers }: RemoteEntry,
	granted: TrustedMcpRemote["environment"],
): Record<string, string> | string {
	try {
		return fillHeaders(headers, granted);
	} catch (reason) {
		return ParleyError.from(reason).message;
	}
}

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defined, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { ifThere } from "../../filesystem/file-error.ts";
import { isWithin } from "../../filesystem/paths.ts";
import { DEFAULT_PATH, findProgram, isSteering } from "../../sandbox/commands/environment.ts";
import { visible } from "../../text/visible.ts";
import {
	type McpServerSettings,
	mcpNamePattern,
	type TrustedMcpServer,
} from "../../vocabulary/mcp/server.ts";
import { directoryServerTexts } from "./texts.ts";

/** Name of the file. Other agents also read this file. */
export const directoryFileName = ".mcp.json";
const maxFileBytes = 256 * 1024;
const maxProgramBytes = 64 * 1024 * 1024;
const directoryTimeoutMs = 120_000;

const File = z.object({
	mcpServers: z.record(
		z.string(),
		z.object({
			command: z.string().min(1).optional(),
			args: z.array(z.string()).default([]),
			env: z.record(z.string(), z.string()).default({}),
		}),
	),
});

/** An entry that starts a program. */
export interface DirectoryEntry {
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	/** Values as the file has them. The gateway's variables are not substituted. */
	readonly environment: Readonly<Record<string, string>>;
}

export interface DirectoryFile {
	/** SHA-256. */
	readonly hash: string;
	readonly entries: readonly DirectoryEntry[];
	/** Unusable entries with the reason. */
	readonly refused: readonly string[];
}

/**
 * Reads the `.mcp.json` of a directory. Returns undefined if the file does not exist. Throws `invalid_argument` if it
 * is unusable.
 */
export async function readDirectoryFile(directory: string): Promise<DirectoryFile | undefined> {
	const bytes = await ifThere(readSmallFile(join(directory, directoryFileName), maxFileBytes));
	if (bytes === undefined) return undefined;
	const { success, data, error } = File.safeParse(parseJson(bytes.toString("utf8"), { uniqueKeys: true }));
	if (!success) {
		const message = directoryServerTexts.invalidFile(directoryFileName, z.prettifyError(error));
		throw new ParleyError(message, { code: "invalid_argument", cause: error });
	}
	const entries: DirectoryEntry[] = [];
	const refused: string[] = [];
	for (const [name, { command, args, env }] of Object.entries(data.mcpServers)) {
		const steering = Object.keys(env).find(isSteering);
		if (!mcpNamePattern.test(name)) refused.push(directoryServerTexts.name(visible(name)));
		else if (command === undefined) refused.push(directoryServerTexts.noCommand(name));
		else if (steering !== undefined) refused.push(directoryServerTexts.steering(name, visible(steering)));
		else entries.push({ name, command, args, environment: env });
	}
	return { hash: sha256(bytes), entries, refused };
}

/** Returns the program of an entry. Throws `not_found` if it does not exist. */
export async function programOf(
	{ command }: DirectoryEntry,
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
 * Returns the servers of a directory whose file and programs have not changed since the operator trusted them. Other
 * servers are reported as problems, in words for people.
 */
export async function trustedServers(
	directory: string,
	trusted: readonly TrustedMcpServer[],
	path: string | undefined,
): Promise<{ readonly servers: readonly McpServerSettings[]; readonly problems: readonly string[] }> {
	const own = trusted.filter((one) => one.directory === directory);
	if (own.length === 0) return nothing;
	const file = await readDirectoryFile(directory).catch((reason: unknown) => ParleyError.from(reason));
	if (file instanceof ParleyError) return { servers: [], problems: [file.message] };
	if (file === undefined) return nothing;
	const servers: McpServerSettings[] = [];
	const problems: string[] = [];
	for (const trust of own) {
		if (trust.problem !== undefined) {
			problems.push(`${trust.name}: ${trust.problem}`);
			continue;
		}
		const entry = file.entries.find(({ name }) => name === trust.name);
		const problem = await changeOf(trust, { file, entry, path });
		if (problem === undefined && entry) servers.push(settingsOf(entry, trust));
		else problems.push(directoryServerTexts.trustAgain(trust.name, String(problem), directory));
	}
	return { servers, problems };
}

const nothing = { servers: [], problems: [] } as const;

/** Describes the difference from the trusted state in words for people. */
async function changeOf(
	trust: TrustedMcpServer,
	now: {
		readonly file: DirectoryFile;
		readonly entry: DirectoryEntry | undefined;
		readonly path: string | undefined;
	},
): Promise<string | undefined> {
	if (now.file.hash !== trust.file) return directoryServerTexts.changedFile(directoryFileName);
	if (now.entry === undefined) return directoryServerTexts.noEntry(directoryFileName);
	const found = await programOf(now.entry, trust.directory, now.path).catch((reason: unknown) =>
		ParleyError.from(reason),
	);
	if (found instanceof ParleyError) return directoryServerTexts.badProgram(visible(found.message));
	if (found.program !== trust.program) return directoryServerTexts.otherProgram;
	return found.programHash === trust.programHash ? undefined : directoryServerTexts.changedProgram;
}

function settingsOf(entry: DirectoryEntry, trust: TrustedMcpServer): McpServerSettings {
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

/** Follows no link at the end of the path, and opens no device. */
async function readSmallFile(path: string, max: number): Promise<Buffer> {
	await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	const facts = await file.stat();
	if (!facts.isFile() || facts.size > max) {
		throw new ParleyError(directoryServerTexts.notSmallFile(path, max), { code: "invalid_argument" });
	}
	return file.readFile();
}

function sha256(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

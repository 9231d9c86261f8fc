import { resolve } from "node:path";
import { createIds, defined, Redactor, systemClock } from "@parley/base";
import { mcpNamePattern } from "@parley/core";
import {
	type CommandChange,
	checkMcpFile,
	type McpFileContent,
	McpLoginFile,
	mcpFileIn,
	noteChange,
	readMcpFile,
	writeMcpFile,
} from "@parley/gateway";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { UsageError } from "../command-line/usage.ts";
import { withoutQuery } from "../text/without-query.ts";
import { mcpSetupTexts } from "../texts/gateway/mcp.ts";
import type { AddFlags, McpFlags, RightFlags } from "./mcp-flags.ts";
import { endLogin, unrevokedNote } from "./mcp-logout.ts";

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
	await changeMcpFile(flags, io, addedServer(name, server), (content) => ({
		...content,
		servers: { ...content.servers, [name]: server },
	}));
	const done = mcpSetupTexts.added({ name });
	if (flags.json) printJson({ added: name }, io);
	else printRows([done], io);
}

/**
 * Returns the change for the audit log. Omits the values of variables, arguments and queries, which may be
 * secrets.
 */
function addedServer(name: string, server: McpFileContent["servers"][string]): CommandChange {
	const { env = {}, args = [], url, ...facts } = server;
	const address = url === undefined ? undefined : withoutQuery(url);
	const counted = { env: Object.keys(env), args: args.length, ...defined({ url: address }) };
	return { action: "mcp.add", object: name, facts: { ...facts, ...counted } };
}

/** Returns the settings of a server, which `changeMcpFile` validates. */
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
	await changeMcpFile(flags, io, { action: "mcp.remove", object: name, facts: {} }, (content) => {
		const { [name]: removed, ...servers } = content.servers;
		// The name of an inherited property, such as `constructor`, is also a valid server name.
		if (removed === undefined || !Object.hasOwn(content.servers, name)) {
			const known = Object.keys(content.servers).join(", ") || "none";
			throw new UsageError(mcpSetupTexts.noAddedServer({ name, known }));
		}
		allowPrivate = removed.allowPrivate === true;
		return { ...content, servers };
	});
	const data = await chosenDataDirectory(flags.data, io);
	const logins = new McpLoginFile({ data, clock: systemClock, redactor: new Redactor() });
	const end = await endLogin({ name }, allowPrivate, { data, logins });
	if (flags.json) return printJson({ removed: name, ...defined({ revoked: end?.isRevoked }) }, io);
	const { removed, removedWithLogin } = mcpSetupTexts;
	printRows([end ? removedWithLogin({ name, note: unrevokedNote(end) }) : removed({ name })], io);
}

/** Changes the `mcp.json` of the data directory, and records the change for the audit log. */
export async function changeMcpFile(
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

export function rightsOf({ envFrom, read, write, host }: RightFlags, io: Io) {
	const paths = (given: readonly string[] | undefined): string[] | undefined =>
		given?.map((path) => resolve(io.cwd, path));
	const copies = { envFrom: envFrom && [...envFrom], hosts: host && [...host] };
	return defined({ ...copies, read: paths(read), write: paths(write) });
}

function readVariable(text: string): [string, string] {
	const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(text) ?? [];
	if (name === undefined || value === undefined)
		throw new UsageError(mcpSetupTexts.invalidVariable({ text }));
	return [name, value];
}

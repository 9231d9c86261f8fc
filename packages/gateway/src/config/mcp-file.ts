import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { defined, type Logger, ParleyError, parseJson, type Redactor } from "@parley/base";
import {
	loginKey,
	type McpLoginState,
	type McpRemoteSettings,
	type McpServerSettings,
	type McpSetup,
	type McpSource,
	mcpLoginTexts,
	type TrustedMcpRemote,
	type TrustedMcpServer,
} from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { fileState } from "../data-directory/file-state.ts";
import { replacePrivateFile } from "../data-directory/private-file.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { readLoginStates } from "./mcp-logins.ts";
import { mcpServerShape, mcpServersSchema } from "./mcp-schema.ts";
import { missingProblem, readMcp, valuesFrom } from "./mcp-settings.ts";
import { inOurWords } from "./setting-refusal.ts";

/** Minimum length of a redacted value. A shorter value could be an ordinary word. */
const shortestSecret = 8;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const trust = () =>
	z.strictObject({
		directory: z.string(),
		file: sha256,
		servers: z.record(
			z.string(),
			z.union([
				z.strictObject({
					program: z.string(),
					programHash: z.exactOptional(sha256),
					...mcpServerShape().pick({ envFrom: true, read: true, write: true, hosts: true }).shape,
				}),
				z.strictObject({
					url: z.string(),
					...mcpServerShape().pick({ envFrom: true, allowPrivate: true }).shape,
				}),
			]),
		),
	});

const fileSchema = () =>
	z.strictObject({ servers: mcpServersSchema().default({}), trusted: z.array(trust()).default([]) });

/** MCP servers that the operator has added by commands, and the operator's trust in the servers of directories. */
export type McpFileContent = z.output<ReturnType<typeof fileSchema>>;

/** Returns the path of the operator's file with MCP servers in the data directory. */
export function mcpFileIn(data: string): string {
	return join(data, "mcp.json");
}

/**
 * Returns the path of the file with the servers of one agent. Uses only the last part of `agent`, because the name
 * comes from a client.
 */
export function agentMcpFileIn(data: string, agent: string): string {
	return join(data, "agents", basename(agent), "mcp.json");
}

/**
 * Reads a file with MCP servers. Returns empty content if the file does not exist. Rejects with `invalid_argument`
 * for invalid content.
 */
export async function readMcpFile(path: string): Promise<McpFileContent> {
	const text = await readFile(path, "utf8").catch((reason: unknown) => {
		if (errno(reason) === "ENOENT") return "{}";
		throw reason;
	});
	try {
		return checkMcpFile(parseJson(text, { uniqueKeys: true }), path);
	} catch (cause) {
		const { message } = ParleyError.from(cause);
		const error = message.startsWith(path)
			? message
			: settingRefusalTexts.invalidFile({ path, reason: message });
		throw new ParleyError(error, { code: "invalid_argument", cause });
	}
}

/** Returns the checked content of a file with MCP servers. Throws `invalid_argument` if the content is invalid. */
export function checkMcpFile(content: unknown, path: string): McpFileContent {
	const { success, data, error } = fileSchema().safeParse(content, inOurWords);
	if (success) return data;
	throw new ParleyError(invalidity(path, error), { code: "invalid_argument", cause: error });
}

function invalidity(path: string, { issues: [issue] }: z.ZodError): string {
	const place = issue?.path.join(".") || "the file";
	const message = issue?.message ?? "";
	return issue?.code === "unrecognized_keys"
		? settingRefusalTexts.invalidFile({ path, reason: `${place}: ${message}` })
		: settingRefusalTexts.invalidSetting({ path, place, allowed: message });
}

export async function writeMcpFile(path: string, content: McpFileContent): Promise<void> {
	await replacePrivateFile(path, `${JSON.stringify(content, undefined, "\t")}\n`);
}

interface McpFileParts {
	readonly path: string;
	/** Servers of the configuration. They have precedence over servers of the file with the same name. */
	readonly configured: readonly McpServerSettings[];
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly log: Logger;
	readonly redactor: Redactor;
	/** Path of the file with the logins at remote servers. */
	readonly logins: string;
	/**
	 * Audits a change before it is applied. After a rejection, only removals are applied. The next run calls this
	 * function again before it applies additions.
	 */
	changed?(): Promise<void>;
}

/**
 * Setup from the configured servers, one file with MCP servers and the file with the logins. A change to one of the
 * files applies to the next run. For the file of an agent, `configured` is empty.
 */
class McpFile {
	readonly #parts: McpFileParts;
	#state: string;
	#setup: McpSetup = { servers: [], trusted: [] };

	constructor(parts: McpFileParts) {
		this.#parts = parts;
		// Without configured servers, a missing file need not be read.
		this.#state = parts.configured.length === 0 ? noFiles : "unread";
	}

	/**
	 * Returns the setup, and reads the files again if their state has changed. The state is checked synchronously,
	 * because an asynchronous check takes ten times as long.
	 */
	current(): McpSetup | Promise<McpSetup> {
		const state = [this.#parts.path, this.#parts.logins].map(fileState).join("|");
		if (state === this.#state) return this.#setup;
		// The state of the file is determined before its content is read, so that a change during the read is detected.
		return this.#load(state);
	}

	async #load(state: string): Promise<McpSetup> {
		const { configured, log, redactor } = this.#parts;
		try {
			await this.#parts.changed?.();
		} catch (error) {
			log.error("a change to the MCP servers is not applied yet: the audit log cannot be written", { error });
			// An addition waits for its audit row, but a removal applies immediately.
			this.#setup = unchangedServers(this.#setup, await this.#readPresent());
			return this.#setup;
		}
		this.#setup = await this.#readPresent();
		for (const { secrets } of [...configured, ...this.#setup.servers, ...this.#setup.trusted]) {
			for (const value of secrets) if (value.length >= shortestSecret) redactor.add(value);
		}
		this.#state = state;
		return this.#setup;
	}

	/** Reads the file with MCP servers. Treats an unreadable or invalid file as empty. */
	async #readPresent(): Promise<McpSetup> {
		try {
			return await this.#read(await readMcpFile(this.#parts.path));
		} catch (error) {
			this.#parts.log.error("the MCP servers of the data directory are not used: their file is invalid", {
				error,
			});
			return await this.#read({ servers: {}, trusted: [] });
		}
	}

	async #read({ servers, trusted }: McpFileContent): Promise<McpSetup> {
		const { configured, environment } = this.#parts;
		const names = new Set(configured.map(({ name }) => name));
		const own = readMcp({ servers }, environment).filter(({ name }) => !names.has(name));
		const all = await Promise.all([...configured, ...own].map((one) => this.#real(one)));
		const grants = trusted.flatMap(({ directory, file, servers: entries }) =>
			Object.entries(entries).map(([name, trust]) => grantOf({ directory, file, name }, trust, environment)),
		);
		const known = await Promise.all(grants.map((one) => this.#real<TrustedMcpServer>(one)));
		const states = await this.#readLogins();
		return {
			servers: all.map((server) => ("url" in server ? withLogin(server, states) : server)),
			trusted: known.map((one) => ("url" in one ? { ...one, ...loginOf(one, states) } : one)),
		};
	}

	async #readLogins(): Promise<LoginStates> {
		return await readLoginStates(this.#parts.logins).catch((error: unknown) => {
			this.#parts.log.error("the logins at MCP servers are not used: their file is invalid", { error });
			return new Map();
		});
	}

	/** Returns the server with the real paths in `read` and `write`. Sets `problem` if a path cannot be resolved. */
	async #real<T extends McpServerSettings | TrustedMcpServer>(server: T): Promise<T> {
		if ("url" in server) return server;
		const lost: string[] = [];
		const real = async (path: string): Promise<string> => {
			try {
				return await realpath(path);
			} catch (error) {
				this.#parts.log.error("an MCP server is not used: a path does not exist or is not accessible", {
					server: server.name,
					error,
				});
				lost.push(path);
				return path;
			}
		};
		const read = await Promise.all(server.read.map(real));
		const write = await Promise.all(server.write.map(real));
		const problem = lost[0] === undefined ? undefined : settingRefusalTexts.pathMissing({ path: lost[0] });
		return { ...server, read, write, ...defined({ problem: problem ?? server.problem }) };
	}
}

/** The operator's setup: the configuration, the file in the data directory, and the `mcp.json` file of each agent. */
export class McpFiles implements McpSource {
	readonly #parts: McpFileParts;
	readonly #main: McpFile;
	readonly #agents = new Map<string, McpFile>();

	constructor(parts: McpFileParts) {
		this.#parts = parts;
		this.#main = new McpFile(parts);
	}

	current(agent: string): McpSetup | Promise<McpSetup> {
		const main = this.#main.current();
		const own = this.#fileOf(agent).current();
		if (main instanceof Promise || own instanceof Promise) {
			return Promise.all([main, own]).then(([all, some]) => joined(all, some));
		}
		return joined(main, own);
	}

	#fileOf(agent: string): McpFile {
		const known = this.#agents.get(agent);
		if (known) return known;
		const path = agentMcpFileIn(dirname(this.#parts.path), agent);
		const file = new McpFile({ ...this.#parts, path, configured: [] });
		if (this.#agents.size >= maxAgents) this.#agents.clear();
		this.#agents.set(agent, file);
		return file;
	}
}

const maxAgents = 100;

/** State if neither file exists. */
const noFiles = "|";

function grantOf(
	entry: { readonly directory: string; readonly file: string; readonly name: string },
	{ envFrom = [], ...trust }: McpFileContent["trusted"][number]["servers"][string],
	environment: Readonly<Record<string, string | undefined>>,
): TrustedMcpServer {
	const received = valuesFrom(environment, envFrom);
	const values = { environment: received, secrets: Object.values(received) };
	const facts = { ...entry, ...values, ...missingProblem(environment, envFrom) };
	if ("url" in trust) return { allowPrivate: false, ...trust, ...facts };
	return { read: [], write: [], hosts: [], ...trust, ...facts };
}

type LoginStates = Awaited<ReturnType<typeof readLoginStates>>;

/**
 * Returns an object with the state of the login at a server, or an empty object without a login. Ignores a login that
 * was made for another address.
 */
function loginOf(
	server: McpRemoteSettings | TrustedMcpRemote,
	states: LoginStates,
): { readonly login?: McpLoginState } {
	const state = states.get(loginKey(server));
	if (state?.url !== server.url) return {};
	const { id, hasEnded } = state;
	return { login: { id, hasEnded } };
}

function withLogin(server: McpRemoteSettings, states: LoginStates): McpRemoteSettings {
	const { login } = loginOf(server, states);
	// An `authorization` header of the server has precedence over the login.
	if (login === undefined || server.headers["authorization"] !== undefined) return server;
	const problem = login.hasEnded ? mcpLoginTexts.required(server) : undefined;
	return { ...server, login, ...defined({ problem: problem ?? server.problem }) };
}

function unchangedServers(before: McpSetup, after: McpSetup): McpSetup {
	const isIn = (all: readonly unknown[], one: unknown): boolean =>
		all.some((other) => isDeepStrictEqual(one, other));
	return {
		servers: after.servers.filter((one) => isIn(before.servers, one)),
		trusted: after.trusted.filter((one) => isIn(before.trusted, one)),
	};
}

function joined(main: McpSetup, { servers }: McpSetup): McpSetup {
	const names = new Set(main.servers.map(({ name }) => name));
	const ofAgent = servers.filter(({ name }) => !names.has(name));
	return ofAgent.length === 0 ? main : { ...main, ofAgent };
}

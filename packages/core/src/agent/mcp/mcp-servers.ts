import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import type { TextRedactor } from "../../text/session-redactor.ts";
import type { McpLogins } from "../../vocabulary/mcp/login.ts";
import type { McpServerSettings, McpServerState, McpSetup, McpSource } from "../../vocabulary/mcp/server.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type { Tool } from "../../vocabulary/tool.ts";
import { loadToolCheck, type ToolCheck } from "../client-tools/registration.ts";
import type { ApprovedTools } from "./approved-tools.ts";
import { trustedServers } from "./directory/directory-trust.ts";
import { directoryTrustTexts } from "./directory/texts.ts";
import { McpServer, type ServerTool, type ToolFilter } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";
import { openRemote } from "./remote-transport.ts";
import { cleanDescription } from "./result-text.ts";
import { SandboxedTransport } from "./sandboxed-transport.ts";
import type { ServerTransport } from "./server-connection.ts";
import { mcpServerTexts, mcpToolTexts } from "./texts.ts";
import { nameTools, spelled, usedNames } from "./tool-names.ts";

export interface McpOptions {
	readonly source: McpSource;
	/** Version of Parley that servers receive. */
	readonly version: string;
	/** Logins at remote servers. Default: no logins. */
	readonly logins?: McpLogins;
}

interface McpDeps {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: TextRedactor;
	readonly sandbox: Sandboxes;
	/** Tools of the gateway. A server's tool never hides a gateway tool. */
	readonly tools: readonly Tool[];
	/** PATH of the gateway. */
	readonly path: string | undefined;
	/** Storage of approved tools. By default, nothing is stored, so no tool is treated as changed. */
	readonly approved?: ApprovedTools;
}

/** Maximum milliseconds that a run waits for servers that start for the first time. */
const patienceMs = 10_000;
/** Maximum tools of one server. */
const maxTools = 128;
const longestDescription = 4_096;
/**
 * Maximum groups of servers that run at the same time. A group belongs to the operator, to an agent or to a directory.
 */
const maxGroups = 32;
/** A directory without files of users. */
const nowhere = "/usr";

interface Instance {
	readonly settings: McpServerSettings;
	/** Serialised settings, for comparison. */
	readonly key: string;
	readonly server: McpServer;
}

/** Servers that belong to the operator, to one agent or to one directory. */
class Group {
	instances: readonly Instance[] = [];
	/** Cached tools of the group. Undefined before the first read, and after a change until the next read. */
	tools: readonly Tool[] | undefined;
	/** Reasons why servers of the group are not used. */
	problems: readonly string[] = [];
}

/** Manages all MCP servers of the operator, agents and directories, and their tools. */
export class McpServers {
	readonly #deps: McpDeps;
	readonly #source: McpSource;
	/** Key: a directory, `agent:NAME`, or "" for the operator's servers. The most recently used group is last. */
	readonly #groups = new Map<string, Group>();
	readonly #described = new WeakMap<ListedTool, ToolDescriptionText>();
	readonly #joined = new WeakMap<readonly Tool[], JoinedTools>();
	readonly #used: ReadonlySet<string>;
	readonly #version: string;
	readonly #logins: McpLogins;
	#check: Promise<ToolCheck> | undefined;
	#isClosed = false;

	constructor({ source, version, logins = noLogins }: McpOptions, deps: McpDeps) {
		this.#deps = deps;
		this.#source = source;
		this.#version = version;
		this.#logins = logins;
		this.#used = usedNames(deps.tools);
	}

	get states(): readonly McpServerState[] {
		return [...this.#groups.values()].flatMap(({ instances }) => instances.map(({ server }) => server.state));
	}

	/** Returns the reasons for the operator why trusted servers of directories are not used. */
	get problems(): readonly string[] {
		return [...this.#groups.values()].flatMap(({ problems }) => problems);
	}

	/**
	 * Returns the tools of all servers that belong to the operator, the agent or the working directory. Returns the same
	 * array until a server or its tools change. Starts servers that are neither running nor pausing. Waits only if a
	 * server starts for the first time, and at most 10 s.
	 */
	tools(directory: string, agent: string): readonly Tool[] | Promise<readonly Tool[]> {
		const setup = this.#source.current(agent);
		// Most gateways have no MCP server. Messages on such a gateway must not wait here.
		const isEmpty = "servers" in setup && countOf(setup) === 0;
		return isEmpty && this.#groups.size === 0 ? none : this.#tools(setup, directory, agent);
	}

	async #tools(
		current: McpSetup | Promise<McpSetup>,
		directory: string,
		agent: string,
	): Promise<readonly Tool[]> {
		const setup = await current;
		if (this.#isClosed) return none;
		const own = this.#groupOf("", setup.servers, []);
		const ofAgent = this.#someGroup(`agent:${agent}`, setup.ofAgent ?? [], []);
		const found = await trustedServers(directory, setup.trusted, this.#deps.path);
		// After `close`, no server may start, because nothing would stop it.
		if (this.#isClosed) return none;
		const names = new Set([...own.instances, ...ofAgent.instances].map(({ settings }) => settings.name));
		const hidden = found.servers.filter(({ name }) => names.has(name));
		const problems = [...found.problems, ...hidden.map(({ name }) => directoryTrustTexts.hidden(name))];
		const others = found.servers.filter(({ name }) => !names.has(name));
		const local = this.#someGroup(directory, others, problems);
		const instances = [own, ofAgent, local].flatMap((group) => group.instances);
		if (instances.length === 0) return none;
		const unknown = instances.filter(({ server }) => server.isUnknown);
		const starts = instances.map(({ server }) => server.start());
		if (unknown.length > 0) await this.#soon(Promise.all(starts));
		return this.#join(this.#join(this.#toolsOf(own), this.#toolsOf(ofAgent)), this.#toolsOf(local));
	}

	/** Returns the group of a key, with the requested servers. Does not store a new empty group. */
	#someGroup(key: string, requested: readonly McpServerSettings[], problems: readonly string[]): Group {
		const isStored = requested.length + problems.length > 0 || this.#groups.has(key);
		return isStored ? this.#groupOf(key, requested, problems) : new Group();
	}

	/**
	 * Returns the group of a key, with the requested servers. Servers with unchanged settings continue to run. Servers
	 * that are no longer requested with the same settings are stopped.
	 */
	#groupOf(directory: string, requested: readonly McpServerSettings[], problems: readonly string[]): Group {
		const group = this.#groups.get(directory) ?? new Group();
		this.#groups.delete(directory);
		this.#groups.set(directory, group);
		if (problems.join() !== group.problems.join()) {
			for (const problem of problems) this.#deps.log.warn(mcpServerTexts.notUsed, { directory, problem });
		}
		group.problems = problems;
		const keys = requested.map((settings) => JSON.stringify(settings));
		if (keys.join() === group.instances.map(({ key }) => key).join()) return group;
		const before = group.instances;
		group.instances = requested.map((settings, index) => {
			const key = keys[index] ?? "";
			return (
				before.find((one) => one.key === key) ?? { settings, key, server: this.#create(settings, group) }
			);
		});
		group.tools = undefined;
		this.#stop(before.filter((one) => !group.instances.includes(one)));
		this.#forgetOldest();
		return group;
	}

	#stop(instances: readonly Instance[]): void {
		for (const { settings, server } of instances) {
			const { name } = settings;
			server
				.close()
				.catch((error: unknown) => this.#deps.log.error(mcpServerTexts.notStopped, { server: name, error }));
		}
	}

	#forgetOldest(): void {
		for (const [directory, { instances }] of this.#groups) {
			if (this.#groups.size <= maxGroups) return;
			if (directory === "") continue;
			this.#groups.delete(directory);
			this.#stop(instances);
		}
	}

	#toolsOf(group: Group): readonly Tool[] {
		group.tools ??= group.instances.flatMap((one) => this.#toolsOfOne(one));
		return group.tools;
	}

	#join(own: readonly Tool[], local: readonly Tool[]): readonly Tool[] {
		if (local.length === 0) return own;
		const known = this.#joined.get(local);
		if (known?.own === own) return known.all;
		const all = [...own, ...local];
		this.#joined.set(local, { own, all });
		return all;
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		const all = [...this.#groups.values()].flatMap(({ instances }) => instances);
		await Promise.all(all.map(({ server }) => server.close()));
	}

	async #soon(all: Promise<unknown>): Promise<void> {
		const late = Promise.withResolvers<void>();
		const timer = this.#deps.clock.after(patienceMs, () => late.resolve());
		await Promise.race([all, late.promise]);
		timer.cancel();
	}

	#create(settings: McpServerSettings, group: Group): McpServer {
		const { clock, log } = this.#deps;
		return new McpServer({
			name: settings.name,
			clock,
			log,
			version: this.#version,
			open: () => this.#open(settings),
			filter: this.#filter(settings),
			changed: () => {
				group.tools = undefined;
			},
		});
	}

	async #open(settings: McpServerSettings): Promise<ServerTransport> {
		if (settings.problem !== undefined) throw new ParleyError(settings.problem, { code: "unavailable" });
		this.#check ??= loadToolCheck();
		this.#loaded = await this.#check;
		const { clock, sandbox: sandboxes } = this.#deps;
		if ("url" in settings) return openRemote(settings, { clock, logins: this.#logins });
		const { parseJSONRPCMessage } = await import("@modelcontextprotocol/client");
		const { name, command, args, environment, read, write, hosts } = settings;
		// Servers have the restrictions of chat sessions: a server needs a sandbox, and files with secrets appear empty.
		const sandbox = await sandboxes.of({ chat: true, roots: write, readable: read, hosts });
		// Arguments in the `.mcp.json` of a directory may be relative paths, so the program runs in that directory.
		const cwd = settings.directory ?? write[0] ?? nowhere;
		const program = { name, command, args, environment, cwd, writes: write.length > 0 };
		return new SandboxedTransport({ ...program, sandbox, clock, read: parseJSONRPCMessage });
	}

	/** Check of listed tools. It is loaded before any server can list tools. */
	#loaded: ToolCheck | undefined;

	#filter({ name: server }: McpServerSettings): ToolFilter {
		return (listed) => {
			const refused: string[] = [];
			const names = nameTools(
				server,
				listed.map(({ name }) => name),
			);
			if (listed.length > maxTools) refused.push(mcpToolTexts.tooMany(listed.length, maxTools));
			const used = new Set<string>();
			const offered = listed.slice(0, maxTools).flatMap((tool): ServerTool[] => {
				try {
					const name = names.get(tool.name) ?? tool.name;
					// Providers refuse a request in which a tool name is repeated, so the run would fail.
					if (used.has(name)) throw new ParleyError(mcpToolTexts.twice(name), { code: "invalid_argument" });
					const checked = this.#checked({ name, listed: tool });
					used.add(name);
					return [checked];
				} catch (reason) {
					refused.push(ParleyError.from(reason).message);
					return [];
				}
			});
			for (const reason of refused) this.#deps.log.warn(mcpToolTexts.notOffered, { server, reason });
			return { offered, refused };
		};
	}

	/** Checks a tool and stores its redacted description. Throws if the tool cannot be offered. */
	#checked({ name, listed }: ServerTool): ServerTool {
		if (this.#used.has(spelled(name))) {
			throw new ParleyError(mcpToolTexts.similar(name), {
				code: "invalid_argument",
			});
		}
		if (!this.#loaded) throw new ParleyError(mcpToolTexts.unchecked, { code: "internal" });
		const sink = this.#deps.redactor.into("instructions");
		const description = sink.redact(cleanDescription(listed.description ?? "").slice(0, longestDescription));
		// Most servers name JSON Schema draft 7. The validator does not have the meta-schema of draft 7.
		const { $schema: _, ...parameters } = listed.inputSchema;
		const [checked] = this.#loaded.tools([{ name, description, parameters }]);
		// The cast is safe because the redaction of an object returns an object.
		const schema = sink.redactFields(checked?.schema ?? {}) as ToolDescriptionText["schema"];
		this.#described.set(listed, { description, schema });
		return { name, listed };
	}

	#toolsOfOne({ settings, server }: Instance): Tool[] {
		return server.tools.flatMap((tool) => {
			const described = this.#described.get(tool.listed);
			const { ids, approved = noApprovals } = this.#deps;
			return described ? [mcpTool(tool, { settings, server, ids, approved, described })] : [];
		});
	}
}

interface ToolDescriptionText {
	readonly description: string;
	readonly schema: Readonly<Record<string, unknown>>;
}

interface JoinedTools {
	readonly own: readonly Tool[];
	readonly all: readonly Tool[];
}

const none: readonly Tool[] = [];

const noApprovals: ApprovedTools = {
	hasChanged: () => Promise.resolve(false),
	record: () => Promise.resolve(),
};

const noLogins: McpLogins = {
	find: () => Promise.resolve(undefined),
	change: () => Promise.resolve(undefined),
};

function countOf({ servers, trusted, ofAgent = [] }: McpSetup): number {
	return servers.length + trusted.length + ofAgent.length;
}

export function fixedSource(servers: readonly McpServerSettings[]): McpSource {
	const setup = { servers, trusted: [] };
	return { current: () => setup };
}

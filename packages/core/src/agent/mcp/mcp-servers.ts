import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import type { TextRedactor } from "../../text/session-redactor.ts";
import type { McpServerSettings, McpServerState } from "../../vocabulary/mcp/server.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";
import type { Tool } from "../../vocabulary/tool.ts";
import { loadToolCheck, type ToolCheck } from "../client-tools/registration.ts";
import { McpServer, type ServerTool, type ToolFilter } from "./mcp-server.ts";
import { mcpTool } from "./mcp-tool.ts";
import { cleanDescription } from "./result-text.ts";
import { SandboxedTransport } from "./sandboxed-transport.ts";
import type { ServerTransport } from "./server-connection.ts";
import { nameTools, spelled, takenNames } from "./tool-names.ts";

/** Servers of the operator. */
export interface McpOptions {
	readonly servers: readonly McpServerSettings[];
	/** Version of Parley, for the servers. */
	readonly version: string;
}

interface McpDeps {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: TextRedactor;
	readonly sandbox: Sandboxes;
	/** The tools of the gateway, which no tool of a server hides. */
	readonly tools: readonly Tool[];
}

/** Milliseconds that a run waits for servers that start for the first time. */
const patienceMs = 10_000;
/** Tools of one server, and characters of a description. */
const mostTools = 128;
const longestDescription = 4_096;
/** A directory without files of people. */
const nowhere = "/usr";

/** All servers of the operator, and their tools. */
export class McpServers {
	readonly #deps: McpDeps;
	readonly #servers: readonly { readonly settings: McpServerSettings; readonly server: McpServer }[];
	readonly #described = new WeakMap<ListedTool, ToolDescriptionText>();
	readonly #taken: ReadonlySet<string>;
	readonly #version: string;
	#check: Promise<ToolCheck> | undefined;
	#offered: readonly Tool[] | undefined;

	constructor({ servers, version }: McpOptions, deps: McpDeps) {
		this.#deps = deps;
		this.#version = version;
		this.#taken = takenNames(deps.tools);
		this.#servers = servers.map((settings) => ({ settings, server: this.#create(settings) }));
	}

	get states(): readonly McpServerState[] {
		return this.#servers.map(({ server }) => server.state);
	}

	/**
	 * Tools of all servers: the same array as long as nothing changes. Starts servers that do not run. Waits only for those
	 * that have never been ready, and not long.
	 */
	async tools(): Promise<readonly Tool[]> {
		if (this.#servers.length === 0) return none;
		const unknown = this.#servers.filter(({ server }) => server.isUnknown);
		const starts = this.#servers.map(({ server }) => server.start());
		if (unknown.length > 0) await this.#soon(Promise.all(starts));
		this.#offered ??= this.#servers.flatMap((one) => this.#toolsOf(one));
		return this.#offered;
	}

	/** Stops all servers. */
	async close(): Promise<void> {
		await Promise.all(this.#servers.map(({ server }) => server.close()));
	}

	async #soon(all: Promise<unknown>): Promise<void> {
		const late = Promise.withResolvers<void>();
		const timer = this.#deps.clock.after(patienceMs, () => late.resolve());
		await Promise.race([all, late.promise]);
		timer.cancel();
	}

	#create(settings: McpServerSettings): McpServer {
		const { clock, log } = this.#deps;
		return new McpServer({
			name: settings.name,
			clock,
			log,
			version: this.#version,
			open: () => this.#open(settings),
			filter: this.#filter(settings),
			changed: () => {
				this.#offered = undefined;
			},
		});
	}

	async #open(settings: McpServerSettings): Promise<ServerTransport> {
		this.#check ??= loadToolCheck();
		const [{ parseJSONRPCMessage }, check] = await Promise.all([
			import("@modelcontextprotocol/client"),
			this.#check,
		]);
		this.#loaded = check;
		const { command, args, environment, read, write } = settings;
		// As in a chat: without a sandbox it does not start, and files with secrets are empty.
		const sandbox = await this.#deps.sandbox.of({ chat: true, roots: write, readable: read });
		return new SandboxedTransport({
			command,
			args,
			environment,
			cwd: write[0] ?? nowhere,
			writes: write.length > 0,
			sandbox,
			clock: this.#deps.clock,
			read: parseJSONRPCMessage,
		});
	}

	/** Set before a server can list tools. */
	#loaded: ToolCheck | undefined;

	#filter({ name: server }: McpServerSettings): ToolFilter {
		return (listed) => {
			const refused: string[] = [];
			const names = nameTools(
				server,
				listed.map(({ name }) => name),
			);
			if (listed.length > mostTools)
				refused.push(`${listed.length - mostTools} tools: at most ${mostTools} are offered`);
			const offered = listed.slice(0, mostTools).flatMap((tool): ServerTool[] => {
				try {
					return [this.#checked({ name: names.get(tool.name) ?? tool.name, listed: tool })];
				} catch (reason) {
					refused.push(ParleyError.from(reason).message);
					return [];
				}
			});
			for (const reason of refused)
				this.#deps.log.warn("a tool of an MCP server is not offered", { server, reason });
			return { offered, refused };
		};
	}

	/** Throws the reason why a tool is not offered. */
	#checked({ name, listed }: ServerTool): ServerTool {
		if (this.#taken.has(spelled(name))) {
			throw new ParleyError(`tools: ${name} could be read as a tool of the gateway`, {
				code: "invalid_argument",
			});
		}
		if (!this.#loaded) throw new ParleyError("tools: cannot be checked", { code: "internal" });
		const sink = this.#deps.redactor.into("instructions");
		const description = sink.redact(cleanDescription(listed.description ?? "").slice(0, longestDescription));
		// Most servers name draft 7, whose meta schema is not loaded.
		const { $schema: _, ...parameters } = listed.inputSchema;
		const [checked] = this.#loaded.tools([{ name, description, parameters }]);
		// True because redaction of an object returns an object.
		const schema = sink.redactFields(checked?.schema ?? {}) as ToolDescriptionText["schema"];
		this.#described.set(listed, { description, schema });
		return { name, listed };
	}

	#toolsOf({
		settings,
		server,
	}: {
		readonly settings: McpServerSettings;
		readonly server: McpServer;
	}): Tool[] {
		return server.tools.flatMap((tool) => {
			const described = this.#described.get(tool.listed);
			return described ? [mcpTool(tool, { settings, server, ids: this.#deps.ids, described })] : [];
		});
	}
}

interface ToolDescriptionText {
	readonly description: string;
	readonly schema: Readonly<Record<string, unknown>>;
}

const none: readonly Tool[] = [];

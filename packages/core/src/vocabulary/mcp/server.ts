import type { McpLoginState } from "./login.ts";

interface McpServerFacts {
	/** Name of the server: lower-case letters, digits and `-`. The names of the server's tools begin with this name. */
	readonly name: string;
	/** Values that must not appear in any text. */
	readonly secrets: readonly string[];
	/** Milliseconds after which a call fails. */
	readonly timeoutMs: number;
	/** Reason why the server cannot start, for example a path that does not exist. */
	readonly problem?: string;
	/** Working directory whose `.mcp.json` names the server. Absent for servers of the operator and of agents. */
	readonly directory?: string;
}

/** A server that is reached by its URL. */
export interface McpRemoteSettings extends McpServerFacts {
	readonly url: string;
	/** Headers of each request. */
	readonly headers: Readonly<Record<string, string>>;
	/** Whether the server may have an address of this machine or its networks, and may use plain HTTP. */
	readonly allowPrivate: boolean;
	/** Login of the operator. Its token is sent to the server. */
	readonly login?: McpLoginState;
}

/** Permissions of a program in addition to the permissions of every command. */
interface McpRights {
	/** Environment variables in addition to the variables of every command. */
	readonly environment: Readonly<Record<string, string>>;
	/** Values that must not appear in any text. */
	readonly secrets: readonly string[];
	/** Absolute paths of directories that the program may change, and of directories that the program may only read. */
	readonly write: readonly string[];
	readonly read: readonly string[];
	/** Hosts that the program can reach with https, as in `Sandbox`. */
	readonly hosts: readonly string[];
}

/** A server that runs as a program in the sandbox. */
export interface McpProgramSettings extends McpServerFacts, McpRights {
	/** Name of a program in PATH, or an absolute path. */
	readonly command: string;
	readonly args: readonly string[];
}

/** A server of the Model Context Protocol that offers tools to agents. */
export type McpServerSettings = McpProgramSettings | McpRemoteSettings;

interface TrustFacts {
	/** Real path of the directory. */
	readonly directory: string;
	/** SHA-256 of the `.mcp.json` file. */
	readonly file: string;
	readonly name: string;
	/** Reason why the server cannot be used, for example a path that does not exist. */
	readonly problem?: string;
}

/** Program that the `.mcp.json` of a directory names and that the operator trusts, with the permissions of the program. */
export interface TrustedMcpProgram extends TrustFacts, McpRights {
	/** Real path of the program that the entry in `.mcp.json` starts. */
	readonly program: string;
	/** SHA-256 of the program. Absent if the program is outside the directory. */
	readonly programHash?: string;
}

/**
 * Remote server that the `.mcp.json` of a directory names and that the operator trusts. Requests go only to the origin of
 * `url`.
 */
export interface TrustedMcpRemote extends TrustFacts {
	/** Complete URL that the operator saw when trusting the server. */
	readonly url: string;
	/** Whether the server may have an address of this machine or its networks, and may use plain HTTP. */
	readonly allowPrivate: boolean;
	/**
	 * Environment variables of the gateway. The headers of requests to the server may contain the values of these
	 * variables.
	 */
	readonly environment: Readonly<Record<string, string>>;
	/** Values that must not appear in any text. */
	readonly secrets: readonly string[];
	/** Login of the operator for this entry and this URL. */
	readonly login?: McpLoginState;
}

export type TrustedMcpServer = TrustedMcpProgram | TrustedMcpRemote;

/** Configured servers of the operator (`servers`), and trusted servers of directories (`trusted`). */
export interface McpSetup {
	readonly servers: readonly McpServerSettings[];
	readonly trusted: readonly TrustedMcpServer[];
	/**
	 * Additional servers of the agent that was passed to `McpSource.current`. Other agents do not have these servers.
	 * Default: none.
	 */
	readonly ofAgent?: readonly McpServerSettings[];
}

/** Source of the operator's servers, which may change while the gateway is running. */
export interface McpSource {
	/** Returns the current servers. Repeated calls return the same object until the servers change. */
	current(agent: string): McpSetup | Promise<McpSetup>;
}

/**
 * Phase of a server.
 * - idle: no start was attempted.
 * - starting: a start is in progress.
 * - ready: its tools can be called.
 * - waiting: it ended or failed to start. After a pause, the next use starts it again.
 * - closed: it was stopped permanently.
 */
export type McpServerPhase = "idle" | "starting" | "ready" | "waiting" | "closed";

export interface McpServerState {
	readonly name: string;
	readonly phase: McpServerPhase;
	/** Names of the server's tools, as models see them. */
	readonly tools: readonly string[];
	/** Tools that are not offered, each with the reason. */
	readonly refused: readonly string[];
	/** Reason for the server's last failure. */
	readonly problem?: string;
	/** Last lines of standard error, for the operator. */
	readonly log: readonly string[];
}

/**
 * Pattern of a valid server name. Names contain no `_`, so no tool name of one server begins with the prefix
 * of another server.
 */
export const mcpNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/**
 * Prefix of tool names in rules for the servers of a directory. The prefix prevents rules for other servers from applying
 * to the servers of a directory.
 */
export const directoryRulePrefix = "directory:";

/** Separator between the name of a server and the name of its tool. */
export const mcpSeparator = "__";

/** Whether a text is the name of an MCP server's tool or the pattern `SERVER__*`, with or without `directoryRulePrefix`. */
export function isMcpToolName(toolName: string): boolean {
	const name = toolName.startsWith(directoryRulePrefix)
		? toolName.slice(directoryRulePrefix.length)
		: toolName;
	const at = name.indexOf(mcpSeparator);
	return (
		at > 0 && mcpNamePattern.test(name.slice(0, at)) && /^(?:\*|[A-Za-z0-9_-]+)$/.test(name.slice(at + 2))
	);
}

/** Whether a list of tool names includes a tool. `SERVER__*` includes all tools of a server. */
export function includesTool(names: readonly string[], tool: string): boolean {
	if (names.includes(tool)) return true;
	const at = tool.indexOf(mcpSeparator);
	return at > 0 && names.includes(`${tool.slice(0, at + mcpSeparator.length)}*`);
}

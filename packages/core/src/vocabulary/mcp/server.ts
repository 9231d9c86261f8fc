import type { McpLoginState } from "./login.ts";

interface McpServerFacts {
	/** Lower-case letters, digits and `-`: the first part of the names of its tools. */
	readonly name: string;
	/** Values that no text may show. */
	readonly secrets: readonly string[];
	/** Milliseconds until a call fails. */
	readonly timeoutMs: number;
	/** Reason why it cannot be started, for example a path that does not exist. */
	readonly problem?: string;
	/** Working directory whose `.mcp.json` names it. Absent for servers of the operator. */
	readonly directory?: string;
}

/** A server that another machine runs. */
export interface McpRemoteSettings extends McpServerFacts {
	/** Address of its endpoint. */
	readonly url: string;
	/** Headers of each request. */
	readonly headers: Readonly<Record<string, string>>;
	/** Whether it may have an address of this machine or of its networks, and be without TLS. */
	readonly allowPrivate: boolean;
	/** Login of the operator, whose token is sent. */
	readonly login?: McpLoginState;
}

/** Rights of a program beyond those of every command. */
interface McpRights {
	/** Variables in addition to those of every command. */
	readonly environment: Readonly<Record<string, string>>;
	/** Values that no text may show. */
	readonly secrets: readonly string[];
	/** Directories that it may change, and those that it may only read. Absolute paths. */
	readonly write: readonly string[];
	readonly read: readonly string[];
	/** Hosts that it can reach by https, as in `Sandbox`. */
	readonly hosts: readonly string[];
}

/** A server that is a program in the sandbox. */
export interface McpProgramSettings extends McpServerFacts, McpRights {
	/** A program in PATH, or an absolute path. */
	readonly command: string;
	readonly args: readonly string[];
}

/** A server of the Model Context Protocol that offers tools to agents. */
export type McpServerSettings = McpProgramSettings | McpRemoteSettings;

/** Trust of the operator in one entry of the `.mcp.json` of a directory, with the rights that it gets. */
export interface TrustedMcpServer extends McpRights {
	/** Real path. */
	readonly directory: string;
	/** SHA-256 of the file. */
	readonly file: string;
	readonly name: string;
	/** Real path of the program to which its command led. */
	readonly program: string;
	/** SHA-256 of a program in the directory. Programs elsewhere belong to the system. */
	readonly programHash?: string;
	/** Reason why it cannot be started, for example a path that does not exist. */
	readonly problem?: string;
}

/** All servers that the operator has set up. */
export interface McpSetup {
	readonly servers: readonly McpServerSettings[];
	readonly trusted: readonly TrustedMcpServer[];
	/** Further servers that only this agent has. Default: none. */
	readonly ofAgent?: readonly McpServerSettings[];
}

/** The operator's setup, which may change while the gateway runs. Returns the same object as long as it has not changed. */
export interface McpSource {
	current(agent: string): McpSetup | Promise<McpSetup>;
}

/**
 * `idle`: not started yet. `starting`: until its tools are known. `waiting`: it ended or failed, and starts again later.
 * `closed`: the gateway stops.
 */
export type McpServerPhase = "idle" | "starting" | "ready" | "waiting" | "closed";

/** State of a server for people. */
export interface McpServerState {
	readonly name: string;
	readonly phase: McpServerPhase;
	/** Names of its tools, as models see them. */
	readonly tools: readonly string[];
	/** Tools that are not offered, each with the reason. */
	readonly refused: readonly string[];
	/** Reason of the last failure. */
	readonly problem?: string;
	/** Last lines of its standard error, for the operator. */
	readonly log: readonly string[];
}

/** The form of the names of servers. Without `_`, so that no name begins with the prefix of another one. */
export const mcpNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** Rules know tools of the servers of directories by names with this prefix, so that no rule for other servers applies. */
export const directoryRulePrefix = "directory:";

/** The separator between the names of a server and of its tool. */
export const mcpSeparator = "__";

/** Whether a name of a tool, or a pattern that ends with `*`, is about a tool of a server. */
export function isMcpToolName(given: string): boolean {
	const name = given.startsWith(directoryRulePrefix) ? given.slice(directoryRulePrefix.length) : given;
	const at = name.indexOf(mcpSeparator);
	return (
		at > 0 && mcpNamePattern.test(name.slice(0, at)) && /^(?:\*|[A-Za-z0-9_-]+)$/.test(name.slice(at + 2))
	);
}

/** Whether a list of names includes a tool. `SERVER__*` includes all tools of a server. */
export function includesTool(names: readonly string[], tool: string): boolean {
	if (names.includes(tool)) return true;
	const at = tool.indexOf(mcpSeparator);
	return at > 0 && names.includes(`${tool.slice(0, at + mcpSeparator.length)}*`);
}

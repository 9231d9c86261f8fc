import type { Clock, Logger, Redactor } from "@parley/base";
import type { RuntimeOptions } from "@parley/core";
import type { Config } from "./load.ts";
import { McpFiles, mcpFileIn } from "./mcp-file.ts";
import { McpLoginFile, mcpLoginsIn } from "./mcp-logins.ts";

interface McpParts {
	readonly config: Config;
	/** Version of Parley. */
	readonly version: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly redactor: Redactor;
}

/** The MCP servers of the operator, with the logins at remote ones. */
export function openMcp({
	config,
	version,
	clock,
	log,
	redactor,
}: McpParts): NonNullable<RuntimeOptions["mcp"]> {
	const { data, mcp: configured = [] } = config;
	const files = { path: mcpFileIn(data), logins: mcpLoginsIn(data), configured };
	const source = new McpFiles({ ...files, environment: process.env, log, redactor });
	return { source, version, logins: new McpLoginFile({ data, clock, redactor }) };
}

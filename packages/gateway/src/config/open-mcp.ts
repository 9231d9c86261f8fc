import type { Clock, Logger, Redactor } from "@parley/base";
import type { RuntimeOptions } from "@parley/core";
import { auditChanges, type ChangeAudit } from "./command-changes.ts";
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
	/** Environment variables that MCP settings can refer to by name. Default: the variables of the process. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** Returns the audit log for changes by commands, if it is open. */
	audit?(): ChangeAudit | undefined;
}

/** Opens the operator's MCP servers, and the logins at remote servers. */
export function openMcp({
	config,
	version,
	clock,
	log,
	redactor,
	environment = process.env,
	audit,
}: McpParts): NonNullable<RuntimeOptions["mcp"]> {
	const { data, mcp: configured = [] } = config;
	const files = { path: mcpFileIn(data), logins: mcpLoginsIn(data), configured };
	const record = async (): Promise<void> => {
		const notes = audit?.();
		if (notes) await auditChanges(data, notes);
	};
	const source = new McpFiles({ ...files, environment, log, redactor, changed: record });
	return { source, version, logins: new McpLoginFile({ data, clock, redactor }) };
}

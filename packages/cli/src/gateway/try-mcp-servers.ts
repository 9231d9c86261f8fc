import { existsSync } from "node:fs";
import { createIds, defined, Redactor, silentLogger, systemClock } from "@parley/base";
import { builtinTools, type McpServerState, McpServers } from "@parley/core";
import {
	agentMcpFileIn,
	McpFiles,
	McpLoginFile,
	mcpFileIn,
	mcpLoginsIn,
	openSandboxes,
	readMcpFile,
} from "@parley/gateway";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { UsageError } from "../command-line/usage.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { mcpServeTexts } from "../texts/gateway/mcp.ts";
import { type McpFlags, workingDirectory } from "./mcp-flags.ts";
import { chosenAgent } from "./mcp-list.ts";
import { readConfig } from "./run-gateway.ts";

/**
 * Starts the servers of an agent and a directory as the gateway does, prints their states, and stops them. Returns the
 * exit code: 1 if a server is not ready or has a problem.
 */
export async function tryServers(flags: McpFlags, io: Io, version: string): Promise<number> {
	const config = await readConfig(defined({ data: flags.data }), io);
	if (!existsSync(config.data)) throw new UsageError(mcpServeTexts.noDataDirectory({ data: config.data }));
	// A gateway ignores an invalid file and the servers in the file. This command throws instead.
	const agent = chosenAgent(config.data, flags);
	const files = [mcpFileIn(config.data), agentMcpFileIn(config.data, agent)];
	for (const file of files) await readMcpFile(file);
	const redactor = new Redactor();
	const parts = { clock: systemClock, ids: createIds(), log: silentLogger };
	const { environment } = await withStoredKeys(io, flags.data);
	const source = new McpFiles({
		path: mcpFileIn(config.data),
		logins: mcpLoginsIn(config.data),
		configured: config.mcp ?? [],
		environment,
		redactor,
		log: silentLogger,
	});
	const sandbox = await openSandboxes({ ...parts, config });
	const servers = new McpServers(
		{ source, version, logins: new McpLoginFile({ data: config.data, clock: systemClock, redactor }) },
		{ ...parts, redactor, sandbox, tools: builtinTools(), path: environment["PATH"] },
	);
	try {
		await servers.tools(await workingDirectory(flags.dir ?? ".", io), agent);
		const { states, problems } = servers;
		if (flags.json) printJson(redactor.redactFields({ servers: states, problems }), io);
		else printRows(rowsOf(states, problems, redactor, io), io);
		return problems.length === 0 && states.every(({ phase }) => phase === "ready") ? 0 : 1;
	} finally {
		await servers.close();
	}
}

function rowsOf(
	states: readonly McpServerState[],
	problems: readonly string[],
	redactor: Redactor,
	io: Io,
): string[] {
	const line = (text: string): string => visibleLine(redactor.redact(text));
	const { columns, styles } = outputFormat(io);
	const rows = states.flatMap(({ name, phase, tools, refused, problem, log }) => {
		const isReady = phase === "ready";
		const head = isReady
			? styles.green(`✓ ${name}: ${tools.length} tools`)
			: styles.red(`✗ ${name}: ${line(problem ?? mcpServeTexts.noAnswer)}`);
		const details = isReady ? [tools.join(", "), ...refused] : log;
		return [head, ...details.flatMap((text) => wrapText(`  ${line(text)}`, columns))];
	});
	const others = problems.flatMap((problem) => wrapText(`✗ ${line(problem)}`, columns).map(styles.red));
	return rows.length + others.length === 0 ? [mcpServeTexts.noServers] : [...rows, ...others];
}

import { definedItems } from "@parley/base/defined";
import type { Client } from "@parley/protocol";
import { Command } from "commander";
import type { AddressFlags } from "../../client/gateway-address.ts";
import type { HealthReport } from "../../client/gateway-health.ts";
import { withGateway } from "../../client/with-gateway.ts";
import { chosenDataDirectory } from "../../command-line/data-directory.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import type { ConnectorStatus } from "../../connectors/connector-report.ts";
import { duration } from "../../text/time-ago.ts";
import { visibleLine, visibleText } from "../../text/visible.ts";
import { statusHelp, statusMessages } from "../../texts/commands/gateway/status.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface StatusFlags {
	readonly data?: string;
	readonly json?: boolean;
}

interface Status {
	readonly status: "ok" | "degraded" | "draining";
	readonly version: string;
	/** Provider of the gateway. Null for a gateway of an earlier version. */
	readonly provider: string | null;
	readonly model: string | null;
	readonly pid: number;
	readonly urls: readonly string[];
	readonly data: string;
	readonly started_at: string;
	readonly sessions: number | null;
	/** Open work for the operator. Null if it cannot be read. */
	readonly waiting: Waiting | null;
	/** Health report of the gateway. Null if it cannot be read. */
	readonly health: HealthReport | null;
	/** Connectors that are running, or that ended without a stop request. */
	readonly connectors: readonly ConnectorStatus[];
}

export function statusCommand(io: Io): Command {
	return new Command("status")
		.description(statusHelp.description)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--json", sharedHelp.json)
		.action(async (flags: StatusFlags) => {
			const data = await chosenDataDirectory(flags.data, io);
			const status = await readStatus(data, io);
			if (status === undefined) {
				io.exitCode = 1;
				if (flags.json) io.stdout.write(`${JSON.stringify({ status: "stopped", data })}\n`);
				else io.stderr.write(`${statusMessages.noGateway({ data })}\n`);
				return;
			}
			if (flags.json) printJson(status, io);
			else printRows(await describe(status, io), io);
		});
}

async function readStatus(data: string, io: Io): Promise<Status | undefined> {
	const { findRunningGateway } = await import("../../client/running-gateway.ts");
	const running = await findRunningGateway(data);
	if (!running) return undefined;
	const { health, version, pid, urls, startedAt, provider = null, model = null } = running;
	const report = await tolerant(io, async () => {
		const { readHealthReport } = await import("../../client/gateway-health.ts");
		return readHealthReport({ data }, { ...io, environment: ownEnvironment(io.environment) });
	});
	const work = report && (await askWork({ data }, { ...io, environment: ownEnvironment(io.environment) }));
	const connectors = await readConnectors(data);
	return {
		connectors,
		status: health,
		version,
		provider,
		model,
		pid,
		urls,
		data,
		started_at: startedAt,
		sessions: work?.sessions ?? null,
		waiting: work?.waiting ?? null,
		health: report,
	};
}

async function readConnectors(data: string): Promise<ConnectorStatus[]> {
	const [{ readConnectorStatuses }, { systemClock }] = await Promise.all([
		import("../../connectors/connector-report.ts"),
		import("@parley/base"),
	]);
	return readConnectorStatuses(data, systemClock.now());
}

function ownEnvironment({ PARLEY_URL: url, ...environment }: Io["environment"]): Io["environment"] {
	// PARLEY_URL may name another gateway. PARLEY_TOKEN then belongs to that gateway, so both are omitted.
	return url ? { ...environment, PARLEY_TOKEN: undefined } : environment;
}

function askWork(
	flags: AddressFlags,
	io: Io,
): Promise<{ readonly sessions: number; readonly waiting: Waiting } | null> {
	return tolerant(io, () => withGateway(flags, io, countWork));
}

/** Resolves with the result of `ask`. If the request fails, prints the reason and resolves with null. */
async function tolerant<T>(io: Io, ask: () => Promise<T>): Promise<T | null> {
	try {
		return await ask();
	} catch (error) {
		io.stderr.write(`parley: ${visibleText(error instanceof Error ? error.message : String(error))}\n`);
		return null;
	}
}

const states: Readonly<Record<Status["status"], string>> = {
	ok: statusMessages.running,
	degraded: statusMessages.degraded,
	draining: statusMessages.draining,
};

async function describe(status: Status, io: Io): Promise<string[]> {
	const [{ systemClock }, { healthRows }, { connectorRows }, { alignColumns }] = await Promise.all([
		import("@parley/base"),
		import("../../client/gateway-health.ts"),
		import("../../connectors/connector-report.ts"),
		// This module contains the table of character widths, which loads slowly. A static import would load it for
		// every command.
		import("../../text/columns.ts"),
	]);
	const now = systemClock.now();
	const { dim } = outputFormat(io).styles;
	const { sessions, waiting, provider, model } = status;
	const rows = definedItems([
		["status", states[status.status]],
		["version", status.version],
		model === null ? undefined : ["model", `${model}${provider === model ? "" : ` (${provider})`}`],
		["process", String(status.pid)],
		...status.urls.map((url, index) => [index === 0 ? "address" : "", url]),
		...(status.health ? healthRows(status.health) : []),
		...status.connectors.flatMap((one) => connectorRows(one, now)),
		["data", status.data],
		["uptime", duration(now - Date.parse(status.started_at))],
		[
			"sessions",
			sessions === null
				? statusMessages.unknown
				: statusMessages.sessions({ count: sessions, isComplete: sessions < maxCounted }),
		],
		...(waiting ? waitingRows(waiting) : []).map((row, index) => [index === 0 ? "waiting" : "", row]),
	]);
	return alignColumns(rows.map(([name = "", value = ""]) => [dim(name), visibleLine(value)]));
}

/** Open work for the operator in the form of `--json`. */
interface Waiting {
	/** Number of sessions with an open question. Excludes sessions with a request for a trust grant. */
	readonly questions: number;
	/** Number of requests for trust grants. */
	readonly grant_wishes: number;
	/** Number of access requests from chat users. */
	readonly pairing_requests: number;
	/** Number of tasks that wait for an answer. */
	readonly suspended_tasks: number;
}

/** Maximum number of counted sessions, and of counted tasks. */
const maxCounted = 1000;

/** Resolves with the number of sessions, up to `maxCounted`, and the open work for the operator. */
export async function countWork(client: Client): Promise<{ sessions: number; waiting: Waiting }> {
	const { sessions } = await client.request("list_sessions", { limit: maxCounted });
	const { wishes } = await client.request("list_grants", {});
	const { waiting } = await client.request("list_people", {});
	const wishing = new Set(wishes.map(({ session_id }) => session_id));
	const suspended = await client.request("query_tasks", { status: "suspended", limit: maxCounted });
	return {
		sessions: sessions.length,
		waiting: {
			questions: sessions.filter(({ session_id, state }) => state === "waiting" && !wishing.has(session_id))
				.length,
			grant_wishes: wishes.length,
			pairing_requests: waiting.filter(({ kind }) => kind === "request").length,
			suspended_tasks: suspended.tasks.length,
		},
	};
}

/** Returns one row for each kind of open work, with the command that shows it. */
export function waitingRows(waiting: Waiting): string[] {
	const { questions, grant_wishes, pairing_requests, suspended_tasks } = waiting;
	return definedItems([
		questions > 0 ? statusMessages.questions({ count: questions }) : undefined,
		suspended_tasks > 0 ? statusMessages.tasks({ count: suspended_tasks }) : undefined,
		grant_wishes > 0 ? statusMessages.trustRequests({ count: grant_wishes }) : undefined,
		pairing_requests > 0 ? statusMessages.accessRequests({ count: pairing_requests }) : undefined,
	]);
}

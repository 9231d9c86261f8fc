import { Command } from "commander";
import type { ConnectorStanding } from "../connectors/connector-report.ts";
import { chosenDataDirectory } from "../data-directory.ts";
import type { AddressFlags } from "../gateway-address.ts";
import type { HealthReport } from "../gateway-health.ts";
import type { Io } from "../io.ts";
import type { Waiting } from "../status/waiting.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";

interface StatusFlags {
	readonly data?: string;
	readonly json?: boolean;
}

/** What `--json` prints. */
interface Status {
	readonly status: "ok" | "degraded" | "draining";
	readonly version: string;
	/** Who answers; null where a gateway of an earlier version runs. */
	readonly provider: string | null;
	readonly model: string | null;
	readonly pid: number;
	readonly urls: readonly string[];
	readonly data: string;
	readonly started_at: string;
	readonly sessions: number | null;
	/** What waits for the operator; null where the gateway does not tell this user. */
	readonly waiting: Waiting | null;
	/** What the gateway reports of itself; null where it does not tell this user. */
	readonly health: HealthReport | null;
	/** Those that run here, or have ended otherwise than by being asked to. */
	readonly connectors: readonly ConnectorStanding[];
}

/** `parley status`: what runs on the data directory. */
export function statusCommand(io: Io): Command {
	return new Command("status")
		.description("show the gateway that runs on this machine; exit code 1 when none does")
		.option("--data <dir>", "the data directory of the gateway (PARLEY_DATA)")
		.option("--json", "print JSON")
		.action(async (flags: StatusFlags) => {
			const data = await chosenDataDirectory(flags.data, io);
			const status = await readStatus(data, io);
			if (status === undefined) {
				io.exitCode = 1;
				if (flags.json) io.stdout.write(`${JSON.stringify({ status: "stopped", data })}\n`);
				else io.stderr.write(`no gateway runs on ${data}; \`parley start\` starts one\n`);
				return;
			}
			if (flags.json) printJson(status, io);
			else printRows(await describe(status, io), io);
		});
}

async function readStatus(data: string, io: Io): Promise<Status | undefined> {
	const { findRunningGateway } = await import("../running-gateway.ts");
	const running = await findRunningGateway(data);
	if (!running) return undefined;
	const { health, version, pid, urls, startedAt, provider = null, model = null } = running;
	const report = await tolerant(io, async () => {
		const { readHealthReport } = await import("../gateway-health.ts");
		return readHealthReport({ data }, { ...io, environment: ownEnvironment(io.environment) });
	});
	const work = report && (await askWork({ data }, { ...io, environment: ownEnvironment(io.environment) }));
	const connectors = await readConnectors(data);
	return {
		...{ connectors, status: health, version, provider, model, pid, urls, data, started_at: startedAt },
		...{ sessions: work?.sessions ?? null, waiting: work?.waiting ?? null, health: report },
	};
}

async function readConnectors(data: string): Promise<ConnectorStanding[]> {
	const [{ readStandings }, { systemClock }] = await Promise.all([
		import("../connectors/connector-report.ts"),
		import("@parley/base"),
	]);
	return readStandings(data, systemClock.now());
}

/** The gateway of the data directory is meant: where another one is named, the token is for that one. */
function ownEnvironment({ PARLEY_URL: url, ...environment }: Io["environment"]): Io["environment"] {
	return url ? { ...environment, PARLEY_TOKEN: undefined } : environment;
}

function askWork(
	flags: AddressFlags,
	io: Io,
): Promise<{ readonly sessions: number; readonly waiting: Waiting } | null> {
	return tolerant(io, async () => {
		const { countWork } = await import("../status/waiting.ts");
		return withGateway(flags, io, countWork);
	});
}

/** Null where the gateway does not tell this user, who gets to know why. */
async function tolerant<T>(io: Io, ask: () => Promise<T>): Promise<T | null> {
	try {
		return await ask();
	} catch (error) {
		io.stderr.write(`parley: ${visibleText(error instanceof Error ? error.message : String(error))}\n`);
		return null;
	}
}

const states: Readonly<Record<Status["status"], string>> = {
	ok: "running",
	degraded: "running, but not well: see below",
	draining: "stopping, takes no more work",
};

async function describe(status: Status, io: Io): Promise<string[]> {
	const [{ systemClock }, { healthRows }, { connectorRows }, { mostCounted, waitingRows }, { alignColumns }] =
		await Promise.all([
			import("@parley/base"),
			import("../gateway-health.ts"),
			import("../connectors/connector-words.ts"),
			import("../status/waiting.ts"),
			// Knows how wide characters are, which takes long to load: this file is loaded with every command.
			import("../text/columns.ts"),
		]);
	const now = systemClock.now();
	const { dim } = outputLook(io).styles;
	const { sessions, waiting, provider, model } = status;
	const rows = [
		["status", states[status.status]],
		["version", status.version],
		...(model === null ? [] : [["answers", `${model}${provider === model ? "" : ` (${provider})`}`]]),
		["process", String(status.pid)],
		...status.urls.map((url, index) => [index === 0 ? "address" : "", url]),
		...(status.health ? healthRows(status.health) : []),
		...status.connectors.flatMap((one) => connectorRows(one, now)),
		["data", status.data],
		["uptime", duration(now - Date.parse(status.started_at))],
		["sessions", sessions === null ? "unknown" : `${sessions}${sessions === mostCounted ? " or more" : ""}`],
		...(waiting ? waitingRows(waiting) : []).map((row, index) => [index === 0 ? "waiting" : "", row]),
	];
	return alignColumns(rows.map(([name = "", value = ""]) => [dim(name), visibleLine(value)]));
}

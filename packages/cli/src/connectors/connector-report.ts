import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseJson } from "@parley/base";
import { isAlive } from "../running-gateway.ts";
import { platforms } from "./platform.ts";

/**
 * How a connector is doing: `waiting` for the platform or the gateway, which it goes on with by itself; `refused` where
 * a person must change something first; `failed` where it has ended and may be started again.
 */
export type ConnectorState = "starting" | "connected" | "waiting" | "refused" | "failed";

export interface ConnectorWords {
	readonly state: ConnectorState;
	/** Why, for people; absent where all is well. */
	readonly detail?: string;
	/** Events that wait to be handled, posts that are not settled, and those of them that need a decision. */
	readonly waiting?: number;
	readonly open?: number;
	readonly held?: number;
}

/** What a connector says of itself, in a file beside its database. Times are milliseconds since the epoch. */
export interface ConnectorReport extends ConnectorWords {
	readonly pid: number;
	/** Of the state. */
	readonly since: number;
	/** When it was last written. */
	readonly seen: number;
}

/** A report, and whether that is still true. `silent`: its process is gone, or has said nothing for a while. */
export interface ConnectorStanding extends Omit<ConnectorReport, "state"> {
	readonly platform: string;
	readonly state: ConnectorState | "silent";
}

/** A connector that works writes more often than this, also on a slow disk. */
const silentMs = 60_000;

export function reportFileOf(data: string, platform: string): string {
	return join(data, "connectors", `${platform}.json`);
}

/** For this user alone, whole or not at all. */
export async function writeReport(file: string, report: ConnectorReport): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	const draft = `${file}.draft`;
	await rm(draft, { force: true });
	await using handle = await open(draft, "wx", 0o600);
	await handle.writeFile(`${JSON.stringify(report)}\n`);
	await rename(draft, file);
}

/** Of the connectors of a data directory those that run, or have ended otherwise than by being asked to. */
export async function readStandings(data: string, now: number): Promise<ConnectorStanding[]> {
	const found = await Promise.all(
		platforms.map(async ({ name: platform }) => {
			const report = await readReport(reportFileOf(data, platform));
			return report && { platform, ...judge(report, now, isAlive(report.pid)) };
		}),
	);
	return found.filter((one) => one !== undefined);
}

/** What a report means at this moment. */
export function judge(
	report: ConnectorReport,
	now: number,
	isAlive: boolean,
): Omit<ConnectorStanding, "platform"> {
	if (report.state === "refused" || report.state === "failed") return report;
	if (isAlive && now - report.seen < silentMs) return report;
	const detail = isAlive
		? `process ${report.pid} is there, but has said nothing for a while`
		: `process ${report.pid} has ended without a word`;
	return { ...report, state: "silent", detail };
}

async function readReport(file: string): Promise<ConnectorReport | undefined> {
	try {
		const report = parseJson(await readFile(file, "utf8"));
		// True because only connectors of ours write that file, whole.
		return report as ConnectorReport;
	} catch (error) {
		if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code))) {
			return undefined;
		}
		throw error;
	}
}

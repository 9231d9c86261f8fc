import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, definedItems, type Logger, ParleyError, parseJson, type Timer } from "@parley/base";
import { isAlive } from "../client/running-gateway.ts";
import { platforms } from "../gateway/platform.ts";
import { duration } from "../text/time-ago.ts";
import { connectorStateTexts } from "../texts/connectors/state.ts";

/**
 * State of a connector:
 * - `waiting`: the connector waits for the platform or the gateway, and then continues automatically.
 * - `refused`: a person must change something before the next start.
 * - `failed`: the process has ended and may be started again.
 */
export type ConnectorState = "starting" | "connected" | "waiting" | "refused" | "failed";

export interface ConnectorWords {
	readonly state: ConnectorState;
	/** Human-readable reason for the state. Absent if there is no problem. */
	readonly detail?: string;
	/**
	 * `waiting`: number of unhandled events. `open`: number of unsettled posts. `held`: number of unsettled
	 * posts that need a decision.
	 */
	readonly waiting?: number;
	readonly open?: number;
	readonly held?: number;
}

/** State of a connector, as a file of the data directory stores it. */
export interface ConnectorReport extends ConnectorWords {
	readonly pid: number;
	/** Time at which the state began, in milliseconds since the epoch. */
	readonly since: number;
	/** Time of the last report, in milliseconds since the epoch. */
	readonly seen: number;
}

/** A report with the current state. `silent`: the process ended without a report, or has not reported for a while. */
export interface ConnectorStatus extends Omit<ConnectorReport, "state"> {
	readonly platform: string;
	readonly state: ConnectorState | "silent";
}

/**
 * Age of a report above which the connector is treated as silent. A running connector reports more often,
 * even on a slow disk.
 */
const silentMs = 60_000;

export function reportFileOf(data: string, platform: string): string {
	return join(data, "connectors", `${platform}.json`);
}

/** Writes the report atomically, to a file that only this user can read. */
async function writeReport(file: string, report: ConnectorReport): Promise<void> {
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	const draft = `${file}.draft`;
	await rm(draft, { force: true });
	await using handle = await open(draft, "wx", 0o600);
	await handle.writeFile(`${JSON.stringify(report)}\n`);
	await rename(draft, file);
}

/**
 * Resolves with the states of a data directory's connectors that are running, or that ended without a stop
 * request.
 */
export async function readConnectorStatuses(data: string, now: number): Promise<ConnectorStatus[]> {
	const found = await Promise.all(
		platforms.map(async ({ name: platform }) => {
			const report = await readReport(reportFileOf(data, platform));
			return report && { platform, ...judge(report, now, isAlive(report.pid)) };
		}),
	);
	return found.filter((one) => one !== undefined);
}

/** Returns the current state of a connector, derived from its report. */
export function judge(
	report: ConnectorReport,
	now: number,
	isAlive: boolean,
): Omit<ConnectorStatus, "platform"> {
	if (report.state === "refused" || report.state === "failed") return report;
	if (isAlive && now - report.seen < silentMs) return report;
	const detail = isAlive
		? connectorStateTexts.silent({ pid: report.pid })
		: connectorStateTexts.ended({ pid: report.pid });
	return { ...report, state: "silent", detail };
}

async function readReport(file: string): Promise<ConnectorReport | undefined> {
	try {
		const report = parseJson(await readFile(file, "utf8"));
		// The cast is safe because only Parley's connectors write this file, and they write it atomically.
		return report as ConnectorReport;
	} catch (error) {
		if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code))) {
			return undefined;
		}
		throw error;
	}
}

/** Returns the state of a connector in one line. */
export function connectorWords(status: ConnectorStatus, now: number): string {
	const { state, detail, since, pid } = status;
	const reason = detail === undefined ? "" : `: ${detail}`;
	const span = duration(Math.max(0, now - since));
	switch (state) {
		case "starting":
			return connectorStateTexts.starting({ pid });
		case "connected":
			return connectorStateTexts.connected({ span, pid, load: loadOf(status) });
		case "waiting":
			return connectorStateTexts.waiting({ span, reason, load: loadOf(status) });
		case "refused":
			return connectorStateTexts.refused({ reason });
		case "failed":
			return connectorStateTexts.failed({ reason });
		case "silent":
			return connectorStateTexts.notWorking({ reason });
	}
}

/** Returns the state of a connector as rows, with the fix if there is a problem. */
export function connectorRows(status: ConnectorStatus, now: number): [string, string][] {
	const fix = connectorFix(status);
	return definedItems([
		[status.platform, connectorWords(status, now)],
		fix === undefined ? undefined : (["", fix] satisfies [string, string]),
	]);
}

/** Returns the fix for the state, or undefined if no fix is needed. */
export function connectorFix({ platform, state, held = 0 }: ConnectorStatus): string | undefined {
	switch (state) {
		case "refused":
			return connectorStateTexts.refusedFix({ platform });
		case "failed":
		case "silent":
			return connectorStateTexts.failedFix({ platform });
		case "waiting":
			return connectorStateTexts.waitingFix({ platform });
		case "starting":
		case "connected":
			return held > 0 ? connectorStateTexts.decisionFix({ platform }) : undefined;
	}
}

function loadOf({ waiting = 0, open = 0, held = 0 }: ConnectorStatus): string {
	const facts = definedItems([
		waiting > 0 ? connectorStateTexts.events({ count: waiting }) : undefined,
		open - held > 0 ? connectorStateTexts.posts({ count: open - held }) : undefined,
		held > 0 ? connectorStateTexts.undecidedPosts({ count: held }) : undefined,
	]);
	return facts.length > 0 ? `; ${facts.join(", ")}` : "";
}

/** Milliseconds between two reports without a change. */
const everyMs = 5_000;

interface ReportWriterParts {
	readonly file: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly pid: number;
	/** Receives each change of the state or of its reason. */
	readonly onChange?: (words: ConnectorWords) => void;
}

/**
 * Updates the report of a connector at each change and every five seconds. If the report cannot be written, the connector
 * continues.
 */
export class ReportWriter {
	readonly #parts: ReportWriterParts;
	#last: ConnectorReport | undefined;
	#report: (() => Promise<ConnectorWords>) | undefined;
	#timer: Timer | undefined;
	#work: Promise<void> = Promise.resolve();
	#isWritten = true;

	constructor(parts: ReportWriterParts) {
		this.#parts = parts;
	}

	/** Resolves when the report is written or its write has failed. */
	update(words: ConnectorWords): Promise<void> {
		return this.#queue(async () => words);
	}

	/** Starts to report the states that `readState` returns. */
	watch(readState: () => Promise<ConnectorWords>): void {
		this.#report = readState;
		this.changed();
	}

	/**
	 * Writes the state that `readState` of `watch` returns, immediately and then every five seconds. No effect before
	 * `watch` and after `end`.
	 */
	readonly changed = (): void => {
		const readState = this.#report;
		if (!readState) return;
		this.#timer?.cancel();
		void this.#queue(readState).then(() => {
			if (this.#report !== readState) return;
			this.#timer?.cancel();
			this.#timer = this.#parts.clock.after(everyMs, this.changed);
		});
	};

	/** Ends the reports. With `words`, writes them as the last report. Without `words`, deletes the report. */
	async end(words?: ConnectorWords): Promise<void> {
		this.#report = undefined;
		this.#timer?.cancel();
		if (words) return this.update(words);
		await this.#work;
		await rm(this.#parts.file, { force: true }).catch((error: unknown) => this.#failed(error));
	}

	#queue(readState: () => Promise<ConnectorWords>): Promise<void> {
		this.#work = this.#work.then(() => this.#write(readState)).catch((error: unknown) => this.#failed(error));
		return this.#work;
	}

	async #write(readState: () => Promise<ConnectorWords>): Promise<void> {
		const { file, clock, pid, onChange } = this.#parts;
		const [words, now, last] = [await readState(), clock.now(), this.#last];
		const isSame = last?.state === words.state && last.detail === words.detail;
		this.#last = { ...words, pid, since: isSame ? last.since : now, seen: now };
		if (!isSame) onChange?.(words);
		await writeReport(file, this.#last);
		this.#isWritten = true;
	}

	/** Logs only the first failure of a series. */
	#failed(reason: unknown): void {
		if (this.#isWritten) {
			const why = reason instanceof Error ? reason.message : ParleyError.from(reason).message;
			this.#parts.log.warn("cannot write the state of the connector", { why });
		}
		this.#isWritten = false;
	}
}

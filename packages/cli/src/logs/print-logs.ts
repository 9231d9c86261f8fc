import { type LogLevel, ParleyError, systemClock } from "@parley/base";
import { findRunningGateway } from "../client/running-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { formatLogLine } from "../gateway/human-log.ts";
import { findInstalled, type InstalledService, servicesOf } from "../service/find-service.ts";
import { isWithin } from "../service/is-within.ts";
import type { Machine } from "../service/machine.ts";
import { createStyles, usesColours } from "../text/styles.ts";
import { visibleText } from "../text/visible.ts";
import { logTexts } from "../texts/logs.ts";
import { serviceTexts } from "../texts/service.ts";
import { type LogFilter, type LogLine, matches, recordOf } from "./log-line.ts";
import { readJournal } from "./read-journal.ts";
import { followLogFile, hasLogFile, readLogFile } from "./read-log-file.ts";

export interface LogsOptions {
	readonly since?: number;
	readonly level?: LogLevel;
	/** Maximum number of existing lines to print. Only the newest lines are printed. Ignored with `since`. */
	readonly lines: number;
	readonly follow: boolean;
	readonly json: boolean;
}

interface Surroundings {
	readonly io: Io;
	readonly machine: Machine;
}

/** Prints the log of a data directory's gateway: the journal of its systemd service, otherwise the log file. */
export async function printLogs(data: string, options: LogsOptions, around: Surroundings): Promise<void> {
	const service = await serviceWithLog(data, around.machine);
	if (service) return printJournal(service, options, around);
	if (hasLogFile(data)) return printFile(data, options, around);
	throw new ParleyError(logTexts.none({ data }), { code: "not_found" });
}

export async function printServiceLogs(
	{ name, system }: { readonly name: string; readonly system?: boolean },
	options: LogsOptions,
	around: Surroundings,
): Promise<void> {
	const service = await findInstalled(name, system ? "system" : undefined, around.machine);
	if (!service) {
		throw new ParleyError(serviceTexts.notInstalled({ name }), { code: "not_found" });
	}
	if (service.manager.kind === "systemd") return printJournal(service, options, around);
	return printFile(service.marker.data, options, around);
}

/**
 * Resolves with the systemd service of the data directory, if the service runs the gateway or no gateway is running.
 * Otherwise, resolves with undefined.
 */
async function serviceWithLog(data: string, machine: Machine): Promise<InstalledService | undefined> {
	const [service] = (await servicesOf(data, machine)).filter(({ manager }) => manager.kind === "systemd");
	if (!service) return undefined;
	const running = await findRunningGateway(data);
	if (!running) return service;
	const { pid } = await service.manager.state(service.name);
	return pid !== undefined && (await isWithin(running.pid, pid)) ? service : undefined;
}

async function printJournal(
	{ name, manager: { scope } }: InstalledService,
	options: LogsOptions,
	{ io, machine }: Surroundings,
): Promise<void> {
	const { since, follow } = options;
	const printer = new Printer(options, io);
	// With `level`, the limit counts only lines that pass the filter, so all lines are read. With `since`, the
	// limit does not apply.
	const lines = options.level === undefined && since === undefined ? options.lines : undefined;
	const after = await readJournal({ name, scope, since, lines }, machine, (line) => printer.store(line));
	printer.flush();
	if (!follow) return;
	using interrupt = untilInterrupt();
	const onLine = (line: LogLine): void => printer.print(line);
	await readJournal({ name, scope, after, follow, signal: interrupt.signal }, machine, onLine);
}

async function printFile(data: string, options: LogsOptions, { io }: Surroundings): Promise<void> {
	const printer = new Printer(options, io);
	if (!options.follow) {
		for (const text of await readLogFile(data)) printer.store({ text });
		return printer.flush();
	}
	// Without `since`, only the last existing lines are printed. These are known only after all lines were
	// read.
	let isOlder = true;
	using interrupt = untilInterrupt();
	const onLine = (text: string): void => (isOlder ? printer.store({ text }) : printer.print({ text }));
	const onOlder = (): void => {
		isOlder = false;
		printer.flush();
	};
	await followLogFile(data, { clock: systemClock, signal: interrupt.signal, onLine, onOlder });
}

function untilInterrupt(): Disposable & { readonly signal: AbortSignal } {
	// After Ctrl-C or SIGTERM, `--follow` must end without an error.
	const controller = new AbortController();
	const abort = (): void => controller.abort();
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, abort);
	return {
		signal: controller.signal,
		[Symbol.dispose]: () => {
			for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, abort);
		},
	};
}

class Printer {
	readonly #options: LogsOptions;
	readonly #io: Io;
	readonly #filter: LogFilter;
	#stored: LogLine[] = [];

	constructor(options: LogsOptions, io: Io) {
		this.#options = options;
		this.#io = io;
		this.#filter = options;
	}

	/**
	 * Stores a line that passes the filter, until `flush`. Without `since`, `flush` prints only the last stored
	 * lines.
	 */
	store(line: LogLine): void {
		if (!matches(line, this.#filter)) return;
		this.#stored.push(line);
		const isLimited = this.#options.since === undefined;
		if (isLimited && this.#stored.length > 2 * this.#options.lines)
			this.#stored = this.#stored.slice(-this.#options.lines);
	}

	flush(): void {
		const isLimited = this.#options.since === undefined;
		for (const line of isLimited ? this.#stored.slice(-this.#options.lines) : this.#stored) this.#write(line);
		this.#stored = [];
	}

	print(line: LogLine): void {
		if (matches(line, this.#filter)) this.#write(line);
	}

	#write(line: LogLine): void {
		this.#io.stdout.write(`${this.#options.json ? jsonOf(line) : this.#textOf(line)}\n`);
	}

	#textOf(line: LogLine): string {
		const { stdout, environment } = this.#io;
		const styles = createStyles(usesColours(stdout, environment));
		return recordOf(line) ? formatLogLine(line.text, styles) : visibleText(line.text);
	}
}

/** Returns one JSON object for each line, even for output that is not JSON. */
function jsonOf(line: LogLine): string {
	if (recordOf(line)) return line.text;
	const time = line.time === undefined ? undefined : new Date(line.time).toISOString();
	return JSON.stringify({ time, msg: line.text });
}

import { fstatSync, statSync } from "node:fs";
import { type LogDestination, type LogLevel, logLevels, StderrWriter } from "@parley/base";
import type { Io } from "../command-line/io.ts";
import { LogFile, logFilesIn } from "./log-file.ts";

export interface LogOutputOptions {
	readonly data: string;
	/** Minimum level of the lines that the operator sees. */
	readonly level: LogLevel;
	/** Shows lines to a person at a terminal. If undefined, the lines are written to stderr as JSON. */
	readonly terminal?: { write(line: string): unknown } | undefined;
	/** Whether the lines are written only to the file. */
	readonly onlyFile: boolean;
	readonly environment: Io["environment"];
}

/** The destination of log lines, and the level for the logger. */
export interface LogOutput {
	readonly level: LogLevel;
	readonly destination: LogDestination;
	/**
	 * Whether the lines of connectors must be passed to the destination. Otherwise, connectors write to stderr
	 * themselves, even after this process has ended.
	 */
	readonly takesLines: boolean;
}

/**
 * Selects the outputs of log lines: stderr or the terminal, and the log file of the data directory. There is
 * no log file if the systemd journal stores stderr. In the background, stderr is the log file, which receives
 * each line only once. For a person at a terminal, the file contains lines of the level `info` even if
 * `level` is higher. With the level `silent`, there is no log file.
 */
export function logOutput({ data, level, terminal, onlyFile, environment }: LogOutputOptions): LogOutput {
	if (level === "silent") return { level, destination: terminal ?? new StderrWriter(), takesLines: false };
	const file = new LogFile(data);
	if (onlyFile || isLogFile(data)) return { level, destination: file, takesLines: true };
	if (terminal) {
		const shown = logLevels.slice(logLevels.indexOf(level));
		const atLeast = level === "debug" ? "debug" : "info";
		return {
			level: atLeast,
			destination: tee({ write: (line) => shown.includes(levelOf(line)) && terminal.write(line) }, file),
			takesLines: false,
		};
	}
	const stderr = new StderrWriter();
	return { level, destination: isJournal(environment) ? stderr : tee(stderr, file), takesLines: false };
}

function tee(first: LogDestination, file: LogFile): LogDestination {
	return {
		write: (line) => {
			file.write(line);
			return first.write(line);
		},
		drainLost: () => first.drainLost?.() ?? 0,
	};
}

/**
 * Returns the level of a line that `createLogger` wrote. Any other line is a program error, which the operator
 * must see.
 */
function levelOf(line: string): LogLevel {
	const [, name] = /^\{"level":"(\w+)"/.exec(line) ?? [];
	return logLevels.find((one) => one === name) ?? "error";
}

/** Whether stderr is the log file of the data directory. */
function isLogFile(data: string): boolean {
	const file = statSync(logFilesIn(data).current, { throwIfNoEntry: false });
	const { dev, ino } = fstatSync(2);
	return file?.dev === dev && file.ino === ino;
}

function isJournal({ JOURNAL_STREAM: stream }: Io["environment"]): boolean {
	if (!stream) return false;
	// JOURNAL_STREAM contains the device and inode of the stream to the systemd journal: systemd.exec(5).
	const { dev, ino } = fstatSync(2);
	return stream === `${dev}:${ino}`;
}

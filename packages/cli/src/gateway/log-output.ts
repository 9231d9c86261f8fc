import { fstatSync, statSync } from "node:fs";
import { type LogDestination, type LogLevel, logLevels, StderrWriter } from "@parley/base";
import type { Io } from "../command-line/io.ts";
import { LogFile, logFilesIn } from "./log-file.ts";

export interface LogOutputOptions {
	readonly data: string;
	/** Minimum level of lines that the operator sees. */
	readonly level: LogLevel;
	/** Shows lines to a person at a terminal, instead of JSON on stderr. */
	readonly terminal?: { write(line: string): unknown } | undefined;
	/** Whether lines are only written to the file. */
	readonly onlyFile: boolean;
	readonly environment: Io["environment"];
}

/** The destination of log lines, and the level of the logger. */
export interface LogOutput {
	readonly level: LogLevel;
	readonly destination: LogDestination;
	/** Whether lines of connectors must be passed to the destination. Otherwise they write to stderr, also after the end of this process. */
	readonly takesLines: boolean;
}

/**
 * Log lines go to stderr, or to the terminal, and to the log file of the data directory. The journal of systemd stores
 * stderr itself, so there is no file for it. In the background, stderr is the log file, which gets each line only once. For a
 * person at a terminal, the file also has the lines of `info`.
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

/** Level of a line that `createLogger` wrote. Other lines are errors of programs, which the operator sees. */
function levelOf(line: string): LogLevel {
	const [, name] = /^\{"level":"(\w+)"/.exec(line) ?? [];
	return logLevels.find((one) => one === name) ?? "error";
}

/** Whether stderr leads to the log file of the data directory. */
function isLogFile(data: string): boolean {
	const file = statSync(logFilesIn(data).current, { throwIfNoEntry: false });
	const { dev, ino } = fstatSync(2);
	return file?.dev === dev && file.ino === ino;
}

/** Whether stderr leads to the journal. JOURNAL_STREAM has its device and inode: systemd.exec(5). */
function isJournal({ JOURNAL_STREAM: stream }: Io["environment"]): boolean {
	if (!stream) return false;
	const { dev, ino } = fstatSync(2);
	return stream === `${dev}:${ino}`;
}

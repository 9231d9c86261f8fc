import { writeSync } from "node:fs";
import { pino, stdTimeFunctions } from "pino";
import type { Redactor, TextRedactor } from "./redactor.ts";

/**
 * Log levels, in order of severity. A logger writes lines of its own level and of later levels. `silent`
 * writes no lines.
 */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Log of the program for its operator. Never throws because of its arguments. */
export interface Logger {
	debug(message: string, fields?: LogFields): void;
	info(message: string, fields?: LogFields): void;
	warn(message: string, fields?: LogFields): void;
	error(message: string, fields?: LogFields): void;
	child(fields: LogFields): Logger;
}

/** Fields of a log line. A value may be a caught error. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Destination that receives one line of JSON at a time. */
export interface LogDestination {
	/** Writes a line. Returns false if the line was lost. */
	write(line: string): unknown;
	/** Returns the number of lines lost since the last call. Without this method, lost lines are not counted. */
	drainLost?(): number;
}

export interface LoggerOptions {
	readonly level: LogLevel;
	/** Destination of the log. Default: stderr. */
	readonly destination?: LogDestination;
	readonly redactor: Redactor;
}

/**
 * Creates a logger that writes each message at or above `level` as one line of JSON with an ISO time. The
 * redactor removes secrets from each line.
 */
export function createLogger(options: LoggerOptions): Logger {
	const output = options.destination ?? new StderrWriter();
	const write = (line: string): void => {
		// If this line is lost, a line about the loss would be lost too.
		if (output.write(line) === false) return;
		const lost = output.drainLost?.() ?? 0;
		if (lost > 0) lines().warn({ lost }, "log lines are missing here: stderr was not read in time");
	};
	let logger: pino.Logger | undefined;
	// The pino logger is created with the first line, because most starts log nothing.
	const lines = (): pino.Logger => {
		logger ??= pino(
			{
				level: options.level,
				base: null,
				timestamp: stdTimeFunctions.isoTime,
				formatters: { level: (label) => ({ level: label }) },
				// Errors are already plain objects here, which the serializer of pino does not recognise.
				serializers: { err: (value: unknown) => value },
			},
			{ write },
		);
		return logger;
	};
	const least = logLevels.indexOf(options.level);
	return bind((level) => (logLevels.indexOf(level) < least ? undefined : lines()), {
		redactor: options.redactor.into("log"),
		bound: {},
	});
}

type LineLevel = Exclude<LogLevel, "silent">;

/** Returns the logger for a level, or undefined for a level that is not logged. */
type Lines = (level: LineLevel) => pino.Logger | undefined;

function bind(
	lines: Lines,
	{ redactor, bound }: { readonly redactor: TextRedactor; readonly bound: LogFields },
): Logger {
	// Bound fields are redacted for each line, to remove secrets that are registered later.
	const at = (level: LineLevel) => (message: string, fields?: LogFields) => {
		lines(level)?.[level](redactor.redactFields({ ...bound, ...fields }), redactor.redact(message));
	};
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		child: (fields) => bind(lines, { redactor, bound: { ...bound, ...fields } }),
	};
}

export const silentLogger: Logger = {
	debug: () => undefined,
	info: () => undefined,
	warn: () => undefined,
	error: () => undefined,
	child: () => silentLogger,
};

const maxLineWaitMs = 100;
const pauseMs = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

interface StderrWriterOptions {
	/** Writes as many bytes as fit, and returns their number. Throws `EAGAIN` if none fit. */
	readonly write?: (bytes: Buffer) => number;
	readonly pause?: (milliseconds: number) => void;
}

/**
 * Writes lines to stderr. Waits up to 100 ms for a slow reader, then drops the line, because a log must not
 * stop the program. Also drops a line that cannot be written, for example because the disk is full.
 */
export class StderrWriter {
	readonly #write: (bytes: Buffer) => number;
	readonly #pause: (milliseconds: number) => void;
	#lost = 0;
	/** Whether the last line was written only in part. */
	#cut = false;

	constructor({ write, pause }: StderrWriterOptions = {}) {
		this.#write = write ?? ((bytes) => writeSync(2, bytes));
		this.#pause = pause ?? ((milliseconds) => void Atomics.wait(never, 0, 0, milliseconds));
	}

	/** Writes a line. Returns whether the complete line was written. */
	write(line: string): boolean {
		// Does not wait again for a reader that has already missed a line.
		let left = this.#lost > 0 ? 0 : maxLineWaitMs;
		let bytes = Buffer.from(this.#cut ? `\n${line}` : line);
		while (bytes.length > 0) {
			try {
				const written = this.#write(bytes);
				this.#cut ||= written > 0;
				bytes = bytes.subarray(written);
			} catch (error) {
				const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
				if (!isFull || left <= 0) {
					this.#lost += 1;
					return false;
				}
				this.#pause(pauseMs);
				left -= pauseMs;
			}
		}
		this.#cut = false;
		return true;
	}

	/** Returns the number of lines lost since the last call. */
	drainLost(): number {
		const lost = this.#lost;
		this.#lost = 0;
		return lost;
	}
}

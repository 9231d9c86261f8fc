import { writeSync } from "node:fs";
import { pino, stdTimeFunctions } from "pino";
import type { Redactor, TextRedactor } from "./redactor.ts";

/**
 * Log levels, in ascending order of severity. A logger writes lines of its own level and of the levels after it. A
 * logger with the level `silent` writes no lines.
 */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

/** Log of the program for its operator. No method throws, whatever its arguments are. */
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
	/**
	 * Returns the number of lines that were lost since the last call of `drainLost`. If the method is absent, lost lines
	 * are not counted.
	 */
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
		// If the line is lost, a further line about the loss would be lost too.
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
				// Errors are already plain objects here, and pino's own serializer does not recognise plain objects as
				// errors.
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

/** Function that returns the logger for a level, or undefined if lines of the level are not logged. */
type Lines = (level: LineLevel) => pino.Logger | undefined;

function bind(
	lines: Lines,
	{ redactor, bound }: { readonly redactor: TextRedactor; readonly bound: LogFields },
): Logger {
	// Bound fields are redacted again for each line, because a secret in a bound field may be registered after `child`
	// was called.
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
	/** Writes as many bytes as fit, and returns the number of written bytes. Throws `EAGAIN` if no byte fits. */
	readonly write?: (bytes: Buffer) => number;
	readonly pause?: (milliseconds: number) => void;
}

/**
 * Writer of lines to stderr. Waits up to 100 ms for a slow reader and then drops the line, because a log must not stop
 * the program. Also drops a line that cannot be written, for example because the disk is full.
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
		// After a lost line, further lines do not wait for the reader until `drainLost` is called.
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

	/** Returns the number of lines that were lost since the last call of `drainLost`. */
	drainLost(): number {
		const lost = this.#lost;
		this.#lost = 0;
		return lost;
	}
}

import { writeSync } from "node:fs";
import { pino, stdTimeFunctions } from "pino";
import type { Redactor, TextRedactor } from "./redactor.ts";

/** How much is logged: a level and all above it. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

/** One of `logLevels`; `silent` logs nothing. */
export type LogLevel = (typeof logLevels)[number];

/** Where the program tells its operator what happens. Never throws because of what it is given. */
export interface Logger {
	debug(message: string, fields?: LogFields): void;
	info(message: string, fields?: LogFields): void;
	warn(message: string, fields?: LogFields): void;
	error(message: string, fields?: LogFields): void;
	/** A logger that adds these fields to each line. */
	child(fields: LogFields): Logger;
}

/** Whatever belongs to a log line; errors may be given as they are. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What a logger is made of. */
export interface LoggerOptions {
	readonly level: LogLevel;
	/** Takes one line of JSON at a time; stderr unless told. */
	readonly destination?: { write(line: string): unknown };
	readonly redactor: Redactor;
}

/** A logger that writes one line of JSON per message, with ISO time, and no secret that the redactor knows. */
export function createLogger(options: LoggerOptions): Logger {
	const output = options.destination ?? { write: writeToStderr };
	const lines = pino(
		{
			level: options.level,
			base: null,
			timestamp: stdTimeFunctions.isoTime,
			formatters: { level: (label) => ({ level: label }) },
			// Errors are plain objects by then; pino's own serializer would take them for foreign ones.
			serializers: { err: (value: unknown) => value },
		},
		// pino's type wants a `void` result; streams return a boolean, which pino ignores.
		{ write: (line: string) => void output.write(line) },
	);
	return bind(lines, options.redactor.into("log"), {});
}

const pauseMs = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Waits for a reader that is slow. What cannot be written, because of a full disk or a reader that has gone, is lost: a
 * log must not end what it tells of, and the next line may find room again.
 */
function writeToStderr(line: string): void {
	const bytes = Buffer.from(line);
	for (let written = 0; written < bytes.length; ) {
		try {
			written += writeSync(2, bytes, written);
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
			Atomics.wait(never, 0, 0, pauseMs);
		}
	}
}

function bind(lines: pino.Logger, redactor: TextRedactor, bound: LogFields): Logger {
	// Bound fields are redacted on each line, not once, so that a secret learnt later is taken out of them too.
	const at = (level: Exclude<LogLevel, "silent">) => (message: string, fields?: LogFields) => {
		if (!lines.isLevelEnabled(level)) return;
		lines[level](redactor.redactFields({ ...bound, ...fields }), redactor.redact(message));
	};
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		child: (fields) => bind(lines, redactor, { ...bound, ...fields }),
	};
}

/** Logs nothing. */
export const silentLogger: Logger = {
	debug: () => undefined,
	info: () => undefined,
	warn: () => undefined,
	error: () => undefined,
	child: () => silentLogger,
};

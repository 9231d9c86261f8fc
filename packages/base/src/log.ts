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

/** Takes one line of JSON at a time. */
export interface LogDestination {
	write(line: string): unknown;
	/** How many lines were lost since this was asked last; none unless told. */
	takeLost?(): number;
}

/** What a logger is made of. */
export interface LoggerOptions {
	readonly level: LogLevel;
	/** stderr unless told. */
	readonly destination?: LogDestination;
	readonly redactor: Redactor;
}

/** A logger that writes one line of JSON per message, with ISO time, and no secret that the redactor knows. */
export function createLogger(options: LoggerOptions): Logger {
	const output = options.destination ?? new StderrWriter();
	const write = (line: string): void => {
		// A line that says so would be lost itself.
		if (output.write(line) === false) return;
		const lost = output.takeLost?.() ?? 0;
		if (lost > 0) lines().warn({ lost }, "log lines are missing here: nobody read them in time");
	};
	let made: pino.Logger | undefined;
	// Made with the first line: a start waits for it, and mostly has nothing to say.
	const lines = (): pino.Logger => {
		made ??= pino(
			{
				level: options.level,
				base: null,
				timestamp: stdTimeFunctions.isoTime,
				formatters: { level: (label) => ({ level: label }) },
				// Errors are plain objects by then; pino's own serializer would take them for foreign ones.
				serializers: { err: (value: unknown) => value },
			},
			{ write },
		);
		return made;
	};
	const least = logLevels.indexOf(options.level);
	return bind((level) => (logLevels.indexOf(level) < least ? undefined : lines()), {
		redactor: options.redactor.into("log"),
		bound: {},
	});
}

type LineLevel = Exclude<LogLevel, "silent">;

/** What writes lines of a level; undefined where nothing does. */
type Lines = (level: LineLevel) => pino.Logger | undefined;

function bind(
	lines: Lines,
	{ redactor, bound }: { readonly redactor: TextRedactor; readonly bound: LogFields },
): Logger {
	// Bound fields are redacted on each line, not once, so that a secret learnt later is taken out of them too.
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

/** Logs nothing. */
export const silentLogger: Logger = {
	debug: () => undefined,
	info: () => undefined,
	warn: () => undefined,
	error: () => undefined,
	child: () => silentLogger,
};

/** How long one line waits for a reader that is slow, in milliseconds. */
const patienceMs = 100;
const pauseMs = 10;
const never = new Int32Array(new SharedArrayBuffer(4));

/** What it is made of; tests bring their own. */
interface StderrWriterOptions {
	/** Writes what there is room for and returns how many bytes that were; throws `EAGAIN` where there is none. */
	readonly write?: (bytes: Buffer) => number;
	readonly pause?: (milliseconds: number) => void;
}

/**
 * Writes lines to stderr as they come, and waits a moment for a reader that is slow. What cannot be written, because of a
 * full disk or a reader that has gone or does not read, is lost: a log must not stop what it tells of.
 */
export class StderrWriter {
	readonly #write: (bytes: Buffer) => number;
	readonly #pause: (milliseconds: number) => void;
	#lost = 0;
	/** Whether the last line that was written lacks its end. */
	#cut = false;

	constructor({ write, pause }: StderrWriterOptions = {}) {
		this.#write = write ?? ((bytes) => writeSync(2, bytes));
		this.#pause = pause ?? ((milliseconds) => void Atomics.wait(never, 0, 0, milliseconds));
	}

	/** Writes a line; false where it was lost. */
	write(line: string): boolean {
		// Who has not read for a while is not waited for again and again.
		let left = this.#lost > 0 ? 0 : patienceMs;
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

	/** How many lines were lost since this was asked last. */
	takeLost(): number {
		const lost = this.#lost;
		this.#lost = 0;
		return lost;
	}
}

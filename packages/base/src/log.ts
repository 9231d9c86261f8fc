import { pino, stdTimeFunctions } from "pino";
import type { Redactor, TextRedactor } from "./redactor.ts";
import { StderrWriter } from "./stderr-writer.ts";

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

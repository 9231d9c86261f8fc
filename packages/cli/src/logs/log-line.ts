import { type LogLevel, logLevels, parseJson } from "@parley/base";

export interface LogLine {
	/** The line as the gateway wrote it. */
	readonly text: string;
	/** Time in milliseconds since the epoch, if known. */
	readonly time?: number;
	/** Level of a message from the service manager. The gateway's own messages contain their level in the text. */
	readonly level?: LogLevel;
}

export interface LogFilter {
	/** Earliest time in milliseconds since the epoch. */
	readonly since?: number;
	/** Minimum level of the shown lines. */
	readonly level?: LogLevel;
}

/** Returns the fields of a JSON line, or undefined for other output, for example the stack of a crash. */
export function recordOf({ text }: LogLine): Readonly<Record<string, unknown>> | undefined {
	if (!text.startsWith("{")) return undefined;
	try {
		return Object(parseJson(text));
	} catch {
		return undefined;
	}
}

/**
 * Whether to show a line. A line without a time passes the filter `since`, and a line without a level passes the filter
 * `level`.
 */
export function matches(line: LogLine, { since, level }: LogFilter): boolean {
	const record = recordOf(line);
	const written = record?.["time"];
	const time = typeof written === "string" ? Date.parse(written) : line.time;
	if (since !== undefined && time !== undefined && time < since) return false;
	const name = line.level ?? logLevels.find((one) => one === record?.["level"]);
	return level === undefined || name === undefined || logLevels.indexOf(name) >= logLevels.indexOf(level);
}

import { type LogLevel, logLevels, parseJson } from "@parley/base";

/** A line of the log. */
export interface LogLine {
	/** As the gateway wrote it. */
	readonly text: string;
	/** Milliseconds since the epoch, if known. */
	readonly time?: number;
	/** Level of a message of the service manager. Messages of the gateway have theirs in the text. */
	readonly level?: LogLevel;
}

export interface LogFilter {
	/** Milliseconds since the epoch. */
	readonly since?: number;
	/** Minimum level. */
	readonly level?: LogLevel;
}

/** The fields of a line of JSON; undefined for other output, such as the stack of a crash. */
export function recordOf({ text }: LogLine): Readonly<Record<string, unknown>> | undefined {
	if (!text.startsWith("{")) return undefined;
	try {
		return Object(parseJson(text));
	} catch {
		return undefined;
	}
}

/** Whether a line is shown. Output without a level or a time always is. */
export function matches(line: LogLine, { since, level }: LogFilter): boolean {
	const record = recordOf(line);
	const written = record?.["time"];
	const time = typeof written === "string" ? Date.parse(written) : line.time;
	if (since !== undefined && time !== undefined && time < since) return false;
	const name = line.level ?? logLevels.find((one) => one === record?.["level"]);
	return level === undefined || name === undefined || logLevels.indexOf(name) >= logLevels.indexOf(level);
}

import { parseJson } from "@parley/base";
import type { Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";

/** Returns a writer that converts log lines from JSON to text for a person at the terminal. */
export function humanLog(
	output: { write(text: string): unknown },
	styles: Styles,
): { write(line: string): unknown } {
	return { write: (line) => output.write(`${formatLogLine(line.trimEnd(), styles)}\n`) };
}

/**
 * Converts one line to `12:34:56 warn message field=value`. In a line that is not JSON, only makes unsafe characters
 * visible.
 */
export function formatLogLine(line: string, styles: Styles): string {
	const record = readRecord(line);
	if (typeof record !== "object" || record === null) return visibleLine(line);
	const { time, level, msg, ...fields } = { time: "", level: "", msg: "", ...record };
	const clock = /T(\d\d:\d\d:\d\d)/.exec(describe(time))?.[1] ?? "";
	const shown = Object.entries(fields).map(([name, value]) => `${name}=${describe(value)}`);
	const text = [describe(msg), ...shown].map(visibleLine).join("  ");
	const colour = level === "error" ? styles.red : level === "warn" ? styles.yellow : styles.dim;
	return `${styles.dim(clock)} ${colour(`${visibleLine(describe(level)).padEnd(5)} ${text}`)}`;
}

/**
 * Parses a line, or returns undefined for output that is not JSON, for example the stack of a crashed program.
 */
function readRecord(line: string): unknown {
	try {
		return parseJson(line);
	} catch {
		return undefined;
	}
}

function describe(value: unknown): string {
	if (typeof value === "string") return value;
	const message = typeof value === "object" && value !== null && "message" in value && value.message;
	if (typeof message === "string") return message;
	return JSON.stringify(value) ?? "";
}

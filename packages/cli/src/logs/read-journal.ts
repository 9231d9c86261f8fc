import { defined, definedItems, type LogLevel, ParleyError, parseJson } from "@parley/base";
import type { Machine } from "../service/machine.ts";
import type { Scope } from "../service/service-plan.ts";
import { logTexts } from "../texts/logs.ts";
import type { LogLine } from "./log-line.ts";

interface JournalQuery {
	readonly name: string;
	readonly scope: Scope;
	/** Earliest time in milliseconds since the epoch. */
	readonly since?: number | undefined;
	/** Maximum number of existing lines to read. Only the newest lines are read. If undefined, all lines are read. */
	readonly lines?: number | undefined;
	readonly follow?: boolean;
	/** Cursor of the last read entry. Only later lines are read. */
	readonly after?: string | undefined;
	readonly signal?: AbortSignal;
}

/**
 * Passes the lines of a service from the systemd journal to `onLine`: journalctl(1). Resolves with the cursor of the
 * last line, or with `after` if there is no line.
 */
export async function readJournal(
	{ name, scope, since, lines, follow = false, after, signal }: JournalQuery,
	machine: Machine,
	onLine: (line: LogLine) => void,
): Promise<string | undefined> {
	const args = definedItems([
		scope === "user" ? "--user" : undefined,
		`--unit=${name}.service`,
		"--output=json",
		// Without this option, journalctl shows long messages as null.
		"--all",
		"--no-pager",
		"--quiet",
		`--lines=${lines ?? "all"}`,
		since === undefined ? undefined : `--since=@${Math.floor(since / 1000)}`,
		after === undefined ? undefined : `--after-cursor=${after}`,
		follow ? "--follow" : undefined,
	]);
	let position = after;
	const pass = (text: string): void => {
		const { cursor, line } = readEntry(text);
		position = cursor;
		if (line) onLine(line);
	};
	const { code, errors } = await machine.run("journalctl", args, defined({ onLine: pass, signal }));
	if (code === 0 || signal?.aborted) return position;
	const reason = errors.trim() || `exit code ${code}`;
	const fix = scope === "system" ? logTexts.useSudo : logTexts.tryAgain;
	throw new ParleyError(`${logTexts.journalFailed({ name, reason })}${fix}`, {
		code: "failed_precondition",
	});
}

/** Levels of systemd's own messages, by syslog(3) priority. All other priorities have the level `info`. */
const levels: Readonly<Record<string, LogLevel>> = { "3": "error", "4": "warn" };

/**
 * Reads an entry in the format of https://systemd.io/JOURNAL_EXPORT_FORMATS. A message that is not text is an array of
 * bytes.
 */
function readEntry(text: string): { readonly cursor: string; readonly line: LogLine | undefined } {
	const entry: Readonly<Record<string, unknown>> = Object(parseJson(text, { maxNodes: 1_000_000 }));
	const message = entry["MESSAGE"];
	const words = Array.isArray(message) ? Buffer.from(message.map(Number)).toString() : message;
	const isOfManager = entry["SYSLOG_IDENTIFIER"] === "systemd";
	const level = isOfManager ? (levels[String(entry["PRIORITY"])] ?? "info") : undefined;
	const time = Number(entry["__REALTIME_TIMESTAMP"]) / 1000;
	return {
		cursor: String(entry["__CURSOR"]),
		line: typeof words === "string" ? defined({ text: words, time, level }) : undefined,
	};
}

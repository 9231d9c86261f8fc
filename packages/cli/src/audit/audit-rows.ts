import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";

export type AuditCheck = MethodResult<"verify_audit">;

/** Result of a check of the stored text of sessions. */
export type MessagesCheck = NonNullable<AuditCheck["messages"]>;

/** The result of a check for people: first the audit, with the value for `--anchor`, then the messages. */
export function checkRows({ messages, ...audit }: AuditCheck): string[] {
	return [...auditRows(audit), ...(messages ? messagesRows(messages) : [])];
}

/** One line for messages without a fault; else a line for each example. */
export function messagesRows(check: MessagesCheck): string[] {
	const { ok, faults, examples } = check;
	if (ok) return [`the messages are intact: ${messagesSummary(check)}`];
	const rest = faults - examples.length;
	return definedItems([
		`the messages are not intact: ${counted(faults)} of sessions ${faults === 1 ? "was" : "were"} altered or removed`,
		...examples.map(({ session_id, row, reason }) => visibleLine(`${session_id}, ${row}: ${reason}`)),
		rest > 0 ? `and ${rest} more` : undefined,
		"compare them with a backup of an earlier time",
	]);
}

/** For example "40 rows of 3 sessions; 12 rows of an earlier version have no hash, and were not verified". */
export function messagesSummary({ verified, unverified, sessions, all_sessions }: MessagesCheck): string {
	const of = sessions === all_sessions ? "" : ` of ${all_sessions}`;
	const rows = `${counted(verified)} of ${sessions}${of} ${all_sessions === 1 ? "session" : "sessions"}`;
	if (unverified === 0) return rows;
	return `${rows}; ${counted(unverified)} of an earlier version have no hash, and were not verified`;
}

function auditRows({ ok, records, seq, head, broken }: Omit<AuditCheck, "messages">): string[] {
	if (ok)
		return definedItems([
			`the audit log is intact: ${counted(records)}`,
			seq === 0 ? undefined : `anchor: ${seq}:${head}`,
		]);
	const where = broken ? `row ${broken.seq}: ${visibleLine(broken.reason)}` : "no single row is damaged";
	return [
		"the audit log is not intact: rows were changed or removed",
		where,
		`${counted(records)} before it are valid; compare the log with a backup and with the anchors in the log of the gateway`,
	];
}

function counted(records: number): string {
	return records === 1 ? "1 row" : `${records} rows`;
}

type AuditRecord = MethodResult<"read_audit">["records"][number];

/** One row for each audit record, the newest last. Values that do not fit the terminal are only in `--json`. */
export function auditTable(records: readonly AuditRecord[], format: OutputFormat): string[] {
	const rows = [
		["SEQ", "TIME", "PRINCIPAL", "VIA", "ACTION", "DECISION", "OBJECT", "DETAILS"],
		...records.map(cellsOf),
	];
	return tableRows({ rows, right: [0], optional: [3, 0, 6], elastic: 7 }, format);
}

function cellsOf({ seq, ts, principal, via, action, decision, object, ...more }: AuditRecord): string[] {
	const grant = more.grant_id === undefined ? [] : [more.grant_id];
	const args = more.args === undefined ? [] : [textOf(more.args)];
	const details = [...grant, ...args].join(" ");
	const time = localTime(new Date(ts));
	return [String(seq), time, principal, via, action, decision, object, details].map(visibleLine);
}

function textOf(args: unknown): string {
	return typeof args === "string" ? args : JSON.stringify(args);
}

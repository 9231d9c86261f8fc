import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { auditTexts } from "../texts/audit.ts";

export type AuditCheck = MethodResult<"verify_audit">;

/** Result of a check of the sessions' stored text. */
export type MessagesCheck = NonNullable<AuditCheck["messages"]>;

/** Returns rows about the result of a check: first the audit log, then the messages if they were checked. */
export function checkRows({ messages, ...audit }: AuditCheck): string[] {
	return [...auditRows(audit), ...(messages ? messagesRows(messages) : [])];
}

/**
 * Returns one row if all messages are valid. Otherwise, returns rows with the number of faults, the examples and
 * the next step.
 */
export function messagesRows(check: MessagesCheck): string[] {
	const { ok, faults, examples } = check;
	if (ok) return [auditTexts.messagesIntact({ summary: messagesSummary(check) })];
	const rest = faults - examples.length;
	return definedItems([
		auditTexts.messagesAltered({ faults }),
		...examples.map(({ session_id, row, reason }) => visibleLine(`${session_id}, ${row}: ${reason}`)),
		rest > 0 ? auditTexts.moreFaults({ rest }) : undefined,
		auditTexts.compareMessages,
	]);
}

/**
 * Returns a summary of the check, for example "40 rows of 3 sessions; not verified: 12 rows of an earlier
 * version, without a hash".
 */
export function messagesSummary({ verified, unverified, sessions, all_sessions }: MessagesCheck): string {
	const checked = auditTexts.checked({ rows: verified, sessions, all: all_sessions });
	return unverified === 0 ? checked : auditTexts.unverified({ checked, unverified });
}

function auditRows({ ok, records, seq, head, broken }: Omit<AuditCheck, "messages">): string[] {
	if (ok)
		return definedItems([
			auditTexts.logIntact({ rows: records }),
			seq === 0 ? undefined : auditTexts.anchor({ seq, hash: head }),
		]);
	const where = broken
		? auditTexts.damagedRow({ seq: broken.seq, reason: visibleLine(broken.reason) })
		: auditTexts.noDamagedRow;
	return [auditTexts.logAltered, where, auditTexts.validRows({ rows: records })];
}

type AuditRecord = MethodResult<"read_audit">["records"][number];

/**
 * Returns the column names, and one row for each audit record, in the given order. Values that do not fit the
 * terminal are shortened or omitted.
 */
export function auditTable(records: readonly AuditRecord[], format: OutputFormat): string[] {
	const rows = [auditTexts.columns, ...records.map(cellsOf)];
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

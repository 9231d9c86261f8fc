import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";

type AuditRecord = MethodResult<"read_audit">["records"][number];

/** What was decided and done, a row each, the last at the end. What does not fit the terminal is left to `--json`. */
export function auditTable(records: readonly AuditRecord[], look: Look): string[] {
	const rows = [
		["SEQ", "TIME", "WHO", "VIA", "ACTION", "DECISION", "ON", "DETAILS"],
		...records.map(cellsOf),
	];
	return tableRows({ rows, right: [0], optional: [3, 0, 6], elastic: 7 }, look);
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

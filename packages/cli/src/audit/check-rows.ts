import type { MethodResult } from "@parley/protocol";
import { visibleLine } from "../text/visible.ts";

export type AuditCheck = MethodResult<"verify_audit">;

/** How a check of the audit ended, for people: the last line is what `--anchor` takes. */
export function checkRows({ ok, records, seq, head, broken }: AuditCheck): string[] {
	if (ok)
		return [`the audit is whole: ${counted(records)}`, ...(seq === 0 ? [] : [`anchor: ${seq}:${head}`])];
	const where = broken ? `row ${broken.seq}: ${visibleLine(broken.reason)}` : "no row is to blame";
	return [
		"the audit is not whole: somebody or something changed what was written",
		where,
		`before it, ${counted(records)} fit; a backup and the anchors in the gateway's log show what there was`,
	];
}

function counted(records: number): string {
	return records === 1 ? "1 row" : `${records} rows`;
}

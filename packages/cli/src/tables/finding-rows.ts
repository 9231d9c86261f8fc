import { alignColumns } from "../text/columns.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf, wrapText } from "../text/wrap.ts";
import { doctorTexts } from "../texts/doctor/shared.ts";

const marks: Readonly<Record<FindingStatus, string>> = { ok: "ok", warn: "warn", fail: "FAIL" };

/** Returns the rows of the findings with their fixes. The last row has the totals. */
export function doctorRows(findings: readonly Finding[], format: OutputFormat): string[] {
	const heads = alignColumns(findings.map(({ id, status }) => [marks[status], id, "|"])).map((row) =>
		row.slice(0, -1),
	);
	const rows = findings.flatMap((finding, index) => rowsOf(finding, heads[index] ?? "", format));
	return [...rows, "", sumOf(findings)];
}

function rowsOf({ status, what, fix }: Finding, head: string, { columns, styles }: OutputFormat): string[] {
	const indent = " ".repeat(widthOf(head));
	const room = Math.max(20, columns - indent.length);
	const lines = wrapped(what, room);
	const fixes = fix === undefined ? [] : wrapped(`→ ${fix}`, room).map(styles.cyan);
	const colour = { ok: styles.green, warn: styles.yellow, fail: styles.red }[status];
	const coloured = head.replace(marks[status], colour(marks[status]));
	return [...lines, ...fixes].map((line, index) => (index === 0 ? coloured : indent) + line);
}

function wrapped(text: string, room: number): string[] {
	const line = visibleLine(text);
	// A terminal can open a long address only if it is not wrapped.
	const address = line.split(" ").find((word) => word.startsWith("https://") && widthOf(word) > room);
	if (address === undefined) return wrapText(line, room);
	const at = line.indexOf(address);
	const before = wrapText(line.slice(0, at).trimEnd(), room);
	const after = line.slice(at + address.length).trimStart();
	return [...before, address, ...(after === "" ? [] : wrapped(after, room))];
}

function sumOf(findings: readonly Finding[]): string {
	const count = (requested: FindingStatus): number =>
		findings.filter(({ status }) => status === requested).length;
	const [failures, warnings] = [count("fail"), count("warn")];
	return doctorTexts.sum({ failures, warnings });
}

export type FindingStatus = "ok" | "warn" | "fail";

/** Result of a check. If the status is not `ok`, `fix` describes the fix on this system. */
export interface Found {
	readonly status: FindingStatus;
	readonly what: string;
	readonly fix?: string;
}

/** A result with the id of its check. An id never changes, because scripts use it. */
export interface Finding extends Found {
	readonly id: string;
}

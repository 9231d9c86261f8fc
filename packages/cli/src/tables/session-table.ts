import type { MethodResult } from "@parley/protocol";
import { alignColumns } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf } from "../text/wrap.ts";

type Listed = MethodResult<"list_sessions">["sessions"][number];

/** Titles and directories are shortened to what the others leave, but not below this. */
const leastColumns = 10;

/** The sessions in rows, the one that changed last first. */
export function sessionTable(sessions: readonly Listed[], now: number, { columns, styles }: Look): string[] {
	const newestFirst = [...sessions].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
	const facts = [["ID", "STATE", "MSGS", "UPDATED"], ...newestFirst.map((one) => factsOf(one, now))];
	const texts = [["TITLE", "DIRECTORY"], ...newestFirst.map(textsOf)];
	const aligned = alignColumns(facts);
	const left = columns - Math.max(...aligned.map(widthOf)) - 4;
	const width = Math.max(leastColumns, Math.floor(left / 2));
	const rows = facts.map((row, index) => [
		...row,
		...(texts[index] ?? []).map((text) => shorten(text, width)),
	]);
	return alignColumns(rows).map((row, index) => (index === 0 ? styles.dim(row) : row));
}

function factsOf({ session_id, state, message_count, updated_at }: Listed, now: number): string[] {
	return [session_id, state, String(message_count), timeAgo(Date.parse(updated_at), now)].map(visibleLine);
}

function textsOf({ title, root_dir }: Listed): string[] {
	return [visibleLine(title) || "(no title)", visibleLine(root_dir)];
}

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
const head = ["ID", "STATE", "MSGS", "UPDATED"];
/** Which of them are shown, and whether directories are: the first that leaves room for the texts. */
const layouts = [
	{ facts: [0, 1, 2, 3], texts: 2 },
	{ facts: [0, 1, 2, 3], texts: 1 },
	{ facts: [0, 1, 3], texts: 1 },
	{ facts: [0, 1], texts: 1 },
	{ facts: [0], texts: 1 },
];

/** The sessions in rows, the one that changed last first. */
export function sessionTable(sessions: readonly Listed[], now: number, { columns, styles }: Look): string[] {
	const newestFirst = [...sessions].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
	const facts = [head, ...newestFirst.map((one) => factsOf(one, now))];
	const texts = [["TITLE", "DIRECTORY"], ...newestFirst.map(textsOf)];
	const { shown, count, width } = chooseLayout(facts, columns);
	const rows = shown.map((row, index) => [
		...row,
		...(texts[index] ?? []).slice(0, count).map((text) => shorten(text, width)),
	]);
	return alignColumns(rows)
		.map((row) => shorten(row, columns))
		.map((row, index) => (index === 0 ? styles.dim(row) : row));
}

/** The facts that are shown, how many texts stand beside them, and how wide these may be. */
function chooseLayout(
	facts: readonly (readonly string[])[],
	columns: number,
): { readonly shown: string[][]; readonly count: number; readonly width: number } {
	const found = layouts.map(({ facts: kept, texts: count }) => {
		const shown = facts.map((row) => kept.map((at) => row[at] ?? ""));
		const left = columns - Math.max(...alignColumns(shown).map(widthOf)) - 2 * count;
		return { shown, count, width: Math.floor(left / count) };
	});
	const last = found.at(-1) ?? { shown: [], count: 0, width: 0 };
	const { shown, count, width } = found.find((layout) => layout.width >= leastColumns) ?? last;
	return { shown, count, width: Math.max(leastColumns, width) };
}

function factsOf({ session_id, state, message_count, updated_at }: Listed, now: number): string[] {
	return [session_id, state, String(message_count), timeAgo(Date.parse(updated_at), now)].map(visibleLine);
}

function textsOf({ title, root_dir }: Listed): string[] {
	return [visibleLine(title) || "(no title)", visibleLine(root_dir)];
}

import { definedItems, formatUsd } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import type { SessionFacts } from "../client/find-session.ts";
import { alignColumns } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat, Styles } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf } from "../text/wrap.ts";
import { sessionTableTexts } from "../texts/tables/sessions.ts";

type Listed = MethodResult<"list_sessions">["sessions"][number];

/** Minimum width of the title and directory columns, which share the free width. */
const leastColumns = 10;
/**
 * Layouts from wide to narrow. The first layout with enough space for the texts is used, otherwise the last
 * layout.
 */
const layouts = [
	{ facts: [0, 1, 2, 3], texts: 2 },
	{ facts: [0, 1, 2, 3], texts: 1 },
	{ facts: [0, 1, 3], texts: 1 },
	{ facts: [0, 1], texts: 1 },
	{ facts: [0], texts: 1 },
];

/** Returns the rows of the sessions. The session that was updated last is first. */
export function sessionTable(
	sessions: readonly Listed[],
	now: number,
	{ columns, styles }: OutputFormat,
): string[] {
	const newestFirst = [...sessions].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
	const facts = [sessionTableTexts.factColumns, ...newestFirst.map((one) => factsOf(one, now))];
	const texts = [sessionTableTexts.textColumns, ...newestFirst.map(textsOf)];
	const { shown, count, width } = chooseLayout(facts, columns);
	const rows = shown.map((row, index) => [
		...row,
		...(texts[index] ?? []).slice(0, count).map((text) => shorten(text, width)),
	]);
	return alignColumns(rows)
		.map((row) => shorten(row, columns))
		.map((row, index) => (index === 0 ? styles.dim(row) : row));
}

function chooseLayout(
	facts: readonly (readonly string[])[],
	columns: number,
): { readonly shown: string[][]; readonly count: number; readonly width: number } {
	const found = layouts.map(({ facts: shownFacts, texts: count }) => {
		const shown = facts.map((row) => shownFacts.map((at) => row[at] ?? ""));
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
	return [visibleLine(title) || sessionTableTexts.noTitle, visibleLine(root_dir)];
}

/** Returns the title of a session, or a placeholder for a session without a title. */
export function titleOf({ title }: { readonly title: string }): string {
	return visibleLine(title) || sessionTableTexts.noTitle;
}

/** Returns the usage of a session, for example `4 messages, 1,234 input tokens, 56 output tokens, $0.01`. */
export function sessionUsage({ message_count, token_usage, cost_usd }: SessionFacts): string {
	const { input, output } = token_usage;
	return sessionTableTexts.usage({ messages: message_count, input, output, cost: formatUsd(cost_usd) });
}

/** Returns the details of a session as rows, title first. */
export function factRows(session: SessionFacts, { bold, dim }: Styles): string[] {
	const facts = definedItems([
		["id", session.id],
		["state", session.state],
		["usage", sessionUsage(session)],
		["created", localTime(new Date(session.created_at))],
		["updated", localTime(new Date(session.updated_at))],
		["directory", session.root_dir],
		["agent", session.profile],
		session.external_key === undefined ? undefined : ["key", session.external_key],
	]);
	return [
		bold(titleOf(session)),
		...alignColumns(facts.map(([name = "", value = ""]) => [dim(name), visibleLine(value)])),
	];
}

import type { MethodResult } from "@parley/protocol";
import { alignColumns } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";

type Listed = MethodResult<"list_sessions">["sessions"][number];

export interface SessionsNow {
	readonly current: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** In fewer columns the number of messages makes room for the title. */
const roomyColumns = 80;

/** The latest sessions, one a row; the current one is marked. */
export function sessionRows(
	sessions: readonly Listed[],
	{ current, now }: SessionsNow,
	{ columns, styles }: Look,
): string[] {
	const cells = sessions.map(({ session_id, title, message_count, updated_at, root_dir }) => [
		session_id === current ? "▸" : " ",
		visibleLine(session_id),
		timeAgo(Date.parse(updated_at), now),
		...(columns < roomyColumns ? [] : [`${message_count} ${message_count === 1 ? "message" : "messages"}`]),
		visibleLine(title || root_dir),
	]);
	const rows = alignColumns(cells).map((row) => shorten(row, columns));
	return [...rows, styles.dim("parley chat --session ID goes on with one of them")];
}

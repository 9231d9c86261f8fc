import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { alignColumns } from "../text/columns.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { keyTexts } from "../texts/chat/keys.ts";

type Listed = MethodResult<"list_sessions">["sessions"][number];

interface SessionsNow {
	readonly current: string;
	/** Time in milliseconds since the epoch. */
	readonly now: number;
}

/** Minimum number of terminal columns for showing the number of messages. */
const roomyColumns = 80;
/** Minimum number of columns for the column with the ids. A session can also be continued by its number. */
const idColumns = 60;

/** Returns rows of the latest sessions, followed by a hint. A mark identifies the current session. */
export function sessionRows(
	sessions: readonly Listed[],
	{ current, now }: SessionsNow,
	{ columns, styles }: OutputFormat,
): string[] {
	const cells = sessions.map(({ session_id, title, message_count, updated_at, root_dir }, index) =>
		definedItems([
			`${session_id === current ? "▸" : " "}${String(index + 1).padStart(2)}`,
			columns < idColumns ? undefined : visibleLine(session_id),
			timeAgo(Date.parse(updated_at), now),
			columns < roomyColumns ? undefined : `${message_count} ${message_count === 1 ? "message" : "messages"}`,
			visibleLine(title || root_dir),
		]),
	);
	const rows = alignColumns(cells).map((row) => shorten(row, columns));
	return [...rows, ...wrapText(keyTexts.resumeHint, columns).map(styles.dim)];
}

import { formatUsd } from "../text/amounts.ts";
import { type Table, tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { progressBar } from "./progress-bar.ts";
import { shortId, shortIds } from "./short-id.ts";
import type { Task } from "./task.ts";
import { taskTree } from "./task-tree.ts";
import { replyWords } from "./task-words.ts";

const head = ["ID", "STATUS", "PROGRESS", "TITLE", "SESSION", "AGE", "COST"];
const barColumns = 10;

/** Tasks in rows, each with its workers below it, and at the end what waits for a person. */
export function taskTable(tasks: readonly Task[], now: number, look: Look): string[] {
	const short = shortIds(tasks.map(({ id }) => id));
	const rows = taskTree(tasks).map(({ task, depth }) => [
		`${"  ".repeat(depth)}${visibleLine(short(task.id))}`,
		task.status,
		progressBar(task.progress.percentage, barColumns),
		visibleLine(task.title),
		visibleLine(shortId(task.session_id)),
		timeAgo(Date.parse(task.created_at), now),
		formatUsd(task.usage.cost_usd),
	]);
	const table: Table = { rows: [head, ...rows], right: [6], optional: [4, 6, 5], elastic: 3 };
	const suspended = tasks.filter(({ status }) => status === "suspended");
	const waiting = suspended.flatMap(({ id, suspension }) => {
		const why = visibleLine(suspension?.reason ?? "");
		const words = `${visibleLine(short(id))} waits for you${why === "" ? "" : `: ${why}`}; ${replyWords(short(id))}`;
		return wrapText(words, look.columns).map(look.styles.yellow);
	});
	return [...tableRows(table, look), ...waiting];
}

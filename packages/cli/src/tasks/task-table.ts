import { formatUsd } from "@parley/base";
import { shortId, shortIds } from "../command-line/ids.ts";
import { type Table, tableRows } from "../text/columns.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { Task } from "../wordings/task.ts";
import { progressBar, replyWords } from "../wordings/task-words.ts";

const barColumns = 10;

/**
 * Returns the rows of tasks. Each task is followed by its workers. Rows about tasks that wait for a person are
 * last.
 */
export function taskTable(tasks: readonly Task[], now: number, format: OutputFormat): string[] {
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
	const table: Table = { rows: [taskTexts.columns, ...rows], right: [6], optional: [4, 6, 5], elastic: 3 };
	const suspended = tasks.filter(({ status }) => status === "suspended");
	const waiting = suspended.flatMap(({ id, suspension }) => {
		const why = visibleLine(suspension?.reason ?? "");
		const words = taskTexts.idWaits({
			id: visibleLine(short(id)),
			reason: why,
			reply: replyWords(short(id)),
		});
		return wrapText(words, format.columns).map(format.styles.yellow);
	});
	return [...tableRows(table, format), ...waiting];
}

/** A task and its depth, which is 0 if the task is not a worker, or if the list does not contain its parent. */
interface TreeTask {
	readonly task: Task;
	readonly depth: number;
}

/**
 * Returns each task, followed by its workers in order of creation. Tasks without a parent in `tasks` keep their
 * order.
 */
export function taskTree(tasks: readonly Task[]): TreeTask[] {
	const known = new Set(tasks.map(({ id }) => id));
	const below = (parent: string, depth: number): TreeTask[] =>
		tasks
			.filter(({ parent_id }) => parent_id === parent)
			.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at))
			.flatMap((task) => [{ task, depth }, ...below(task.id, depth + 1)]);
	return tasks
		.filter(({ parent_id }) => !known.has(parent_id))
		.flatMap((task) => [{ task, depth: 0 }, ...below(task.id, 1)]);
}

import type { PromptRequestPayload } from "@parley/protocol";
import { questionRows } from "../questions/question-rows.ts";
import type { ShownEvent } from "../sessions/past-events.ts";
import { toldRows } from "../sessions/told-rows.ts";
import { formatCount, formatUsd, plural } from "../text/amounts.ts";
import { alignColumns } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { Look } from "../text/styles.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { planRows } from "./plan-rows.ts";
import { hasEnded, type Task } from "./task.ts";
import { progressWords } from "./task-board.ts";
import { nameTask, replyRows, suspensionRows } from "./task-event-rows.ts";
import { taskTable } from "./task-table.ts";

/** A task with what stands around it. */
export interface WholeTask {
	readonly task: Task;
	/** Those who work for it, however far below. */
	readonly workers: readonly Task[];
	/** What it and they ask a person. */
	readonly questions: readonly PromptRequestPayload[];
	/** What was said and done in its own conversation, where that is wanted. */
	readonly log: readonly ShownEvent[];
}

/** Everything about a task, in rows. */
export function taskFactRows(whole: WholeTask, now: number, look: Look): string[] {
	const { task, workers, log } = whole;
	const { suspension } = task;
	const waits = suspension ? [...suspensionRows(suspension, look), ...replyRows(task.id, look)] : [];
	const sections = [
		...section("description", textRows(task.description, look), look),
		...section("plan", planRows(task.plan ?? [], look), look),
		...section("waits for you", waits, look),
		...section("asks", askedRows(whole, look), look),
		...section("workers", workers.length === 0 ? [] : taskTable(workers, now, look), look),
		...section("log", toldRows(log, look), look),
		...section("error", textRows(task.error, look).map(look.styles.red), look),
		...section("output", textRows(task.output, look), look),
	];
	return [...factRows(task, look), ...sections];
}

function factRows(task: Task, { styles }: Look): string[] {
	const { usage, suspend_count, retry_count } = task;
	const facts: [name: string, value: string | undefined][] = [
		["id", task.id],
		["status", `${task.status}  ${progressWords(task.progress)}`],
		["session", task.session_id],
		["conversation", task.conversation],
		["worker of", task.parent_id || undefined],
		["retry of", task.retry_of],
		["after", task.depends_on.join(", ") || undefined],
		["submitted by", task.owner],
		["agent", task.agent],
		["model", task.model],
		["tools", task.tools.join(", ") || "none"],
		["priority", task.priority],
		["autonomy", task.autonomy],
		...timesOf(task),
		["suspended", suspend_count > 0 ? plural(suspend_count, "time") : undefined],
		["tried again", retry_count > 0 ? plural(retry_count, "time") : undefined],
		[
			"used",
			`${formatCount(usage.tokens_input)} tokens read and ${formatCount(usage.tokens_output)} written, ${formatUsd(usage.cost_usd)}`,
		],
	];
	const known = facts.flatMap(([name, value]) =>
		value === undefined ? [] : [[styles.dim(name), visibleLine(value)]],
	);
	return [styles.bold(visibleLine(task.title)), ...alignColumns(known)];
}

function timesOf({ status, created_at, started_at, completed_at }: Task): [string, string | undefined][] {
	const at = (time: string | undefined): string | undefined => time && localTime(new Date(time));
	const took =
		started_at !== undefined && completed_at !== undefined
			? `, after ${duration(Date.parse(completed_at) - Date.parse(started_at))}`
			: "";
	return [
		["submitted", at(created_at)],
		["started", at(started_at)],
		[hasEnded(status) ? status : "ended", completed_at && `${at(completed_at)}${took}`],
	];
}

function askedRows({ task, workers, questions }: WholeTask, look: Look): string[] {
	const rows = [task, ...workers].flatMap(({ id, title, parent_id }) =>
		questions
			.filter(({ context }) => context.task_id === id)
			.flatMap((question) => [
				...wrapText(nameTask(id, { title, parentId: parent_id }), look.columns),
				...questionRows(question, look),
			]),
	);
	if (rows.length === 0) return [];
	const hint = `\`parley chat --session ${visibleLine(task.session_id)}\` asks you`;
	return [...rows, ...wrapText(hint, look.columns).map(look.styles.dim)];
}

function section(name: string, rows: readonly string[], { styles }: Look): string[] {
	return rows.length === 0 ? [] : ["", styles.bold(name), ...rows];
}

function textRows(text: string, { columns }: Look): string[] {
	const shown = visibleText(text).trimEnd();
	return shown === "" ? [] : wrapText(shown, columns);
}

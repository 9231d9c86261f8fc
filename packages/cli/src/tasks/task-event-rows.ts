import { formatRoughly } from "../text/amounts.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { expandTabs, wrapText } from "../text/wrap.ts";
import { shortId } from "./short-id.ts";
import type { TaskEvent } from "./task.ts";
import { replyWords } from "./task-words.ts";

/** What is known of the task that an event is about. */
export interface NamedTask {
	readonly title: string;
	/** "" where it is nobody's worker. */
	readonly parentId: string;
}

/** What a worker has to say is said to the task that waits for it. */
type ToldTask = NamedTask & { readonly tellsOutput: boolean };

type Payload<Name extends TaskEvent["event"]> = Extract<TaskEvent, { event: Name }>["payload"];

const mostSummaryRows = 5;
const nanosecondsInMs = 1_000_000;

/** `worker task_abc123 Look around`. */
export function nameTask(id: string, { title, parentId }: NamedTask): string {
	return `${parentId === "" ? "" : "worker "}${visibleLine(`${shortId(id)} ${title}`)}`.trimEnd();
}

/** What people are told of a task, in rows to be kept; nothing of its progress, which is soon another. */
export function taskEventRows(event: TaskEvent, task: ToldTask, look: Look): string[] {
	const { styles } = look;
	const name = nameTask(event.payload.task_id, task);
	switch (event.event) {
		case "task.created":
			return wrapped(`▸ ${name}`, look).map(styles.cyan);
		case "task.suspended":
			return suspendedRows(event.payload, name, look);
		case "task.completed":
			return completedRows(event.payload, { name, task }, look);
		case "task.failed":
			return failedRows(event.payload, { name, task }, look);
		case "task.cancelled": {
			const { reason, by } = event.payload;
			const whose = by === undefined ? "" : ` by ${visibleText(by)}`;
			const why = reason === "" || reason === `cancelled by ${by}` ? "" : `: ${visibleText(reason)}`;
			return wrapped(`✗ ${name} · cancelled${whose}${why}`, look).map(styles.yellow);
		}
		case "task.started":
		case "task.resumed":
		case "task.progress":
			return [];
	}
}

/** What a task asks a person. */
export function suspensionRows(
	{ reason, plan_content }: Pick<Payload<"task.suspended">, "reason" | "plan_content">,
	look: Look,
): string[] {
	const why = reason === "" ? [] : wrapped(`? ${visibleText(reason)}`, look);
	return [...why.map(look.styles.yellow), ...indented(plan_content, look)];
}

/** How a person answers a task that waits. */
export function replyRows(id: string, look: Look): string[] {
	return wrapped(`  ${replyWords(shortId(id))}`, look).map(look.styles.dim);
}

function suspendedRows(asked: Payload<"task.suspended">, name: string, look: Look): string[] {
	const head = wrapped(`? ${name} · waits for you`, look).map(look.styles.bold);
	return [...head, ...suspensionRows(asked, look), ...replyRows(asked.task_id, look)];
}

function completedRows(
	{ output_summary, duration: took, tokens_input, tokens_output }: Payload<"task.completed">,
	{ name, task }: { readonly name: string; readonly task: ToldTask },
	look: Look,
): string[] {
	const { styles } = look;
	const tokens = `${formatRoughly(tokens_input)} tokens in, ${formatRoughly(tokens_output)} out`;
	const head = `✓ ${name} · completed in ${duration(took / nanosecondsInMs)} · ${tokens}`;
	const summary = task.tellsOutput ? summaryRows(output_summary, look) : [];
	return [...wrapped(head, look).map(styles.green), ...summary.map(styles.dim)];
}

function summaryRows(summary: string, { columns }: Look): string[] {
	const text = visibleText(summary).trimEnd();
	if (text === "") return [];
	const lines = text.split("\n");
	const shown = lines.length > mostSummaryRows + 1 ? lines.slice(0, mostSummaryRows) : lines;
	const rows = shown.map((line, index) =>
		shorten(`${index === 0 ? "  ↳ " : "    "}${expandTabs(line)}`.trimEnd(), columns),
	);
	return shown.length === lines.length ? rows : [...rows, "    …"];
}

function failedRows(
	{ task_id, error, will_retry }: Payload<"task.failed">,
	{ name, task }: { readonly name: string; readonly task: NamedTask },
	look: Look,
): string[] {
	const { styles } = look;
	const what = will_retry ? "failed and is tried again" : "failed";
	const rows = wrapped(`✗ ${name} · ${what}: ${visibleText(error)}`, look);
	if (will_retry) return rows.map(styles.yellow);
	const hint = `  \`parley task retry ${visibleLine(shortId(task_id))}\` does it once more`;
	return [...rows.map(styles.red), ...(task.parentId === "" ? wrapped(hint, look).map(styles.dim) : [])];
}

function wrapped(text: string, { columns }: Look): string[] {
	return wrapText(text, columns);
}

function indented(text: string, { columns }: Look): string[] {
	const shown = visibleText(text).trimEnd();
	return shown === "" ? [] : wrapText(shown, columns - 2).map((row) => `  ${row}`.trimEnd());
}

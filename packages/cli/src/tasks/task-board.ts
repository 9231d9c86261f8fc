import { definedItems } from "@parley/base";
import { shortId } from "../command-line/ids.ts";
import { formatRoughly } from "../text/amounts.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { expandTabs, widthOf, wrapText } from "../text/wrap.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { Task, TaskEvent, TaskStatus } from "../wordings/task.ts";
import { progressBar, replyWords, stepWords } from "../wordings/task-words.ts";

interface KnownTask extends NamedTask {
	readonly id: string;
	readonly status: TaskStatus;
	readonly progress: Task["progress"];
	/** Token of the question for which the task is suspended, otherwise "". */
	readonly token: string;
}

const notBegun = { current_step: 0, total_steps: 1, current_step_label: "", percentage: 0 };
/** Maximum number of shown tasks. If only one more task is running, that task is also shown. */
const maxRunning = 3;
const barColumns = 10;
/** Maximum columns of a task's title before the progress bar. */
const titleColumns = 30;

/** Tasks of a session, derived from its events: final rows for the scrollback, and live rows with the progress. */
export class TaskBoard {
	readonly #tasks = new Map<string, KnownTask>();
	readonly #showsOutput: boolean;

	/**
	 * Creates an empty board. `showsOutput`: the row of a completed task contains the beginning of the task's
	 * output.
	 */
	constructor({ showsOutput }: { readonly showsOutput: boolean }) {
		this.#showsOutput = showsOutput;
	}

	/** Adds tasks whose earlier events this client has not received. */
	know(tasks: readonly Task[]): void {
		for (const { id, title, parent_id, status, progress, suspension } of tasks) {
			this.#tasks.set(id, {
				id,
				title,
				parentId: parent_id,
				status,
				progress,
				token: suspension?.token ?? "",
			});
		}
	}

	/** Adds tasks like `know`. Returns rows for the tasks that wait for a person. */
	recall(tasks: readonly Task[], format: OutputFormat): string[] {
		this.know(tasks);
		const suspended = tasks.filter(({ status }) => status === "suspended");
		return suspended.flatMap(({ id }) => [
			...wrapText(`? ${taskTexts.nameWaits({ name: this.name(id) })}`, format.columns).map(
				format.styles.bold,
			),
			...replyRows(id, format),
		]);
	}

	statusOf(id: string): TaskStatus | undefined {
		return this.#tasks.get(id)?.status;
	}

	/** Whether `id` is the task `root`, or one of its direct or indirect workers. */
	isBelow(id: string, root: string): boolean {
		if (id === root) return true;
		const parent = this.#tasks.get(id)?.parentId ?? "";
		return parent !== "" && this.isBelow(parent, root);
	}

	/** Returns the name of a task, for example `task_abc123 Look around`. */
	name(id: string): string {
		return nameTask(id, this.#tasks.get(id) ?? { title: "", parentId: "" });
	}

	/**
	 * Processes an event and returns the rows to print. Returns none for an event without rows, and for a repeated
	 * state.
	 */
	apply(event: TaskEvent, format: OutputFormat): string[] {
		const before = this.#tasks.get(event.payload.task_id);
		const after = changed(before, event);
		this.#tasks.set(after.id, after);
		const isKnown = before?.status === after.status && before.token === after.token;
		if (isKnown) return [];
		return taskEventRows(
			event,
			{ ...after, showsOutput: this.#showsOutput && after.parentId === "" },
			format,
		);
	}

	/**
	 * Returns the rows of the running tasks. If tasks are hidden, the last row has their number. With `root`,
	 * returns only rows of this task and its workers.
	 */
	live({ columns, styles }: OutputFormat, root?: string): string[] {
		const running = [...this.#tasks.values()].filter(
			({ id, status }) => status === "running" && (root === undefined || this.isBelow(id, root)),
		);
		const hidden = running.length - maxRunning;
		const shown = hidden > 1 ? running.slice(0, maxRunning) : running;
		const titles = shown.map((task) => shorten(visibleLine(task.title) || task.id, titleColumns));
		const width = Math.max(0, ...titles.map(widthOf));
		const rows = shown.map(({ progress }, index) => {
			const title = titles[index] ?? "";
			const blanks = " ".repeat(width - widthOf(title));
			return shorten(`${title}${blanks}  ${taskProgressWords(progress)}`, columns);
		});
		return definedItems([...rows, hidden > 1 ? taskTexts.hiddenTasks({ count: hidden }) : undefined]).map(
			styles.dim,
		);
	}
}

/** Returns the progress of a task, for example `████░░░░░░  40%  2/5 Running tests`. */
export function taskProgressWords(progress: Task["progress"]): string {
	return `${progressBar(progress.percentage, barColumns)}  ${stepWords(progress)}`.trimEnd();
}

function changed(before: KnownTask | undefined, event: TaskEvent): KnownTask {
	const id = event.payload.task_id;
	const task = before ?? { id, title: "", parentId: "", status: "pending", progress: notBegun, token: "" };
	switch (event.event) {
		case "task.created": {
			const { title, parent_id: parentId } = event.payload;
			return { ...task, title, parentId };
		}
		case "task.progress":
			return { ...task, progress: event.payload };
		case "task.started":
		case "task.resumed":
			return { ...task, title: event.payload.title, status: "running", token: "" };
		case "task.suspended": {
			const { title, token } = event.payload;
			return { ...task, title, token, status: "suspended" };
		}
		case "task.completed":
			return { ...task, title: event.payload.title, status: "completed", token: "" };
		case "task.failed": {
			const { title, will_retry } = event.payload;
			return { ...task, title, status: will_retry ? "pending" : "failed", token: "" };
		}
		case "task.cancelled":
			return { ...task, status: "cancelled", token: "" };
	}
}

interface NamedTask {
	readonly title: string;
	/** Id of the parent task, or "" if the task is not a worker. */
	readonly parentId: string;
}

/** A task with its display. The output of a worker is for its parent task, and is not shown. */
type ShownTask = NamedTask & { readonly showsOutput: boolean };

type Payload<Name extends TaskEvent["event"]> = Extract<TaskEvent, { event: Name }>["payload"];

const maxSummaryRows = 5;
const nanosecondsInMs = 1_000_000;

/** Returns the name of a task with its kind, for example `worker task_abc123 Look around`. */
export function nameTask(id: string, { title, parentId }: NamedTask): string {
	return `${parentId === "" ? "" : "worker "}${visibleLine(`${shortId(id)} ${title}`)}`.trimEnd();
}

function taskEventRows(event: TaskEvent, task: ShownTask, format: OutputFormat): string[] {
	const { styles } = format;
	const name = nameTask(event.payload.task_id, task);
	switch (event.event) {
		case "task.created":
			return wrapped(`▸ ${name}`, format).map(styles.cyan);
		case "task.suspended":
			return suspendedRows(event.payload, name, format);
		case "task.completed":
			return completedRows(event.payload, { name, task }, format);
		case "task.failed":
			return failedRows(event.payload, { name, task }, format);
		case "task.cancelled": {
			const { reason, by } = event.payload;
			const words = taskTexts.cancelled({
				name,
				by: by === undefined ? undefined : visibleText(by),
				reason: reason === `cancelled by ${by}` ? "" : visibleText(reason),
			});
			return wrapped(`✗ ${words}`, format).map(styles.yellow);
		}
		case "task.started":
		case "task.resumed":
		case "task.progress":
			return [];
	}
}

export function suspensionRows(
	{ reason, plan_content }: { readonly reason: string; readonly plan_content: string },
	format: OutputFormat,
): string[] {
	const why = reason === "" ? [] : wrapped(`? ${visibleText(reason)}`, format);
	return [...why.map(format.styles.yellow), ...indented(plan_content, format)];
}

export function replyRows(id: string, format: OutputFormat): string[] {
	return wrapped(`  ${replyWords(shortId(id))}`, format).map(format.styles.dim);
}

function suspendedRows(suspension: Payload<"task.suspended">, name: string, format: OutputFormat): string[] {
	const head = wrapped(`? ${taskTexts.nameWaits({ name })}`, format).map(format.styles.bold);
	return [...head, ...suspensionRows(suspension, format), ...replyRows(suspension.task_id, format)];
}

function completedRows(
	{ output_summary, duration: took, tokens_input, tokens_output }: Payload<"task.completed">,
	{ name, task }: { readonly name: string; readonly task: ShownTask },
	format: OutputFormat,
): string[] {
	const { styles } = format;
	const words = taskTexts.completed({
		name,
		duration: duration(took / nanosecondsInMs),
		input: formatRoughly(tokens_input),
		output: formatRoughly(tokens_output),
	});
	const summary = task.showsOutput ? summaryRows(output_summary, format) : [];
	return [...wrapped(`✓ ${words}`, format).map(styles.green), ...summary.map(styles.dim)];
}

function summaryRows(summary: string, { columns }: OutputFormat): string[] {
	const text = visibleText(summary).trimEnd();
	if (text === "") return [];
	const lines = text.split("\n");
	const shown = lines.length > maxSummaryRows + 1 ? lines.slice(0, maxSummaryRows) : lines;
	const rows = shown.map((line, index) =>
		shorten(`${index === 0 ? "  ↳ " : "    "}${expandTabs(line)}`.trimEnd(), columns),
	);
	return shown.length === lines.length ? rows : [...rows, "    …"];
}

function failedRows(
	{ task_id, error, will_retry }: Payload<"task.failed">,
	{ name, task }: { readonly name: string; readonly task: NamedTask },
	format: OutputFormat,
): string[] {
	const { styles } = format;
	const words = taskTexts.failed({ name, error: visibleText(error), willRetry: will_retry });
	const rows = wrapped(`✗ ${words}`, format);
	if (will_retry) return rows.map(styles.yellow);
	const hint = `  ${taskTexts.howToRetry({ id: visibleLine(shortId(task_id)) })}`;
	return [...rows.map(styles.red), ...(task.parentId === "" ? wrapped(hint, format).map(styles.dim) : [])];
}

function wrapped(text: string, { columns }: OutputFormat): string[] {
	return wrapText(text, columns);
}

function indented(text: string, { columns }: OutputFormat): string[] {
	const shown = visibleText(text).trimEnd();
	return shown === "" ? [] : wrapText(shown, columns - 2).map((row) => `  ${row}`.trimEnd());
}

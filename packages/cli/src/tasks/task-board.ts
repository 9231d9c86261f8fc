import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { widthOf, wrapText } from "../text/wrap.ts";
import { progressBar } from "./progress-bar.ts";
import type { Task, TaskEvent, TaskStatus } from "./task.ts";
import { type NamedTask, nameTask, replyRows, taskEventRows } from "./task-event-rows.ts";
import { stepWords } from "./task-words.ts";

interface KnownTask extends NamedTask {
	readonly id: string;
	readonly status: TaskStatus;
	readonly progress: Task["progress"];
	/** The question that it is suspended for. */
	readonly token: string;
}

const notBegun = { current_step: 0, total_steps: 1, current_step_label: "", percentage: 0 };
/** How many of the tasks at work are shown while they go on. */
const mostLive = 3;
const barColumns = 10;
/** Of a title that stands before its bar. */
const titleColumns = 30;

/** The tasks of a session as its events tell of them: rows to be kept, and rows that show how far they are. */
export class TaskBoard {
	readonly #tasks = new Map<string, KnownTask>();
	readonly #tellsOutput: boolean;

	/** `tellsOutput`: with the end of a task comes the beginning of what it has to say. */
	constructor({ tellsOutput }: { readonly tellsOutput: boolean }) {
		this.#tellsOutput = tellsOutput;
	}

	/** Takes in tasks as they are, of which no event was seen. */
	know(tasks: readonly Task[]): void {
		for (const { id, title, parent_id, status, progress, suspension } of tasks) {
			this.#tasks.set(id, {
				...{ id, title, parentId: parent_id, status, progress },
				token: suspension?.token ?? "",
			});
		}
	}

	/** As `know`, and returns rows for those that wait for a person. */
	recall(tasks: readonly Task[], look: Look): string[] {
		this.know(tasks);
		const suspended = tasks.filter(({ status }) => status === "suspended");
		return suspended.flatMap(({ id }) => [
			...wrapText(`? ${this.name(id)} · waits for you`, look.columns).map(look.styles.bold),
			...replyRows(id, look),
		]);
	}

	statusOf(id: string): TaskStatus | undefined {
		return this.#tasks.get(id)?.status;
	}

	/** Whether it is that task, or one that works for it however far below. */
	isBelow(id: string, root: string): boolean {
		if (id === root) return true;
		const parent = this.#tasks.get(id)?.parentId ?? "";
		return parent !== "" && this.isBelow(parent, root);
	}

	/** `task_abc123 Look around`. */
	name(id: string): string {
		return nameTask(id, this.#tasks.get(id) ?? { title: "", parentId: "" });
	}

	/** Takes in what has happened and returns the rows to print for it; none for what is known already. */
	apply(event: TaskEvent, look: Look): string[] {
		const before = this.#tasks.get(event.payload.task_id);
		const after = changed(before, event);
		this.#tasks.set(after.id, after);
		const isKnown = before?.status === after.status && before.token === after.token;
		if (isKnown) return [];
		return taskEventRows(event, { ...after, tellsOutput: this.#tellsOutput && after.parentId === "" }, look);
	}

	/** A row for each task at work, up to a few; of one task and its workers where `root` is given. */
	live({ columns, styles }: Look, root?: string): string[] {
		const running = [...this.#tasks.values()].filter(
			({ id, status }) => status === "running" && (root === undefined || this.isBelow(id, root)),
		);
		const hidden = running.length - mostLive;
		const shown = hidden > 1 ? running.slice(0, mostLive) : running;
		const titles = shown.map((task) => shorten(visibleLine(task.title) || task.id, titleColumns));
		const width = Math.max(0, ...titles.map(widthOf));
		const rows = shown.map(({ progress }, index) => {
			const title = titles[index] ?? "";
			const blanks = " ".repeat(width - widthOf(title));
			return shorten(`${title}${blanks}  ${progressWords(progress)}`, columns);
		});
		return [...rows, ...(hidden > 1 ? [`and ${hidden} more tasks`] : [])].map(styles.dim);
	}
}

/** `████░░░░░░  40%  2/5 Running tests`. */
export function progressWords(progress: Task["progress"]): string {
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

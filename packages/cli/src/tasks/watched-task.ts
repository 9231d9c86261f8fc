import type { OzzieEvent } from "@parley/protocol";
import { questionRows } from "../questions/question-rows.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { shortId } from "./short-id.ts";
import { hasEnded, isTaskEvent, type Task, type TaskEvent, type TaskStatus } from "./task.ts";
import { progressWords, TaskBoard } from "./task-board.ts";
import { stepWords } from "./task-words.ts";

type Question = Extract<OzzieEvent, { event: "prompt.request" }>["payload"];

/** One task and its workers as the events of their session tell of them. */
export class WatchedTask {
	readonly #task: Task;
	readonly #board = new TaskBoard({ tellsOutput: false });
	/** What they ask a person. */
	readonly #questions = new Set<string>();

	constructor(task: Task, workers: readonly Task[]) {
		this.#task = task;
		this.#board.know([task, ...workers]);
	}

	get status(): TaskStatus {
		return this.#board.statusOf(this.#task.id) ?? this.#task.status;
	}

	/** Takes in an event of the session; undefined where it is about others. `steps`: rows tell of progress, too. */
	take(event: OzzieEvent, look: Look, steps: boolean): string[] | undefined {
		if (isTaskEvent(event)) return this.#happened(event, look, steps);
		if (event.event === "prompt.request") return this.#asked(event.payload, look);
		if (event.event !== "prompt.response" && event.event !== "prompt.closed") return undefined;
		if (!this.#questions.delete(event.payload.token)) return undefined;
		return [look.styles.dim("  the question is answered or closed")];
	}

	/** How far it is, to be drawn again whenever that changes. */
	live(look: Look): string[] {
		const { status } = this;
		const rows = this.#board.live(look, this.#task.id);
		const waits = { pending: "waits for its turn", suspended: "waits for you" };
		const own = status === "pending" || status === "suspended" ? [waits[status]] : [];
		const hint = "Ctrl-C leaves; the task goes on";
		return [...own, ...rows, ...(hasEnded(status) ? [] : [shorten(hint, look.columns)])].map(look.styles.dim);
	}

	#happened(event: TaskEvent, look: Look, steps: boolean): string[] | undefined {
		const rows = this.#board.apply(event, look);
		if (!this.#board.isBelow(event.payload.task_id, this.#task.id)) return undefined;
		return steps ? [...rows, ...this.#stepRows(event, look)] : rows;
	}

	#stepRows(event: TaskEvent, look: Look): string[] {
		const name = this.#board.name(event.payload.task_id);
		switch (event.event) {
			case "task.started":
				return wrapText(`  ${name} · started`, look.columns);
			case "task.resumed":
				return wrapText(`  ${name} · goes on`, look.columns);
			case "task.progress":
				return wrapText(`  ${name} · ${progressOf(event.payload)}`, look.columns);
			default:
				return [];
		}
	}

	#asked(question: Question, look: Look): string[] | undefined {
		const { task_id: asker = "" } = question.context;
		if (!this.#board.isBelow(asker, this.#task.id) || this.#questions.has(question.token)) return undefined;
		this.#questions.add(question.token);
		const hint = `  \`parley chat --session ${visibleLine(this.#task.session_id)}\` asks you`;
		return [
			...wrapText(`? ${this.#board.name(asker)} asks`, look.columns).map(look.styles.yellow),
			...questionRows(question, look),
			...wrapText(hint, look.columns).map(look.styles.dim),
		];
	}
}

/** `40%  2/5 Running tests`. */
function progressOf(progress: Task["progress"]): string {
	return `${progress.percentage}%  ${stepWords(progress)}`.trimEnd();
}

/** What stands at the head of a task that is watched. */
export function watchHeadRows({ id, title, status, progress }: Task, look: Look): string[] {
	const { styles, columns } = look;
	const words = `${visibleLine(shortId(id))} · ${status} · ${progressWords(progress)}`;
	return [...wrapText(visibleLine(title), columns).map(styles.bold), styles.dim(shorten(words, columns))];
}

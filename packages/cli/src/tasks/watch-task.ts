import type { WriteStream } from "node:tty";
import { definedItems, ParleyError } from "@parley/base";
import { type Client, isOzzieEvent, type OpenSession, type OzzieEvent } from "@parley/protocol";
import { connect } from "../client/connect.ts";
import { type AddressFlags, findGateway } from "../client/gateway-address.ts";
import { shortId } from "../command-line/ids.ts";
import { interruptedCode } from "../command-line/interrupt.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printRows } from "../command-line/output.ts";
import { questionRows } from "../questions/question-rows.ts";
import type { Frame } from "../terminal/editor.ts";
import { drawChange, eraseFrame, reflowFrame } from "../terminal/live-region.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { taskTexts } from "../texts/tasks.ts";
import { connectionWords } from "../wordings/connection-words.ts";
import { hasEnded, isTaskEvent, type Task, type TaskEvent, type TaskStatus } from "../wordings/task.ts";
import { chatReplyWords, stepWords } from "../wordings/task-words.ts";
import { findTask, readWorkers } from "./find-task.ts";
import { replyRows, suspensionRows, TaskBoard, taskProgressWords } from "./task-board.ts";

export interface WatchFlags extends AddressFlags {
	readonly json?: boolean;
}

/** Exit codes of `watch`, by the final status of the task. */
const exitCodes: Readonly<Partial<Record<TaskStatus, number>>> = { completed: 0, failed: 1, cancelled: 3 };

/** Shows the events of a task until the task ends or the person presses Ctrl-C. Returns the exit code. */
export async function watchTask(id: string, flags: WatchFlags, io: Io): Promise<number> {
	const watching: { watch?: Watch; isLost?: boolean } = {};
	const client = connect(await findGateway(flags, io), (state) => {
		const { watch, isLost = false } = watching;
		if (state === "lost" && !isLost) watch?.note(connectionWords.lost);
		if (state === "open" && isLost) watch?.note(connectionWords.back);
		watching.isLost = state === "lost" || (isLost && state === "connecting");
	});
	try {
		const { id: taskId, session_id } = await findTask(client, id);
		const session = await client.open({ session_id });
		const task = await client.request("check_task", { task_id: taskId });
		watching.watch = new Watch(new WatchedTask(task, await readWorkers(client, taskId)), flags, io);
		return await watching.watch.follow(client, session, task);
	} finally {
		await client.close();
	}
}

class Watch {
	readonly #watched: WatchedTask;
	readonly #asJson: boolean;
	readonly #io: Io;
	readonly #live: LiveRows | undefined;

	constructor(watched: WatchedTask, { json }: WatchFlags, io: Io) {
		this.#watched = watched;
		this.#asJson = json === true;
		this.#io = io;
		const canDraw = io.stdout.isTTY && io.environment["TERM"] !== "dumb";
		this.#live = canDraw && !this.#asJson ? new LiveRows(io.stdout) : undefined;
	}

	async follow(client: Client, session: OpenSession, task: Task): Promise<number> {
		let isInterrupted = false;
		const interrupt = (): void => {
			isInterrupted = true;
			session.close();
		};
		const redraw = (): void => this.#show([]);
		process.once("SIGINT", interrupt);
		this.#io.stdout.on("resize", redraw);
		try {
			this.#begin(task);
			await this.#read(session);
		} finally {
			process.off("SIGINT", interrupt);
			this.#io.stdout.off("resize", redraw);
			this.#live?.close();
		}
		if (isInterrupted) {
			this.#io.stderr.write(`${taskTexts.continues({ id: shortId(task.id) })}\n`);
			return interruptedCode;
		}
		return this.#end(await client.request("check_task", { task_id: task.id }));
	}

	/** Prints a note that is not derived from an event of the task. */
	note(words: string): void {
		const format = outputFormat(this.#io);
		if (this.#live) this.#show([format.styles.dim(words)]);
		else this.#io.stderr.write(`${words}\n`);
	}

	#begin(task: Task): void {
		if (this.#asJson) {
			this.#io.stdout.write(`${JSON.stringify(task)}\n`);
			return;
		}
		const format = outputFormat(this.#io);
		const suspension = task.suspension
			? [...suspensionRows(task.suspension, format), ...replyRows(task.id, format)]
			: [];
		const why = task.error === "" ? [] : wrapText(visibleText(task.error), format.columns);
		this.#show([...watchHeadRows(task, format), ...suspension, ...why.map(format.styles.red)]);
	}

	async #read(session: OpenSession): Promise<void> {
		if (hasEnded(this.#watched.status)) return session.close();
		for await (const frame of session.events()) {
			if (!isOzzieEvent(frame)) continue;
			if (frame.event === "session.deleted") throw sessionDeleted();
			const rows = this.#watched.receive(frame, outputFormat(this.#io), !this.#live);
			if (rows === undefined) continue;
			if (this.#asJson) this.#io.stdout.write(`${JSON.stringify(frame)}\n`);
			else this.#show(rows);
			if (hasEnded(this.#watched.status)) return;
		}
	}

	/** Prints the complete output of the task, because events contain only its beginning. */
	#end(task: Task): number {
		const format = outputFormat(this.#io);
		const text = visibleText(task.output).trimEnd();
		if (this.#asJson) this.#io.stdout.write(`${JSON.stringify(task)}\n`);
		else if (text !== "") printRows(["", ...wrapText(text, format.columns)], this.#io);
		return exitCodes[task.status] ?? 1;
	}

	#show(rows: readonly string[]): void {
		const format = outputFormat(this.#io);
		if (this.#live) this.#live.draw(rows, this.#watched.live(format));
		else printRows(rows, this.#io);
	}
}

function sessionDeleted(): ParleyError {
	return new ParleyError(taskTexts.sessionDeleted, {
		code: "not_found",
	});
}

type Question = Extract<OzzieEvent, { event: "prompt.request" }>["payload"];

/** One task and its workers, derived from the events of their session. */
export class WatchedTask {
	readonly #task: Task;
	readonly #board = new TaskBoard({ showsOutput: false });
	/** Tokens of the open questions of the task and its workers. */
	readonly #questions = new Set<string>();

	constructor(task: Task, workers: readonly Task[]) {
		this.#task = task;
		this.#board.know([task, ...workers]);
	}

	get status(): TaskStatus {
		return this.#board.statusOf(this.#task.id) ?? this.#task.status;
	}

	/**
	 * Returns the rows for an event of the session, or undefined for an event that does not concern the task or its
	 * workers. `steps`: whether the rows also report progress.
	 */
	receive(event: OzzieEvent, format: OutputFormat, steps: boolean): string[] | undefined {
		if (isTaskEvent(event)) return this.#happened(event, format, steps);
		if (event.event === "prompt.request") return this.#questionRows(event.payload, format);
		if (event.event !== "prompt.response" && event.event !== "prompt.closed") return undefined;
		if (!this.#questions.delete(event.payload.token)) return undefined;
		return [format.styles.dim(`  ${taskTexts.questionClosed}`)];
	}

	/** Returns the rows of the current progress. The caller redraws them after each change. */
	live(format: OutputFormat): string[] {
		const { status } = this;
		const rows = this.#board.live(format, this.#task.id);
		const waits = { pending: taskTexts.waitsForTurn, suspended: taskTexts.waits };
		const own = status === "pending" || status === "suspended" ? [waits[status]] : [];
		const hint = taskTexts.howToLeave;
		return definedItems([...own, ...rows, hasEnded(status) ? undefined : shorten(hint, format.columns)]).map(
			format.styles.dim,
		);
	}

	#happened(event: TaskEvent, format: OutputFormat, steps: boolean): string[] | undefined {
		const rows = this.#board.apply(event, format);
		if (!this.#board.isBelow(event.payload.task_id, this.#task.id)) return undefined;
		return steps ? [...rows, ...this.#stepRows(event, format)] : rows;
	}

	#stepRows(event: TaskEvent, format: OutputFormat): string[] {
		const name = this.#board.name(event.payload.task_id);
		switch (event.event) {
			case "task.started":
				return wrapText(`  ${name} · started`, format.columns);
			case "task.resumed":
				return wrapText(`  ${name} · resumed`, format.columns);
			case "task.progress":
				return wrapText(`  ${name} · ${progressOf(event.payload)}`, format.columns);
			default:
				return [];
		}
	}

	#questionRows(question: Question, format: OutputFormat): string[] | undefined {
		const { task_id: asker = "" } = question.context;
		if (!this.#board.isBelow(asker, this.#task.id) || this.#questions.has(question.token)) return undefined;
		this.#questions.add(question.token);
		const hint = `  ${chatReplyWords(this.#task.session_id)}`;
		return [
			...wrapText(`? ${this.#board.name(asker)} asks`, format.columns).map(format.styles.yellow),
			...questionRows(question, format),
			...wrapText(hint, format.columns).map(format.styles.dim),
		];
	}
}

/** Returns the progress in one line, for example `40%  2/5 Running tests`. */
function progressOf(progress: Task["progress"]): string {
	return `${progress.percentage}%  ${stepWords(progress)}`.trimEnd();
}

function watchHeadRows({ id, title, status, progress }: Task, format: OutputFormat): string[] {
	const { styles, columns } = format;
	const words = `${visibleLine(shortId(id))} · ${status} · ${taskProgressWords(progress)}`;
	return [...wrapText(visibleLine(title), columns).map(styles.bold), styles.dim(shorten(words, columns))];
}

/** Rows at the bottom of a terminal that are redrawn in place, without an input line. */
class LiveRows {
	readonly #output: WriteStream;
	#frame: Frame | undefined;
	#columns: number;

	constructor(output: WriteStream) {
		this.#output = output;
		this.#columns = output.columns;
	}

	/** Prints `printed` into the scrollback, and draws `rows` below it. */
	draw(printed: readonly string[], rows: readonly string[]): void {
		const { columns } = this.#output;
		if (this.#frame && columns < this.#columns) this.#frame = reflowFrame(this.#frame, columns);
		this.#columns = columns;
		// If the frame were as high as the screen, it could not be erased.
		const shown = rows.slice(0, Math.max(1, (this.#output.rows || 24) - 2));
		const next: Frame = { rows: [...shown, ""], cursor: { row: shown.length, column: 0 } };
		this.#output.write(drawChange(this.#frame, printed, next));
		this.#frame = next;
	}

	close(): void {
		this.#output.write(eraseFrame(this.#frame));
		this.#frame = undefined;
	}
}

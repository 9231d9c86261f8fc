import {
	type AssistantStreamPayload,
	type OzzieEvent,
	ReplyProgress,
	type ToolCallPayload,
} from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleText } from "../text/visible.ts";
import { askTexts } from "../texts/ask.ts";
import { askRows } from "../wordings/event-wordings.ts";
import { metricRows, type RunMetrics, retryWords } from "../wordings/model-rows.ts";
import { replyProgressWords } from "../wordings/progress-words.ts";
import { ReplyText, type Shown } from "../wordings/reply-text.ts";
import { changedSteps, type Plan, planRows } from "../wordings/task-words.ts";
import { toolEndRows, toolStartRow } from "../wordings/tool-rows.ts";

/** Carriage return and EL (erase in line, ECMA-48). */
const clearRow = "\r\u001b[K";

/**
 * Writes the model's replies to stdout, and all other text to stderr. If stdout is not a terminal, buffers
 * each reply until its model call ends, so that a retry leaves no partial text. If stderr is a terminal that
 * supports escape sequences, shows the activity of the model in a status row.
 */
export class AnswerOutput {
	readonly #io: Io;
	readonly #format: OutputFormat;
	readonly #reply = new ReplyText();
	readonly #progress = new ReplyProgress();
	#status = "";
	#isInLine = false;
	#plan: Plan | undefined;
	/** Text that is not yet written to stdout. Always empty if stdout is a terminal. */
	#pending = "";

	constructor(io: Io) {
		this.#io = io;
		this.#format = errorFormat(io);
	}

	/**
	 * Processes one event of the run. `metrics` is set only with the run's last event, and only if the run called a
	 * model.
	 */
	write(event: OzzieEvent, metrics?: RunMetrics): void {
		this.#progress.receive(event);
		this.#showStatus(replyProgressWords(this.#progress.now, this.#format.columns - 1) ?? "");
		if (event.event === "internal.llm.call" && event.payload.phase === "end")
			this.#called(event.payload.error);
		if (event.event === "assistant.stream") this.#streamed(event.payload);
		if (event.event === "tool.call" && !isList(event.payload)) this.#toolCalled(event.payload);
		if (event.event === "assistant.message") this.#ended(event.payload.content, metrics);
		this.#note(event);
	}

	/** Removes the status row, and writes the buffered text. */
	close(): void {
		this.#showStatus("");
		this.#endLine();
		this.#release();
	}

	/**
	 * Replaces the status row at a terminal. An empty text removes the row. The cursor stays at the start of the
	 * row, so that later text overwrites it.
	 */
	#showStatus(words: string): void {
		const { stderr, environment } = this.#io;
		if (!stderr.isTTY || environment["TERM"] === "dumb" || words === this.#status) return;
		if (words !== "") this.#endLine();
		const row = words === "" ? "" : `${this.#format.styles.dim(words)}\r`;
		stderr.write(`${this.#status === "" ? "" : clearRow}${row}`);
		this.#status = words;
	}

	#note(event: OzzieEvent): void {
		const format = this.#format;
		if (event.event === "todo.updated") this.#listed(event.payload.plan);
		if (event.event === "run.retrying") this.#drop();
		if (event.event === "run.retrying") this.#printRows([format.styles.dim(retryWords(event.payload))]);
		const rows = askRows(event, format);
		if (rows) this.#printRows(rows);
	}

	#listed(plan: Plan): void {
		const rows = planRows(changedSteps(this.#plan, plan), this.#format);
		this.#plan = plan;
		this.#reply.end();
		this.#printRows(rows);
	}

	#ended(content: string, metrics: RunMetrics | undefined): void {
		this.#show(this.#reply.finish(content));
		this.#endLine();
		this.#release();
		this.#printRows(metrics ? metricRows(metrics, this.#format) : []);
	}

	#printRows(rows: readonly string[]): void {
		this.#endLine();
		this.#rows(rows);
	}

	#called(error: string): void {
		if (error === "") this.#release();
	}

	#drop(): void {
		this.#reply.drop();
		if (this.#io.stdout.isTTY) return;
		this.#pending = "";
		this.#isInLine = false;
	}

	#toolCalled(call: ToolCallPayload): void {
		const started = call.status === "started";
		this.#reply.end();
		this.#endLine();
		this.#release();
		this.#rows(started ? [toolStartRow(call, this.#format)] : toolEndRows(call, true, this.#format));
	}

	#streamed({ phase, content }: AssistantStreamPayload): void {
		if (phase === "start") this.#reply.start();
		if (phase === "delta") this.#show(this.#reply.delta(content));
		if (phase === "end") {
			this.#reply.end();
			this.#endLine();
		}
	}

	#show({ text, restarted }: Shown): void {
		if (text === "") return;
		if (restarted) {
			this.#endLine();
			this.#pending = "";
			this.#rows([this.#format.styles.dim(askTexts.startsAgain)]);
		}
		this.#print(text);
		this.#isInLine = !text.endsWith("\n");
	}

	#endLine(): void {
		if (this.#isInLine) this.#print("\n");
		this.#isInLine = false;
	}

	#print(text: string): void {
		if (this.#io.stdout.isTTY) this.#io.stdout.write(visibleText(text));
		else this.#pending += text;
	}

	#release(): void {
		if (this.#pending !== "") this.#io.stdout.write(this.#pending);
		this.#pending = "";
	}

	#rows(rows: readonly string[]): void {
		this.#io.stderr.write(rows.map((row) => `${row}\n`).join(""));
	}
}

function isList({ name, status }: ToolCallPayload): boolean {
	// The plan rows of `todo.updated` replace the rows of the call, unless the call failed.
	return name === "todo" && status !== "failed";
}

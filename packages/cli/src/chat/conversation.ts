import { definedItems } from "@parley/base";
import {
	type EventPayloads,
	type MethodResult,
	type OzzieEvent,
	type PromptRequestPayload,
	ReplyProgress,
	type UserMessagePayload,
} from "@parley/protocol";
import { type GivenAnswer, isOfRun, type OpenQuestion } from "../questions/question-rows.ts";
import { TaskBoard } from "../tasks/task-board.ts";
import { MarkdownFlow, PlainFlow, type TextFlow } from "../terminal/markdown/markdown-flow.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleText } from "../text/visible.ts";
import { chatTexts } from "../texts/chat/lines.ts";
import { detailTexts, liveTexts } from "../texts/chat/live.ts";
import { chatNote, isStatefulInChat, type StatefulChatEvent } from "../wordings/event-wordings.ts";
import { againWords, endRows, messageRows, noteRows } from "../wordings/message-rows.ts";
import { metricRows, type RunMetrics, RunMetricsCollector } from "../wordings/model-rows.ts";
import { ReplyText, type Shown } from "../wordings/reply-text.ts";
import { isTaskEvent } from "../wordings/task.ts";
import { changedSteps, planRows } from "../wordings/task-words.ts";
import { hidesResult, toolEndRows, toolStartRow } from "../wordings/tool-rows.ts";
import { Details } from "./details.ts";
import { OpenQuestions } from "./open-questions.ts";
import { type Activity, RunActivity } from "./run-activity.ts";
import { RunningCalls } from "./running-calls.ts";
import { Thinking, type Thought } from "./thinking.ts";

/** Display of replies. `markdown`: their text is rendered. `plain`: their text is printed without rendering. */
export type TextDisplay = "markdown" | "plain";

/** Minimum seconds of a call. The duration of a shorter call is not shown. */
const minSeconds = 2;
/** Maximum number of rows that are shown for the result of a `!` command or of `/undo`. */
const maxOwnLines = 200;

type Payload<Name extends keyof EventPayloads> = EventPayloads[Name];

/**
 * Converts the events of one session to rows for the scrollback, and tracks the state of its runs.
 * Independent of the terminal and the connection.
 */
export class Conversation {
	readonly #reply = new ReplyText();
	readonly #metrics = new RunMetricsCollector();
	readonly #progress = new ReplyProgress();
	readonly tasks = new TaskBoard({ showsOutput: true });
	readonly #activity = new RunActivity();
	readonly #calls = new RunningCalls();
	readonly details = new Details();
	readonly #text: TextFlow;
	readonly #now: () => number;
	readonly #thinking = new Thinking();
	#active = false;
	#queue: readonly UserMessagePayload[] = [];
	#steering: readonly UserMessagePayload[] = [];
	#retrying: Payload<"run.retrying"> | undefined;
	/** Whether the current model call has produced text of the reply. */
	#hasOutput = false;
	#sending: readonly string[] = [];
	#message = "";
	#todo: Payload<"todo.updated"> | undefined;
	readonly #questions: OpenQuestions;

	/**
	 * Creates an empty conversation. `now` returns the time of a monotonic clock in milliseconds. `offersRules`:
	 * see `ChatDisplay`.
	 */
	constructor(display: TextDisplay = "plain", now = () => 0, offersRules = false) {
		this.#questions = new OpenQuestions((id) => this.tasks.name(id), offersRules);
		this.#text = display === "markdown" ? new MarkdownFlow(now) : new PlainFlow();
		this.#now = now;
	}

	get offersRules(): boolean {
		return this.#questions.offersRules;
	}

	/** Returns the elapsed time and the output tokens of the active run. `now` is in milliseconds. */
	activityAt(now: number): Activity {
		return this.#activity.at(now);
	}

	/** Returns the last lines of the output of running calls, safe for a terminal. */
	get output(): readonly string[] {
		return this.#calls.output;
	}

	get runningNames(): readonly string[] {
		return this.#calls.names;
	}

	/** Returns the rows of the incomplete part of the reply. */
	openRows(format: OutputFormat): string[] {
		return this.#text.open(format);
	}

	get active(): boolean {
		return this.#active;
	}

	/** Returns the accepted messages that wait in the gateway's queue. */
	get queue(): readonly UserMessagePayload[] {
		return this.#queue;
	}

	/**
	 * Returns the messages that were added to the active run while the reply's text had an incomplete end. They are
	 * printed after the current text of the reply.
	 */
	get steering(): readonly UserMessagePayload[] {
		return this.#steering;
	}

	/** Returns the reason and time of the next retry, or undefined if the run does not wait for a retry. */
	get retrying(): Payload<"run.retrying"> | undefined {
		return this.#retrying;
	}

	/**
	 * Returns the current thinking of the model, or the tool call that the model is writing. Returns undefined for
	 * other activity.
	 */
	get progress(): ReplyProgress["now"] {
		return this.#progress.now;
	}

	/** Returns the active run's list of steps, or undefined without a list. */
	get todo(): Payload<"todo.updated"> | undefined {
		return this.#todo;
	}

	/** Returns the messages of this client that the gateway has not confirmed yet. */
	get sending(): readonly string[] {
		return this.#sending;
	}

	get question(): OpenQuestion | undefined {
		return this.#questions.current;
	}

	/** Whether no run is active, and no message is queued or being sent. */
	get idle(): boolean {
		return !this.#active && this.#queue.length === 0 && this.#sending.length === 0;
	}

	send(content: string): void {
		this.#sending = [...this.#sending, content];
	}

	/** Removes a message from `sending`, because the gateway accepted or refused it. */
	unsend(content: string): void {
		const index = this.#sending.indexOf(content);
		this.#sending = this.#sending.filter((_, at) => at !== index);
	}

	/** Records an answer to the open question. The next question opens immediately, without waiting for the gateway. */
	answer(given: GivenAnswer, format: OutputFormat): string[] {
		return this.#questions.answer(given, format);
	}

	/**
	 * Reopens a question whose answer could not be sent. If another question is open, the reopened question
	 * follows it.
	 */
	unanswer(token: string, format: OutputFormat): string[] {
		return this.#questions.unanswer(token, format);
	}

	/**
	 * Returns the rows of earlier messages. Treats a run as active if the last message is a person's message
	 * and was not imported.
	 */
	recall(messages: MethodResult<"load_messages">, format: OutputFormat): string[] {
		// Events do not name the run of a loaded message, so no loaded message is treated as queued.
		const last = messages.at(-1);
		this.#active = last?.role === "user" && !last.imported;
		return messages.flatMap(({ role, content }) => {
			if (role === "user") return messageRows({ content, run_id: "" }, format);
			return [...this.#text.add(visibleText(content).trimEnd(), format), ...this.#text.end(format)];
		});
	}

	/** Applies an event and returns the rows to print for it. */
	apply(event: OzzieEvent, format: OutputFormat): string[] {
		if (isTaskEvent(event)) return this.tasks.apply(event, format);
		this.#activity.receive(event, this.#now());
		const metrics = this.#metrics.receive(event);
		this.#progress.receive(event);
		if (isStatefulInChat(event)) {
			const thought = this.#thinking.receive(event, this.#now());
			const folded = thought === undefined ? [] : this.#folded(thought, format);
			return [...folded, ...this.#applyToState(event, metrics, format)];
		}
		const note = chatNote(event, format);
		if (!note) return [];
		if (note.ends === "row") return [...this.#flush(format), ...note.rows];
		return note.ends === "reply" ? [...this.#endReply(format), ...note.rows] : note.rows;
	}

	/** Returns one row that replaces the thinking, or no row if the chat prints plain text. */
	#folded({ text, seconds }: Thought, { styles, columns }: OutputFormat): string[] {
		this.details.addThinking(text);
		if (this.#text instanceof PlainFlow) return [];
		const time = liveTexts.seconds({ seconds });
		const words = seconds === 0 ? detailTexts.thoughtBriefly : detailTexts.thought({ time });
		return [styles.dim(shorten(`${words} · ${detailTexts.hint}`, columns))];
	}

	#applyToState(event: StatefulChatEvent, metrics: RunMetrics | undefined, format: OutputFormat): string[] {
		switch (event.event) {
			case "user.message":
				return this.#accepted(event.payload, format);
			case "assistant.stream":
				return this.#streamed(event.payload, format);
			case "assistant.message":
				return this.#ended(event.payload, metrics, format);
			case "internal.llm.call":
				return this.#asks(event.payload);
			case "run.retrying":
				return this.#retries(event.payload, format);
			case "todo.updated":
				return this.#listed(event.payload, format);
			case "tool.call":
				return this.#called(event.payload, format);
			case "prompt.request":
				return this.#showQuestion(event.payload, format);
			case "prompt.response":
				return this.#answered(event.payload, format);
			case "prompt.closed":
				return this.#questions.close(event.payload, format);
			case "tool.output":
				this.#calls.addOutput(event.payload);
				return [];
			case "assistant.started":
			case "assistant.thinking":
			case "tool.arguments":
				this.#active = true;
				return [];
		}
	}

	#accepted(message: UserMessagePayload, format: OutputFormat): string[] {
		const isRetry = message.retry_of !== undefined;
		if (message.author === undefined) this.unsend(isRetry ? againWords : message.content);
		if (message.steered) return this.#steered(message, format);
		if (this.#active) {
			this.#queue = [...this.#queue, message];
			return [];
		}
		this.#active = true;
		this.#message = message.content;
		return messageRows(message, format);
	}

	/**
	 * Returns the rows of a message that was added to the active run. Returns no rows while the reply's text has an
	 * incomplete end: the message is then printed after the current text.
	 */
	#steered(message: UserMessagePayload, format: OutputFormat): string[] {
		this.#active = true;
		if (!this.#text.isOpen) return messageRows(message, format);
		this.#steering = [...this.#steering, message];
		return [];
	}

	#asks({ phase }: Payload<"internal.llm.call">): string[] {
		if (phase === "end") return [];
		this.#active = true;
		this.#hasOutput = false;
		this.#retrying = undefined;
		return [];
	}

	#retries(retry: Payload<"run.retrying">, format: OutputFormat): string[] {
		this.#active = true;
		this.#retrying = retry;
		const rows = this.#endReply(format);
		return this.#hasOutput ? [...rows, ...noteRows(chatTexts.interrupted, format)] : rows;
	}

	#streamed({ phase, content }: Payload<"assistant.stream">, format: OutputFormat): string[] {
		this.#active = true;
		this.#retrying = undefined;
		if (phase === "start") this.#reply.start();
		if (phase !== "delta") return phase === "end" ? this.#endReply(format) : [];
		this.#hasOutput = true;
		return this.#write(this.#reply.delta(content), format);
	}

	#ended(
		{ content, error }: Payload<"assistant.message">,
		metrics: RunMetrics | undefined,
		format: OutputFormat,
	): string[] {
		const rows = [...this.#write(this.#reply.finish(content), format), ...this.#endReply(format)];
		const [next, ...queue] = this.#queue;
		this.#queue = queue;
		this.#active = next !== undefined;
		this.#message = next?.content ?? "";
		this.#retrying = undefined;
		this.#todo = undefined;
		this.#calls.clear();
		const ended = [...endRows(error, format), ...(metrics ? metricRows(metrics, format) : [])];
		return [...rows, ...ended, ...(next ? messageRows(next, format) : [])];
	}

	/** Returns rows of only the changed steps, because the live view shows the progress. */
	#listed(todo: Payload<"todo.updated">, format: OutputFormat): string[] {
		this.#active = true;
		const before = this.#todo;
		this.#todo = todo;
		return [...this.#endReply(format), ...planRows(changedSteps(before?.plan, todo.plan), format)];
	}

	#called(call: Payload<"tool.call">, format: OutputFormat): string[] {
		this.#active = true;
		const rows = this.#endReply(format);
		if (call.status === "started") {
			this.#calls.start(call, this.#now());
			return isShownElsewhere(call.name) ? rows : [...rows, toolStartRow(call, format)];
		}
		const named = this.#calls.names.length > 1;
		const { arguments: args, durationMs } = this.#calls.end(call.call_id, this.#now());
		this.details.addCall(call, args);
		const isHidden = isShownElsewhere(call.name) && call.status === "completed";
		if (isHidden) return rows;
		const isOwn =
			(call.name === "run_command" && this.#message === `!${Object(args).cmd}`) ||
			(call.name === "undo_changes" && this.#message.startsWith("/undo"));
		const maxRows = isOwn ? maxOwnLines : undefined;
		const isPartial = hidesResult(call, named, format, maxRows);
		const ended = toolEndRows(call, named, format, maxRows);
		return [...rows, ...ended, ...this.#callFacts(durationMs, isPartial, format)];
	}

	#callFacts(durationMs: number, isPartial: boolean, { styles }: OutputFormat): string[] {
		if (this.#text instanceof PlainFlow) return [];
		const seconds = Math.round(durationMs / 1000);
		const facts = definedItems([
			seconds < minSeconds ? undefined : liveTexts.seconds({ seconds }),
			isPartial ? detailTexts.hint : undefined,
		]);
		return facts.length === 0 ? [] : [styles.dim(`    ${facts.join(" · ")}`)];
	}

	#showQuestion(question: PromptRequestPayload, format: OutputFormat): string[] {
		if (isOfRun(question)) this.#active = true;
		return [...this.#endReply(format), ...this.#questions.ask(question, format)];
	}

	#answered(response: Payload<"prompt.response">, format: OutputFormat): string[] {
		const { question, rows } = this.#questions.settle(response, format);
		this.#calls.approve(question?.context.call_id, this.#now());
		return rows;
	}

	#write({ text, restarted }: Shown, format: OutputFormat): string[] {
		const before = restarted ? [...this.#flush(format), ...noteRows(chatTexts.startsAgain, format)] : [];
		return [...before, ...this.#text.add(visibleText(text), format)];
	}

	#endReply(format: OutputFormat): string[] {
		this.#reply.end();
		const rows = this.#flush(format);
		const steering = this.#steering;
		this.#steering = [];
		return [...rows, ...steering.flatMap((message) => messageRows(message, format))];
	}

	#flush(format: OutputFormat): string[] {
		return this.#text.end(format);
	}
}

/**
 * Whether the tool's calls have rows elsewhere: the question of `ask_user` or the steps of `todo`. Failed calls
 * are always shown.
 */
function isShownElsewhere(name: string): boolean {
	return name === "ask_user" || name === "todo";
}

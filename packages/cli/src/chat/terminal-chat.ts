import { definedItems } from "@parley/base";
import type { Io } from "../command-line/io.ts";
import { questionPrompt } from "../questions/question-rows.ts";
import { progressWords as planProgress } from "../tasks/task-board.ts";
import {
	type Editor,
	editorRows,
	emptyEditor,
	enterLine,
	type Frame,
	isEnter,
	type Key,
	pressKey,
} from "../terminal/editor.ts";
import { Terminal } from "../terminal/terminal.ts";
import { shorten } from "../text/shorten.ts";
import { createStyles, type OutputFormat, wantsColours } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { headRow, messageLine, noteRows, promptMark } from "../wordings/message-rows.ts";
import { retryWords } from "../wordings/model-rows.ts";
import { progressWords } from "../wordings/progress-words.ts";
import type { BeginChat, Chat } from "./chat.ts";
import type { Conversation } from "./conversation.ts";

const leavingSignals = ["SIGTERM", "SIGHUP"] as const;

/** Runs a chat with an input line below the transcript. Returns rows about its session, for the case that it remains. */
export async function chatAtTerminal(io: Io, begin: BeginChat): Promise<readonly string[]> {
	const styles = createStyles(wantsColours(io.stdout, io.environment));
	const format = (): OutputFormat => ({ columns: terminal.columns, styles });
	const draw = (rows: readonly string[] = []): void => {
		keyboard.focus();
		const { message, answer, notice } = keyboard;
		const state = { conversation: chat.conversation, message, answer, notice };
		terminal.draw(rows, liveView(state, format(), terminal.rows));
	};
	const leave = (): void => chat.leave();
	const terminal = new Terminal({
		input: io.stdin,
		output: io.stdout,
		onKey: (key) => {
			// Shows its own errors.
			void keyboard.press(key);
			if (!keyboard.isPasting) draw();
		},
		onRedraw: draw,
		onEnd: leave,
	});
	const chat = begin({ format, show: draw, asksForTasks: true, text: "markdown" });
	const keyboard = new Keyboard(chat);
	for (const signal of leavingSignals) process.once(signal, leave);
	try {
		draw([headRow(chat.sessionId, format())]);
		await chat.read();
	} finally {
		for (const signal of leavingSignals) process.off(signal, leave);
		terminal.close();
	}
	const work = chat.conversation.idle ? "" : "; running work continues";
	return noteRows(`to continue this session: parley chat --session ${chat.sessionId}${work}`, format());
}

/** Typed text of a chat, and the effect of keys. */
export class Keyboard {
	readonly #chat: Chat;
	#message = emptyEditor();
	#answer: Editor | undefined;
	#mayLeave = false;
	/** The displayed names that the last Tab found. */
	#choices = "";

	constructor(chat: Chat) {
		this.#chat = chat;
	}

	get message(): Editor {
		return this.#message;
	}

	/** The answer that is being typed; undefined while keys go to the message. */
	get answer(): Editor | undefined {
		return this.#answer;
	}

	/** Whether a pasted text is incomplete. Its keys are not drawn one by one. */
	get isPasting(): boolean {
		return (this.#answer ?? this.#message).pasted !== undefined;
	}

	/** Shown after a Tab with several matches, and after a Ctrl-C without work to cancel. */
	get notice(): string {
		if (this.#choices !== "") return this.#choices;
		return this.#mayLeave ? "press Ctrl-C again to leave" : this.#chat.notice;
	}

	/**
	 * Sends keys to an open question. An unfinished message still receives them, so that its text does not answer a new
	 * question.
	 */
	focus(): void {
		const open = this.#chat.conversation.question;
		if (!open || open.given) this.#answer = undefined;
		else if (this.#message.text === "" && !this.isPasting) this.#answer ??= emptyEditor();
	}

	/** Processes a key. Resolves when its effect is complete; never rejects. */
	async press(key: Key): Promise<void> {
		const editor = this.#answer ?? this.#message;
		if (this.isPasting) return this.#edit(key);
		if (key.ctrl && key.name === "c") return this.#interrupt();
		this.#mayLeave = false;
		this.#choices = "";
		if (key.name === "tab" && !this.#answer && isName(this.#message)) return this.#complete();
		if (key.ctrl && key.name === "d" && editor.text === "") return this.#chat.leave();
		if (key.name === "escape") return this.#escape();
		if (isEnter(editor, key)) return this.#enter(editor.text);
		this.#edit(key);
	}

	#edit(key: Key): void {
		if (this.#answer) this.#answer = pressKey(this.#answer, key);
		else this.#message = pressKey(this.#message, key);
	}

	/** Completes the name of a command or skill as far as it is unique. Otherwise shows the matches. */
	async #complete(): Promise<void> {
		const before = this.#message;
		await this.#chat.complete(before.text.slice(1), (names) => {
			// The person has typed on.
			if (this.#message !== before) return;
			const text = `/${commonBeginning(names)}${names.length === 1 ? " " : ""}`;
			if (names.length > 0) this.#message = { ...before, text, cursor: text.length };
			if (names.length === 0) this.#choices = `no command or skill begins with ${before.text}`;
			else if (names.length > 1 && text === before.text) this.#choices = namesRow(names);
		});
	}

	async #enter(line: string): Promise<void> {
		const isAnswer = this.#answer !== undefined;
		if (isAnswer) this.#answer = emptyEditor();
		else this.#message = enterLine(this.#message, line);
		await this.#chat.enter(line, isAnswer);
	}

	/** Cancels the running turn, else clears the line, else leaves at the second press. */
	async #interrupt(): Promise<void> {
		if (this.#chat.canCancel) return this.#chat.cancel();
		if (this.#mayLeave) return this.#chat.leave();
		this.#mayLeave = this.#message.text === "";
		this.#message = emptyEditor(this.#message.history);
	}

	async #escape(): Promise<void> {
		const type = this.#chat.conversation.question?.question.type;
		if (this.#answer && type !== undefined && type !== "confirm") await this.#chat.decline();
	}
}

/** Whether the line is the beginning of a name: `/` without a space, with the cursor at the end. */
function isName({ text, cursor }: Editor): boolean {
	return /^\/\S*$/.test(text) && cursor === text.length;
}

function commonBeginning(names: readonly string[]): string {
	let [common = ""] = names;
	for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
	return common;
}

function namesRow(names: readonly string[]): string {
	return visibleLine(names.map((name) => `/${name}`).join("  "));
}

/** Rows below the scrollback. */
export interface LiveState {
	readonly conversation: Conversation;
	/** The message that is being typed. */
	readonly message: Editor;
	/** The answer that is being typed; undefined while the keys go to the message. */
	readonly answer: Editor | undefined;
	/** Notice of the chat, above the state of the session. */
	readonly notice: string;
}

const cancelHint = " · Ctrl-C cancels";

/** Maximum number of queued messages that are shown. */
const maxWaiting = 3;

/**
 * Rows below the scrollback: the unfinished row of the reply, running tasks, queued messages, the current activity, and the
 * typed line.
 */
export function liveView(state: LiveState, format: OutputFormat, terminalRows: number): Frame {
	const { conversation, answer } = state;
	const dimmed = [...waitingRows(conversation), ...statusRows(state, format.columns)];
	const tasks = conversation.tasks.live(format);
	const rows = definedItems([
		...conversation.openRows(format),
		// An answer is shown below its question, a message at its position in the session.
		answer ? undefined : "",
		...todoRows(conversation, format),
		...tasks,
		...dimmed.map((row) => format.styles.dim(shorten(row, format.columns))),
	]).slice(-Math.max(1, terminalRows - 3));
	const typed = typedRows(state, format.columns, Math.max(1, terminalRows - rows.length - 1));
	const { row, column } = typed.cursor;
	return { rows: [...rows, ...typed.rows], cursor: { row: row + rows.length, column } };
}

function todoRows({ todo }: Conversation, { columns, styles }: OutputFormat): string[] {
	return todo ? [styles.dim(shorten(planProgress(todo), columns))] : [];
}

function waitingRows({ steering, queue, sending }: Conversation): string[] {
	const waiting = [
		...steering.map((message) => `  to the running turn: ${messageLine(message)}`),
		...queue.map((message, index) => `  queued (${index + 1}): ${messageLine(message)}`),
		...sending.map((content) => `  sending: ${visibleLine(content)}`),
	];
	const hidden = waiting.length - maxWaiting;
	return hidden > 0 ? [...waiting.slice(0, maxWaiting), `  and ${hidden} more`] : waiting;
}

function statusRows({ conversation, answer, notice }: LiveState, columns: number): string[] {
	if (notice !== "") return [notice];
	if (conversation.question?.given) return ["sending the answer…"];
	if (conversation.question && !answer) {
		return ["a question is open: send your line or clear it (Ctrl-U) to answer"];
	}
	if (!conversation.active || conversation.question) return [];
	const { retrying, progress } = conversation;
	const left = columns - cancelHint.length;
	const doing = retrying ? retryWords(retrying, left) : (progressWords(progress, left) ?? "working");
	return [`${doing}${cancelHint}`];
}

function typedRows({ conversation, message, answer }: LiveState, columns: number, maxRows: number): Frame {
	const question = conversation.question?.question;
	if (!question || !answer) {
		return editorRows(message, { prompt: promptMark, columns, maxRows, masked: false });
	}
	const masked = question.type === "password";
	return editorRows(answer, { prompt: questionPrompt(question), columns, maxRows, masked });
}

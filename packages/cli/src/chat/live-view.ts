import { retryWords } from "../model-rows.ts";
import { progressWords } from "../progress-words.ts";
import { questionPrompt } from "../questions/question-rows.ts";
import { progressWords as planProgress } from "../tasks/task-board.ts";
import type { Editor } from "../terminal/editor.ts";
import { editorRows, type Frame } from "../terminal/editor-rows.ts";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import type { Conversation } from "./conversation.ts";
import { messageLine, promptMark } from "./rows.ts";

/** What is shown below the scrollback. */
export interface LiveState {
	readonly conversation: Conversation;
	/** The message that is being typed. */
	readonly message: Editor;
	/** The answer that is being typed; undefined while the keys go to the message. */
	readonly answer: Editor | undefined;
	/** What the chat has to say at the moment; stands before what is going on in the conversation. */
	readonly notice: string;
}

const howToStop = " · Ctrl-C cancels";

/** How many of the messages that wait are shown. */
const mostWaiting = 3;

/** Draws the reply's growing row, the tasks at work, what waits, what is going on, and the line that is being typed. */
export function liveView(state: LiveState, look: Look, terminalRows: number): Frame {
	const { conversation, answer } = state;
	const told = [...waitingRows(conversation), ...statusRows(state, look.columns)];
	const tasks = conversation.tasks.live(look);
	const rows = [
		...growingRows(conversation, look),
		// An answer stands under its question, a message where it will stand in the conversation.
		...(answer ? [] : [""]),
		...todoRows(conversation, look),
		...tasks,
		...told.map((row) => look.styles.dim(shorten(row, look.columns))),
	].slice(-Math.max(1, terminalRows - 3));
	const typed = typedRows(state, look.columns, Math.max(1, terminalRows - rows.length - 1));
	const { row, column } = typed.cursor;
	return { rows: [...rows, ...typed.rows], cursor: { row: row + rows.length, column } };
}

function todoRows({ todo }: Conversation, { columns, styles }: Look): string[] {
	return todo ? [styles.dim(shorten(planProgress(todo), columns))] : [];
}

function growingRows({ last }: Conversation, { columns }: Look): string[] {
	return last.trim() === "" ? [] : wrapText(last, columns);
}

function waitingRows({ steering, queue, sending }: Conversation): string[] {
	const waiting = [
		...steering.map((message) => `  joins: ${messageLine(message)}`),
		...queue.map((message, index) => `  waits (${index + 1}): ${messageLine(message)}`),
		...sending.map((content) => `  sends: ${visibleLine(content)}`),
	];
	const hidden = waiting.length - mostWaiting;
	return hidden > 0 ? [...waiting.slice(0, mostWaiting), `  and ${hidden} more`] : waiting;
}

function statusRows({ conversation, answer, notice }: LiveState, columns: number): string[] {
	if (notice !== "") return [notice];
	if (conversation.question?.given) return ["sending the answer…"];
	if (conversation.question && !answer) {
		return ["the question above waits: send your line or empty it (Ctrl-U) to answer"];
	}
	if (!conversation.active || conversation.question) return [];
	const { retrying, progress } = conversation;
	const left = columns - howToStop.length;
	const doing = retrying ? retryWords(retrying, left) : (progressWords(progress, left) ?? "working");
	return [`${doing}${howToStop}`];
}

function typedRows({ conversation, message, answer }: LiveState, columns: number, mostRows: number): Frame {
	const question = conversation.question?.question;
	if (!question || !answer) {
		return editorRows(message, { prompt: promptMark, columns, mostRows, masked: false });
	}
	const masked = question.type === "password";
	return editorRows(answer, { prompt: questionPrompt(question), columns, mostRows, masked });
}

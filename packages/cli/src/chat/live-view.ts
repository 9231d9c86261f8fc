import { definedItems } from "@parley/base";
import { questionPrompt } from "../questions/question-rows.ts";
import { taskProgressWords } from "../tasks/task-board.ts";
import { type Editor, editorRows, type Frame } from "../terminal/editor.ts";
import { formatRoughly } from "../text/amounts.ts";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { expandTabs, widthOf } from "../text/wrap.ts";
import { keyTexts } from "../texts/chat/keys.ts";
import { liveTexts } from "../texts/chat/live.ts";
import { messageLine, promptMark } from "../wordings/message-rows.ts";
import { retryWords } from "../wordings/model-rows.ts";
import { replyProgressWords } from "../wordings/progress-words.ts";
import type { Conversation } from "./conversation.ts";

export interface LiveState {
	readonly conversation: Conversation;
	readonly message: Editor;
	/** The answer that the person is typing. Undefined while the message receives the keys. */
	readonly answer: Editor | undefined;
	/** Search text for earlier messages. Undefined if no search is active. */
	readonly search?: Editor | undefined;
	/** Notice that replaces the activity. Empty without a notice. */
	readonly notice: string;
	/** Current time in milliseconds, for the duration and the symbol of the active run. */
	readonly now: number;
	/** Status row below the typed line. The row may be empty. Undefined if the chat has no status row. */
	readonly status: string | undefined;
}

/** Animation frames of the active run's symbol, and the milliseconds per frame. */
const marks = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
export const markMs = 120;

/** Minimum number of terminal rows for showing the row below the typed line. */
const roomyRows = 8;
/** Minimum number of columns for the description of the activity. */
const minActivity = 12;

/** Maximum number of waiting messages that are shown. */
const maxWaiting = 3;

/**
 * Returns the rows below the scrollback, from top to bottom:
 * - the incomplete part of the reply, the output of running calls, steps and tasks
 * - waiting messages, and the activity or another state
 * - the typed line and the status row
 */
export function liveView(state: LiveState, format: OutputFormat, terminalRows: number): Frame {
	const { conversation, answer } = state;
	const dimmed = [...waitingRows(conversation), ...statusRows(state, format.columns)];
	const tasks = conversation.tasks.live(format);
	const rows = definedItems([
		...conversation.openRows(format),
		...outputRows(conversation, format),
		// An answer is directly below its question, so no empty row precedes it.
		answer ? undefined : "",
		...todoRows(conversation, format),
		...tasks,
		...dimmed.map((row) => format.styles.dim(shorten(row, format.columns))),
	]).slice(-Math.max(1, terminalRows - 3));
	const { status } = state;
	const below = status !== undefined && terminalRows >= roomyRows ? [format.styles.dim(status)] : [];
	const left = terminalRows - rows.length - 1 - below.length;
	const typed = typedRows(state, format.columns, Math.max(1, left));
	const { row, column } = typed.cursor;
	return { rows: [...rows, ...typed.rows, ...below], cursor: { row: row + rows.length, column } };
}

function outputRows({ output }: Conversation, { columns, styles }: OutputFormat): string[] {
	return output.map((line) => styles.dim(shorten(`  │ ${expandTabs(line)}`, columns)));
}

function todoRows({ todo }: Conversation, { columns, styles }: OutputFormat): string[] {
	return todo ? [styles.dim(shorten(taskProgressWords(todo), columns))] : [];
}

function waitingRows({ steering, queue, sending }: Conversation): string[] {
	const waiting = [
		...steering.map((message) => liveTexts.toTurn({ message: messageLine(message) })),
		...queue.map((message, index) => liveTexts.queued({ place: index + 1, message: messageLine(message) })),
		...sending.map((content) => liveTexts.sending({ message: visibleLine(content) })),
	];
	const hidden = waiting.length - maxWaiting;
	return hidden > 0 ? [...waiting.slice(0, maxWaiting), liveTexts.moreWaiting({ count: hidden })] : waiting;
}

function statusRows(state: LiveState, columns: number): string[] {
	const { conversation, answer, notice } = state;
	if (notice !== "") return [notice];
	if (conversation.question?.given) return [liveTexts.sendingAnswer];
	if (conversation.question && !answer) return [liveTexts.questionIsOpen];
	return !conversation.active || conversation.question ? [] : [activityRow(state, columns)];
}

function activityRow({ conversation, now }: LiveState, columns: number): string {
	const { elapsedMs, tokens } = conversation.activityAt(now);
	const mark = `${marks[Math.floor(now / markMs) % marks.length]} `;
	const facts = definedItems([
		liveTexts.cancels,
		elapsedMs === undefined ? undefined : liveTexts.seconds({ seconds: Math.floor(elapsedMs / 1000) }),
		tokens === 0 ? undefined : liveTexts.tokens({ tokens: formatRoughly(tokens) }),
	]);
	let end = "";
	for (const fact of facts) {
		// Each fact is inserted before the hint, which stays last.
		const longer = end === "" ? ` · ${fact}` : ` · ${fact}${end}`;
		if (widthOf(longer) + mark.length + minActivity > columns) break;
		end = longer;
	}
	return `${mark}${activityWords(conversation, columns - mark.length - widthOf(end))}${end}`;
}

function activityWords({ retrying, progress, runningNames }: Conversation, columns: number): string {
	if (retrying) return retryWords(retrying, columns);
	const written = replyProgressWords(progress, columns);
	if (written !== undefined) return written;
	const [name, ...others] = runningNames;
	if (name === undefined) return liveTexts.working;
	const words =
		others.length > 0
			? liveTexts.runningCalls({ count: runningNames.length })
			: liveTexts.running({ name: visibleLine(name) });
	return shorten(words, columns);
}

function typedRows(state: LiveState, columns: number, maxRows: number): Frame {
	const { conversation, message, answer, search } = state;
	if (search) return editorRows(search, { prompt: keyTexts.searchPrompt, columns, maxRows, masked: false });
	const question = conversation.question?.question;
	if (!question || !answer) {
		return editorRows(message, { prompt: promptMark, columns, maxRows, masked: false });
	}
	const masked = question.type === "password";
	return editorRows(answer, {
		prompt: questionPrompt(question, conversation.offersRules),
		columns,
		maxRows,
		masked,
	});
}

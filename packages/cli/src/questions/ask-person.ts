import type { PromptRequestPayload } from "@parley/protocol";
import type { Io } from "../command-line/io.ts";
import { errorFormat } from "../command-line/output.ts";
import { editorRows, emptyEditor, isEnter, type Key, pressKey } from "../terminal/editor.ts";
import { Terminal } from "../terminal/terminal.ts";
import { type GivenAnswer, questionPrompt, questionRows } from "./question-rows.ts";
import { decline, readAnswer } from "./read-answer.ts";

export interface AskPersonOptions {
	readonly io: Io;
	/** Signal that ends the question, for example because another client has answered. */
	readonly signal: AbortSignal;
	/** Handles Ctrl-C. */
	onInterrupt(): void;
}

/** Asks a question on stderr. Resolves with undefined if the signal aborts or the input ends. */
export function askPerson(
	question: PromptRequestPayload,
	{ io, signal, onInterrupt }: AskPersonOptions,
): Promise<GivenAnswer | undefined> {
	const format = errorFormat(io);
	let editor = emptyEditor();
	return new Promise((resolve) => {
		const draw = (rows: readonly string[] = []): void =>
			terminal.draw(
				rows,
				editorRows(editor, {
					prompt: questionPrompt(question),
					columns: terminal.columns,
					maxRows: Math.max(1, terminal.rows - 1),
					masked: question.type === "password",
				}),
			);
		const end = (given: GivenAnswer | undefined): void => {
			signal.removeEventListener("abort", abort);
			terminal.close();
			resolve(given);
		};
		const abort = (): void => end(undefined);
		const enter = (): void => {
			const reading = readAnswer(question, editor.text);
			editor = emptyEditor();
			if (reading.kind === "answer") end(reading);
			else draw([format.styles.dim(`  ${reading.hint}`)]);
		};
		const onKey = (key: Key): void => {
			if (key.ctrl && key.name === "c") onInterrupt();
			else if (isEnter(editor, key)) enter();
			else if (editor.text === "" && isDecline(key, question)) end({ response: decline, shown: "no" });
			else {
				editor = pressKey(editor, key);
				draw();
			}
		};
		const terminal = new Terminal({
			input: io.stdin,
			output: io.stderr,
			onKey,
			onRedraw: draw,
			onEnd: abort,
		});
		signal.addEventListener("abort", abort);
		draw(questionRows(question, format));
	});
}

function isDecline({ name, ctrl }: Key, { type }: PromptRequestPayload): boolean {
	// Ctrl-D always denies or declines. Escape declines a question, but does not deny an approval.
	return (ctrl && name === "d") || (name === "escape" && type !== "confirm");
}

import { type Editor, emptyEditor, enterLine, isEnter, type Key, pressKey } from "../terminal/editor.ts";
import { visibleLine } from "../text/visible.ts";
import type { Chat } from "./chat.ts";

/** What is being typed in a chat, and what keys do in it. */
export class Keyboard {
	readonly #chat: Chat;
	#message = emptyEditor();
	#answer: Editor | undefined;
	#mayLeave = false;
	/** The names that the last Tab found, as they are shown. */
	#choices = "";

	constructor(chat: Chat) {
		this.#chat = chat;
	}

	/** The message that is being typed. */
	get message(): Editor {
		return this.#message;
	}

	/** The answer that is being typed; undefined while keys go to the message. */
	get answer(): Editor | undefined {
		return this.#answer;
	}

	/** Whether more keys of a pasted text are to come, which need not be drawn one by one. */
	get isPasting(): boolean {
		return (this.#answer ?? this.#message).pasted !== undefined;
	}

	/** Shown after a Tab that found several names, and after a Ctrl-C that found nothing to stop. */
	get notice(): string {
		if (this.#choices !== "") return this.#choices;
		return this.#mayLeave ? "Ctrl-C again leaves" : this.#chat.notice;
	}

	/**
	 * Gives the keys to an open question. A message that is being typed keeps them: what was meant for it must not
	 * answer a question that has just come.
	 */
	focus(): void {
		const open = this.#chat.conversation.question;
		if (!open || open.given) this.#answer = undefined;
		else if (this.#message.text === "" && !this.isPasting) this.#answer ??= emptyEditor();
	}

	/** Takes a key. Resolves when what it set off is done; never rejects. */
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

	/** Completes the name of a command or skill, as far as it is clear. If it is not, shows the names. */
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

	/** Stops what runs, else empties the line, else leaves when pressed twice. */
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

/** Whether the line is the beginning of a name: `/` and no blank, with the cursor behind it. */
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

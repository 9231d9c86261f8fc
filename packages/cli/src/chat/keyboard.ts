import { type Editor, emptyEditor, enterLine, isEnter, type Key, pressKey } from "../terminal/editor.ts";
import { visibleLine } from "../text/visible.ts";
import { liveTexts } from "../texts/chat/live.ts";
import type { Chat } from "./chat.ts";

/** Typed text of a chat, and the effect of keys. */
export class Keyboard {
	readonly #chat: Chat;
	readonly #openDetails: () => void;
	#message = emptyEditor();
	#answer: Editor | undefined;
	#mayLeave = false;
	/** The displayed names that the last Tab found. */
	#choices = "";

	/** `openDetails` shows thinking and tool calls in full. */
	constructor(chat: Chat, openDetails: () => void = () => undefined) {
		this.#chat = chat;
		this.#openDetails = openDetails;
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
		return this.#mayLeave ? liveTexts.leaves : this.#chat.notice;
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
		if (key.ctrl && key.name === "o") return this.#openDetails();
		if (key.name === "tab" && isName(editor)) return this.#complete(editor);
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
	async #complete(before: Editor): Promise<void> {
		const isAnswer = this.#answer !== undefined;
		await this.#chat.complete(before.text.slice(1), (names) => {
			// The person has typed on.
			if ((this.#answer ?? this.#message) !== before) return;
			const text = `/${commonBeginning(names)}${names.length === 1 ? " " : ""}`;
			const completed = { ...before, text, cursor: text.length };
			if (names.length > 0 && isAnswer) this.#answer = completed;
			else if (names.length > 0) this.#message = completed;
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
